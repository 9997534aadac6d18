import { describe, expect, it } from 'vitest'
import { simulation } from '../sim/authoring/definition.ts'
import { storyOf } from '../failures/story.ts'
import { ThreadExecutor, threadHost } from '../sim/campaign/thread-host.ts'
import { storyText } from './story.ts'

const POLLS = 12

/** A client that looks and asks every 40 ms until it is told that something is done, and a promise that it never is. */
const polling = simulation('polling', {
  processes: {},
  workload: {
    clients: 1,
    operations: 1,
    spanMs: 0,
    run: ({ operation }) =>
      new Promise<void>((resolve) => {
        let polls = 0
        const timer = setInterval(() => {
          polls++
          void operation('look', () => 'nothing')
          void operation('ask', { key: 'job' }, () => polls > POLLS)
          if (polls <= POLLS) return
          clearInterval(timer)
          resolve()
        }, 40)
      }),
  },
  invariants: {
    'it is never done': ({ events }) => {
      const last = events.last('operation')?.data as { value: unknown } | undefined
      return last?.value !== true || 'it is done'
    },
  },
})

describe('a story', () => {
  it('tells rounds of a poll once, with their count and the time of the last, as data and as text', async () => {
    const executor = new ThreadExecutor(threadHost({ root: null, hostModules: {}, inline: polling }))
    const job = { simulation: { file: '', name: 'polling' }, level: 'sunny', seed: 1 } as const
    const { events, result } = await executor.record(job)
    const { steps } = storyOf(events, result.failure)
    expect(steps.map(({ repeats }) => repeats?.times ?? 1)).toEqual([12, 12, 12, 12, 1, 1, 1])
    const text = storyText({ steps, omitted: 0, head: 0 }).map((line) => line.trim().replace(/ +/g, ' '))
    expect(text).toEqual([
      '0.240s client 0 look … × 12, until 0.680s',
      '0.240s client 0 ask job … × 12, until 0.680s',
      '0.240s client 0 look → nothing × 12, until 0.680s',
      '0.240s client 0 ask job → false × 12, until 0.680s',
      '0.720s client 0 look → nothing',
      '0.720s client 0 ask job → true',
      '0.720s invariant ← it is done',
    ])
  })
})
