/** A recorded failure is a fact: it happens again every time, shrunk or not, and shrinking it twice changes nothing. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import type { SeedJob } from '../../src/sim/campaign/executor.ts'
import { shrinkSeed, type ShrunkSeed } from '../../src/failures/shrink-simulation.ts'
import { ThreadExecutor, threadHost } from '../../src/sim/campaign/thread-host.ts'
import { replayJob } from '../../src/failures/recorded-simulation.ts'
import { simulationTrace } from '../../src/failures/simulation-trace.ts'
import { parseTrace, printTrace, type SimulationTrace } from '../../src/failures/trace-file.ts'

const FULL = process.env.WAVETANK_FULL === '1'
const TIMES = FULL ? 100 : 10
const ROOT = new URL('../..', import.meta.url).pathname
const FILE = join(ROOT, 'examples/kv/kv-broken.sim.ts')

const executor = new ThreadExecutor(threadHost({ root: ROOT, hostModules: HOST_MODULES }))

async function failingSeed(): Promise<SeedJob> {
  for (let seed = 1; seed <= 100; seed++) {
    const job: SeedJob = { simulation: { file: FILE, name: 'kv-broken' }, level: 'stormy', seed }
    if ((await executor.run(job)).result.failure !== null) return { ...job, keepChoices: true }
  }
  throw new Error('no seed up to 100 breaks kv-broken')
}

/** Through a file, as a user does it. */
async function replays(job: SeedJob): Promise<number> {
  const recorded = await executor.run({ ...job, keepChoices: true, keepHashes: true })
  const made = simulationTrace(job, recorded, { root: ROOT, shrunk: null, inline: null })
  const trace = parseTrace(printTrace(made), 'f1.json') as SimulationTrace
  let same = 0
  for (let i = 0; i < TIMES; i++) {
    const { result } = await executor.run(replayJob(trace, FILE))
    const { failure, digest } = result
    if (failure !== null && digest === trace.digest && failure.message === trace.failure.message) same++
    // Something else in between: a replay does not depend on what the thread did before.
    if (i % 5 === 0) await executor.run({ ...job, base: 'seed', overrides: [], seed: job.seed + i + 1 })
  }
  return same
}

describe('a recorded failure', () => {
  let job: SeedJob
  let shrunk: ShrunkSeed

  beforeAll(async () => {
    job = await failingSeed()
    shrunk = await shrinkSeed(executor, job, { maxRuns: 5000 })
  }, 600_000)

  it(`happens again ${TIMES} times of ${TIMES}`, async () => {
    expect(await replays(job)).toBe(TIMES)
  }, 600_000)

  it(`happens again ${TIMES} times of ${TIMES} when it is shrunk`, async () => {
    expect(shrunk.summary).toMatchObject({ minimal: true, faults: 1 })
    expect(await replays(shrunk.job)).toBe(TIMES)
  }, 600_000)

  it('keeps its signature when it is shrunk, and shrinks no further', async () => {
    const { failure } = (await executor.run(job)).result
    expect(shrunk.report.result.failure!.signature).toBe(failure!.signature)
    const again = await shrinkSeed(executor, shrunk.job, { maxRuns: 5000 })
    const { after } = shrunk.summary
    expect(again.summary).toMatchObject({ before: after, after })
    expect(again.job.overrides).toEqual(shrunk.job.overrides)
  }, 600_000)
})
