/** Whole seeds of an example: boot, workload, storm, heal, check. */
import type { simulate as Simulate } from '../../src/host/simulate.ts'
import { figure, read, since, type Row } from './measurement.ts'
import { ROOT } from './tank-run.ts'

const JOBS = 2
const SEEDS = 1_000

/** With the built package, as users have it, and with the start of its threads. */
export async function kvSeeds(): Promise<Row> {
  const { simulate } = (await import(`${ROOT}/dist/index.js`)) as { simulate: typeof Simulate }
  const begun = read()
  const result = await simulate(`${ROOT}/examples/kv/kv.sim.ts`, {
    seeds: SEEDS,
    jobs: JOBS,
    level: 'sunny',
  })
  if (result.seeds.count < SEEDS) throw new Error(`only ${result.seeds.count} seeds ran`)
  const { cpuMs, wallMs } = since(begun)
  const rate = (JOBS * SEEDS * 1_000) / cpuMs
  return {
    what: 'examples/kv, seeds on two cores',
    measured: `${figure(rate)} seeds/s`,
    bar: '50/s',
    ratio: rate / 50,
    note: `by wall time ${figure((SEEDS / wallMs) * 1_000)}/s; ${figure(SEEDS)} seeds from the start of ${JOBS} threads`,
  }
}
