/** A queue whose concurrency is lowered: two workers that end at the same time both think they are one too many. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

class Queue {
  private readonly jobs: (() => Promise<void>)[] = []
  private workers = 0
  private concurrency = 3
  private readonly mended: boolean

  constructor(mended: boolean) {
    this.mended = mended
  }

  add(job: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.jobs.push(() => job().then(resolve, reject))
      if (this.workers < this.concurrency) void this.work()
    })
  }

  limit(concurrency: number): void {
    this.concurrency = concurrency
  }

  private async work(): Promise<void> {
    this.workers++
    for (let job = this.jobs.shift(); job !== undefined; job = this.jobs.shift()) {
      await job()
      if (this.workers <= this.concurrency) continue
      if (this.mended) {
        this.workers--
        return
      }
      await appendFile('/tmp/log', 'one worker less\n')
      this.workers--
      return
    }
    this.workers--
  }
}

async function run(t: RaceContext, mended: boolean): Promise<void> {
  await writeFile('/tmp/job', '')
  const queue = new Queue(mended)
  const job = async (): Promise<void> => void (await readFile('/tmp/job'))
  await Promise.all([
    t.task('user', () => Promise.all(Array.from({ length: 10 }, () => queue.add(job)))),
    t.task('operator', async () => {
      await sleep(10)
      queue.limit(2)
    }),
  ])
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
