/** A document is saved a moment after its last change; a save that is under way is not waited for by the next. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

const FILE = '/tmp/document'

class Document {
  private text = ''
  private timer: NodeJS.Timeout | undefined
  private saving: Promise<void> = Promise.resolve()
  private saves = 0
  private readonly chained: boolean

  constructor(chained: boolean) {
    this.chained = chained
  }

  change(text: string): void {
    this.text = text
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.save(), 50)
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    this.save()
    await this.saving
  }

  private save(): void {
    const write = () => this.write(this.text, `${FILE}.${this.saves++}`)
    this.saving = this.chained ? this.saving.then(write) : Promise.all([this.saving, write()]).then(() => {})
  }

  private async write(text: string, part: string): Promise<void> {
    await writeFile(part, text)
    await rename(part, FILE)
  }
}

async function run(t: RaceContext, chained: boolean): Promise<void> {
  const document = new Document(chained)
  await t.task('author', async () => {
    for (const text of ['a', 'ab', 'abc']) {
      document.change(text)
      await sleep(60)
    }
    await document.close()
  })
  t.assert((await readFile(FILE, 'utf8')) === 'abc', 'an old save came last')
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
