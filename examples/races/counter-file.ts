import { access, readFile, rename, writeFile } from 'node:fs/promises'

/** A counter in a file, as people write it. */
export class CounterFile {
  private readonly path: string
  private last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  /** Check, then act: two callers can both find nothing. */
  async createIfMissing(): Promise<'created' | 'found'> {
    try {
      await access(this.path)
      return 'found'
    } catch {
      await writeFile(this.path, '0')
      return 'created'
    }
  }

  async value(): Promise<number> {
    return Number(await readFile(this.path, 'utf8'))
  }

  /** Read, change, write: an update in between is lost. */
  async increment(): Promise<number> {
    const next = (await this.value()) + 1
    await this.replace(next)
    return next
  }

  /** One after the other: nothing is lost. */
  incrementInTurn(): Promise<number> {
    const turn = this.last.then(() => this.increment())
    this.last = turn.catch(() => {})
    return turn
  }

  /** Readers see the old contents or the new, never half of them. */
  private async replace(value: number): Promise<void> {
    const temporary = `${this.path}.${value}.${Math.random()}`
    await writeFile(temporary, String(value))
    await rename(temporary, this.path)
  }
}
