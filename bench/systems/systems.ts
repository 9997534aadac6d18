/**
 * How fast the example systems run in the tank: idle clusters against real time, and whole seeds of the coordinator with
 * all its invariants. With the built package, as users have it.
 */
import { fileURLToPath } from 'node:url'
import type { simulate as Simulate } from '../../src/host/simulate.ts'
import { figure, read, since, type Row } from '../tank/measurement.ts'
import { ROOT } from '../tank/tank-run.ts'

const JOBS = 2
const SEEDS = 400

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

async function simulated(): Promise<typeof Simulate> {
  const { simulate } = (await import(`${ROOT}/dist/index.js`)) as { simulate: typeof Simulate }
  return simulate
}

/** Virtual time by processor time of one thread, after a first seed that warms it up. */
async function timesRealTime(file: string, what: string, bar: number): Promise<Row> {
  const simulate = await simulated()
  await simulate(file, { seeds: 1, jobs: 0 })
  const begun = read()
  const result = await simulate(file, { firstSeed: 2, seeds: 2, jobs: 0 })
  const { cpuMs, wallMs } = since(begun)
  if (result.failures.length > 0) throw new Error(`${what}: ${result.failures[0].failure.message}`)
  const { count } = result.seeds
  const runs = count + result.verified.seeds // some seeds are run twice and compared
  const virtualMs = (result.simulatedUs / 1000 / count) * runs
  const times = virtualMs / cpuMs
  return {
    what,
    measured: `${figure(times)}× real time`,
    bar: `${bar.toLocaleString('en')}×`,
    ratio: times / bar,
    note: `${figure(virtualMs / 1000)} virtual seconds, boots included; ${figure(virtualMs / wallMs)}× by wall time`,
  }
}

export function idleRaft(): Promise<Row> {
  return timesRealTime(at('raft-idle.ts'), 'examples/raft, five idle servers', 1000)
}

export function gossipOfHundred(): Promise<Row> {
  return timesRealTime(at('gossip-hundred.ts'), 'examples/gossip, 100 members', 20)
}

export async function coordinatorSeeds(): Promise<Row> {
  const simulate = await simulated()
  const file = `${ROOT}/examples/shard-coordinator/shard-coordinator.sim.ts`
  const begun = read()
  const result = await simulate(file, { seeds: SEEDS, jobs: JOBS, level: 'stormy' })
  const { cpuMs, wallMs } = since(begun)
  if (result.failures.length > 0) throw new Error(result.failures[0].failure.message)
  const runs = result.seeds.count + result.verified.seeds
  const rate = (JOBS * runs * 1000) / cpuMs
  return {
    what: 'examples/shard-coordinator, stormy, two cores',
    measured: `${figure(rate)} seeds/s`,
    bar: '20/s',
    ratio: rate / 20,
    note: `${figure((runs / wallMs) * 1000)}/s by wall time; ${runs} runs with all invariants, with the start of two threads`,
  }
}
