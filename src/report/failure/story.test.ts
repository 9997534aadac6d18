import type nodeFs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FAMILY_NAMES, type LevelName } from '../../faults/levels.ts'
import { simulation, type Simulation } from '../../sim/authoring/definition.ts'
import type { RunRecord } from '../../sim/running/run.ts'
import { storyOf } from '../../failures/story.ts'
import { ThreadExecutor, threadHost } from '../../sim/campaign/thread-host.ts'
import { storyText } from './story.ts'

const POLLS = 12

/** A client that looks and asks every 40 ms until it hears that something is done, and a promise that it never is. */
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

/** Every family off. */
const CALM = Object.fromEntries(FAMILY_NAMES.map((name) => [name, null]))

/** A server that writes a file without a sync and cannot start with an empty one, under nothing but power losses. */
const unsynced = simulation('unsynced', {
  processes: {
    store: {
      onExit: 'restart',
      run(_, node) {
        const fs = node.require('node:fs') as typeof nodeFs
        if (fs.existsSync('/state') && fs.readFileSync('/state', 'utf8') === '') {
          console.error('the file is empty')
          process.exit(3)
        }
        fs.writeFileSync('/state', 'full')
        setInterval(() => {}, 10_000)
      },
    },
  },
  workload: {
    clients: 1,
    operations: 1,
    spanMs: 0,
    run: ({ operation }) => operation('wait', () => new Promise((resolve) => setTimeout(resolve, 5000))),
  },
  invariants: {
    'it starts': ({ events }) =>
      events.all('process').filter(({ data }) => data.change === 'exit' && data.code === 3).length < 4,
  },
  levels: {
    stormy: {
      swarm: false,
      windowMs: [5000, 5000],
      families: { ...CALM, reboot: { everyMs: 1000, chance: 1, durationMs: [100, 100] } },
      attrition: { stop: 0, kill: 0, powerLoss: 1, wipe: 0 },
    },
  },
})

async function recordOf(
  of: Simulation,
  { level, seed }: { level: LevelName; seed: number },
): Promise<RunRecord> {
  const executor = new ThreadExecutor(threadHost({ root: null, hostModules: {}, inline: of }))
  return executor.record({ simulation: { file: '', name: of.name }, level, seed })
}

describe('a story', () => {
  it('tells rounds of a poll once, with their count and the time of the last, as data and as text', async () => {
    const { events, result } = await recordOf(polling, { level: 'sunny', seed: 1 })
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

  it('says what a power loss took, and why a process exits; folds a crash loop', async () => {
    const { events, result } = await recordOf(unsynced, { level: 'stormy', seed: 7 })
    const { steps } = storyOf(events, result.failure)
    const text = storyText({ steps, omitted: 0, head: 0 }).map((line) => line.trim().replace(/ +/g, ' '))
    expect(text).toEqual([
      '0.200s client 0 wait …',
      '0.525s nemesis ⚡ power loss at store',
      '0.525s store loses the new name /state, not synced since 0.000s',
      '0.625s store boots again (boot 2)',
      '2.188s nemesis ⚡ power loss at store',
      '2.188s store loses 4 of 4 bytes of /state, not synced since 0.625s',
      '2.288s store boots again (boot 3) × 4, until 3.788s',
      '2.288s store exits by itself, code 3: the file is empty × 4, until 3.788s',
      "3.788s invariant ← 'it starts' does not hold",
    ])
  })

  it('escapes what a terminal would obey, and keeps the column of a message of several lines', () => {
    const step = { timeUs: 1_000_000, violation: false } as const
    const steps = [
      { ...step, who: 'client 0', text: 'get \u001b[2Jx\ny', kind: 'operation' },
      { ...step, who: 'check', text: 'expected 1\nfound 2', kind: 'violation', violation: true },
    ] as const
    expect(storyText({ steps, omitted: 0, head: 0 }, undefined, '')).toEqual([
      '   1.000s  client 0    get \\u001b[2Jx\\ny',
      '   1.000s  check     ← expected 1\n                       found 2',
    ])
  })
})
