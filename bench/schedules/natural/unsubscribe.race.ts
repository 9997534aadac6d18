/** A message is handed to one subscriber after another; whoever unsubscribes meanwhile moves the others up. */
import { appendFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

type Handler = (message: string) => Promise<void>

class Topic {
  private readonly handlers: Handler[] = []
  private readonly mended: boolean

  constructor(mended: boolean) {
    this.mended = mended
  }

  subscribe(handler: Handler): () => void {
    this.handlers.push(handler)
    return () => void this.handlers.splice(this.handlers.indexOf(handler), 1)
  }

  async publish(message: string): Promise<void> {
    for (const handler of this.mended ? [...this.handlers] : this.handlers) await handler(message)
  }
}

async function run(t: RaceContext, mended: boolean): Promise<void> {
  await writeFile('/tmp/log', '')
  const topic = new Topic(mended)
  const seen: string[] = []
  const log: Handler = (message) => appendFile('/tmp/log', message)
  const leave = topic.subscribe(log)
  topic.subscribe(log)
  topic.subscribe(async (message) => void seen.push(message))
  await Promise.all([
    t.task('publisher', async () => {
      for (const message of ['one', 'two', 'three']) {
        await topic.publish(message)
        await sleep(20)
      }
    }),
    t.task('subscriber', async () => {
      await sleep(25)
      leave()
    }),
  ])
  t.assert(seen.length === 3, `the last subscriber saw only ${seen.join(', ')}`)
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
