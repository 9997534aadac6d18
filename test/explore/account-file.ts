import { readFile, writeFile } from 'node:fs/promises'

/** An account in a JSON file, as people write it: read, change, write. */
export class AccountFile {
  private readonly path: string
  constructor(path: string) {
    this.path = path
  }

  async create(balance: number): Promise<void> {
    await writeFile(this.path, JSON.stringify({ balance }))
  }

  async balance(): Promise<number> {
    return (JSON.parse(await readFile(this.path, 'utf8')) as { balance: number }).balance
  }

  async deposit(amount: number): Promise<void> {
    const before = await this.balance()
    await this.create(before + amount)
  }
}
