/** Records are written in batches, by size or by time; those that come during a write are cleared with the batch. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

const FILE = '/tmp/records'

class Batcher {
  private records: string[] = []
  private timer: NodeJS.Timeout | undefined
  private flushing = false
  private readonly mended: boolean

  constructor(mended: boolean) {
    this.mended = mended
  }

  async add(record: string): Promise<void> {
    this.records.push(record)
    this.timer ??= setTimeout(() => void this.flush(), 100)
    if (this.records.length >= 3 && !this.flushing) await this.flush()
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.records.length === 0) return
    const batch = this.records
    if (this.mended) this.records = []
    this.flushing = true
    await appendFile(FILE, batch.map((record) => `${record}\n`).join(''))
    this.flushing = false
    if (!this.mended) this.records = []
  }
}

async function run(t: RaceContext, mended: boolean): Promise<void> {
  await writeFile(FILE, '')
  const batcher = new Batcher(mended)
  const produce = async (name: string): Promise<void> => {
    for (let n = 0; n < 2; n++) {
      await batcher.add(`${name}${n}`)
      await sleep(n === 0 ? 30 + name.charCodeAt(0) : 1)
    }
  }
  await Promise.all(['a', 'b', 'c'].map((name) => t.task(name, () => produce(name))))
  await batcher.flush()
  await sleep(2_000)
  const kept = new Set((await readFile(FILE, 'utf8')).trim().split('\n'))
  t.assert(kept.size === 6, `only ${[...kept].join(', ')} were written`)
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
