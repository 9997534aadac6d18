import { describe, expect, it } from 'vitest'
import type { SeedJob } from '../sim/campaign/executor.ts'
import { simulation, type Simulation } from '../sim/authoring/definition.ts'
import { shrinkSeed } from './shrink-simulation.ts'
import { storyOf } from './story.ts'
import { ThreadExecutor, threadHost } from '../sim/campaign/thread-host.ts'

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
        if (rng.chance(0.7)) await operation('add', () => void (acknowledged = ++value))
        else await operation('read', () => value)
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

/** A queue with three bugs, and one broad check that finds them all. */
function threeBugs(): Simulation {
  return simulation('three-bugs', {
    processes: {},
    workload: {
      clients: 1,
      operations: 6,
      run: async ({ operation, rng }) => {
        await operation('put', () => rng.below(4))
      },
      check: ({ history }) => {
        const values = [...history.operations()].map(({ output }) => output)
        if (values.includes(3)) throw new Error(`job ${values.indexOf(3)} was lost`)
        if (values.includes(2)) throw new Error(`job ${values.indexOf(2)} was done twice`)
        if (values.includes(1)) throw new Error('the list cannot be read')
      },
    },
  })
}

describe('the identity of a bug', () => {
  it('tells three bugs of one check apart, and shrinking keeps each of them', async () => {
    const executor = new ThreadExecutor(threadHost({ root: null, hostModules: {}, inline: threeBugs() }))
    const first = new Map<string, SeedJob>()
    for (let seed = 1; seed <= 60; seed++) {
      const job: SeedJob = { simulation: { file: '', name: 'three-bugs' }, level: 'sunny', seed }
      const { failure } = (await executor.run(job)).result
      if (failure !== null && !first.has(failure.signature)) first.set(failure.signature, job)
    }
    expect([...first.keys()].sort()).toEqual([
      'check: check (job # was done twice)',
      'check: check (job # was lost)',
      'check: check (the list cannot be read)',
    ])
    for (const [signature, job] of first) {
      const { report, summary } = await shrinkSeed(executor, job, { maxRuns: 500 })
      expect(report.result.failure!.signature).toBe(signature)
      expect(summary.minimal).toBe(true)
    }
  })
})

describe('shrinking', () => {
  it('ends when its time is spent, says how far it came and that more could be left out', async () => {
    const executor = new ThreadExecutor(
      threadHost({ root: null, hostModules: {}, inline: forgetfulCounter() }),
    )
    const job = await firstFailure(executor)
    const told: number[] = []
    const { summary, report } = await shrinkSeed(executor, job, {
      maxRuns: 2000,
      isSpent: () => told.length >= 5,
      onProgress: (runs) => told.push(runs),
    })
    expect(summary.minimal).toBe(false)
    expect(summary.runs).toBeLessThan(20)
    expect(report.result.failure).not.toBeNull()
    expect(told).toEqual([...told].sort((a, b) => a - b))
  })

  it('leaves what is needed: one fault, two operations; again changes nothing', async () => {
    const executor = new ThreadExecutor(
      threadHost({ root: null, hostModules: {}, inline: forgetfulCounter() }),
    )
    const job = await firstFailure(executor)
    const shrunk = await shrinkSeed(executor, job, { maxRuns: 2000 })
    expect(shrunk.summary.minimal).toBe(true)
    expect(shrunk.summary.faults).toBe(1)
    expect(shrunk.summary.after).toBeLessThan(shrunk.summary.before / 5)
    expect(shrunk.report.result.failure!.title).toBe('acknowledged increments stay')
    expect(shrunk.report.choices.filter((choice) => choice.label === 'happens').length).toBe(2)
    const again = await shrinkSeed(executor, shrunk.job, { maxRuns: 2000 })
    const { after } = shrunk.summary
    expect([again.summary.before, again.summary.after]).toEqual([after, after])
    expect(again.report.choices).toEqual(shrunk.report.choices)
    const record = await executor.record({ ...shrunk.job, misfit: 'diverge' })
    expect(record.result).toEqual(shrunk.report.result)
    const story = storyOf(record.events, record.result.failure)
    expect(story.steps.map((step) => step.kind).sort()).toEqual([
      'fault',
      'operation',
      'operation',
      'process',
      'violation',
    ])
  })
})
