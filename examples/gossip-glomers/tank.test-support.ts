/** Runs a node of the examples in the tank, in this thread, as `wavetank maelstrom test` does it. */
import { join } from 'node:path'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import { DEFAULTS, type TestSettings } from '../../src/maelstrom/running/settings.ts'
import { maelstromSimulation, watchTests, type SimulatedTest } from '../../src/maelstrom/simulation.ts'
import type { WorkloadName } from '../../src/maelstrom/workloads/index.ts'
import { ThreadExecutor, threadHost } from '../../src/sim/campaign/thread-host.ts'

const EXAMPLES = join(import.meta.dirname, '..')
const ROOT = join(EXAMPLES, '..')

/** Settings of a test; a number of nodes gives n0, n1, …, and `perNode` the clients of each. */
export interface TankOptions extends Partial<TestSettings> {
  readonly nodeCount?: number
  readonly perNode?: number
  readonly seed?: number
}

export async function testInTank(
  workload: WorkloadName,
  file: string,
  { nodeCount = 5, perNode = 1, seed = 7, ...settings }: TankOptions = {},
): Promise<SimulatedTest> {
  const nodes = Array.from({ length: nodeCount }, (_, i) => `n${i}`)
  const simulation = maelstromSimulation({
    ...DEFAULTS,
    name: workload,
    workload,
    nodes,
    concurrency: nodeCount * perNode,
    program: { command: process.execPath, args: [join(EXAMPLES, file)] },
    ...settings,
  })
  const host = threadHost({ root: ROOT, hostModules: HOST_MODULES, inline: simulation })
  const job = { simulation: { file: '', name: simulation.name }, level: 'sunny', seed } as const
  const tests: SimulatedTest[] = []
  watchTests({ onTest: (test) => tests.push(test) })
  await new ThreadExecutor(host).run(job)
  if (tests.length !== 1) throw new Error(`the test of ${file} gave ${tests.length} results`)
  return tests[0]
}

/** The first word of every finding: the type of the anomaly. */
export function anomaliesOf({ results }: SimulatedTest): string[] {
  return [...new Set((results.workload.findings ?? []).map((finding) => finding.split(':')[0]))]
}
