import { describe, expect, it } from 'vitest'
import type { SeedJob } from './campaign/executor.ts'
import { simulation, type Simulation } from './definition.ts'
import { shrink } from './shrink.ts'
import { tellStory } from './story.ts'
import { ThreadExecutor, threadHost } from './thread-host.ts'

/**
 * A counter that forgets the increments since its last save, half a second ago at most, when it is killed; nothing is
 * wrong with it otherwise.
 */
function forgetfulCounter(): Simulation {
  let saved = 0
  let value = 0
  let acknowledged = 0
  return simulation('forgetful', {
    processes: {
      counter: {
        run: (_process, node) => {
          value = saved
          node.globalThis.setInterval(() => (saved = value), 500)
        },
      },
    },
    workload: {
      clients: 3,
      operations: 20,
      setup: () => void (saved = value = acknowledged = 0),
      run: async ({ operation, rng }) => {
        if (rng.chance(700_000)) await operation('add', {}, () => void (acknowledged = ++value))
        else await operation('read', {}, () => value)
      },
    },
    invariants: {
      'acknowledged increments stay': ({ events }) => {
        for (const { data } of events.fresh('operation')) {
          const { f, type, value: seen } = data as { f: string; type: string; value: number }
          if (f === 'read' && type === 'ok' && seen < acknowledged)
            return `${seen} is less than ${acknowledged}`
        }
        return true
      },
    },
  })
}

async function firstFailure(executor: ThreadExecutor): Promise<SeedJob> {
  for (let seed = 1; seed < 100; seed++) {
    const job: SeedJob = { simulation: { file: '', name: 'forgetful' }, level: 'stormy', seed }
    if ((await executor.run(job)).result.failure !== null) return job
  }
  throw new Error('no failure in 100 seeds')
}

describe('shrinking', () => {
  it('leaves what is needed: one fault, two operations; again changes nothing', async () => {
    const executor = new ThreadExecutor(
      threadHost({ root: null, hostModules: {}, inline: forgetfulCounter() }),
    )
    const job = await firstFailure(executor)
    const shrunk = await shrink(executor, job, { maxRuns: 2000 })
    expect(shrunk.minimal).toBe(true)
    expect(shrunk.faults).toBe(1)
    expect(shrunk.after).toBeLessThan(shrunk.before / 5)
    expect(shrunk.report.result.failure!.title).toBe('acknowledged increments stay')
    expect(shrunk.report.choices.filter((choice) => choice.label === 'happens').length).toBe(2)
    const again = await shrink(executor, shrunk.job, { maxRuns: 2000 })
    expect([again.before, again.after]).toEqual([shrunk.after, shrunk.after])
    expect(again.report.choices).toEqual(shrunk.report.choices)
    const record = await executor.record({ ...shrunk.job, misfit: 'diverge' })
    expect(record.result).toEqual(shrunk.report.result)
    const story = tellStory(record.events, record.result.failure)
    expect(story.steps.map((step) => step.kind).sort()).toEqual([
      'fault',
      'operation',
      'operation',
      'process',
      'violation',
    ])
  })
})
