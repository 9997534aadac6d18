/** Whole seeds of an example: boot, workload, storm, heal, check. */
import { simulate } from '../../src/simulate.ts'
import { figure, read, since, type Reading, type Row } from './measurement.ts'
import { ROOT } from './tank-run.ts'

const JOBS = 2

const FEW = 50
const MANY = 300

async function campaign(seeds: number): Promise<Reading> {
  const begun = read()
  const result = await simulate(`${ROOT}/examples/kv/kv.sim.ts`, { seeds, jobs: JOBS, level: 'sunny' })
  if (result.seeds.count < seeds) throw new Error(`only ${result.seeds.count} seeds ran`)
  return since(begun)
}

/** The difference between a long and a short campaign: the threads are started once, however many seeds there are. */
export async function kvSeeds(): Promise<Row> {
  const few = await campaign(FEW)
  const many = await campaign(MANY)
  const perSeedMs = (many.cpuMs - few.cpuMs) / (MANY - FEW)
  const rate = (JOBS * 1_000) / perSeedMs
  return {
    what: 'examples/kv, seeds on two cores',
    measured: `${figure(rate)} seeds/s`,
    bar: '50/s',
    ratio: rate / 50,
    note: `and ${figure(few.cpuMs - FEW * perSeedMs)} ms to start ${JOBS} threads; by wall time ${figure((MANY / many.wallMs) * 1_000)}/s`,
  }
}
