/**
 * wavetank under node:test: `simulationTest` declares a campaign as a test.
 *
 * ```ts
 * import { simulationTest } from 'wavetank/node-test'
 *
 * simulationTest('the bank survives storms', new URL('./bank.sim.ts', import.meta.url), { level: 'stormy', seeds: 50 })
 * ```
 */
import { test } from 'node:test'
import { createSimulationTest, type SimulationTest } from './simulation-test.ts'

export { SimulationFailed } from './simulation-test.ts'
export type { SimulationTest, SimulationTestOptions } from './simulation-test.ts'

export const simulationTest: SimulationTest = createSimulationTest((title, run, timeout) => {
  void test(title, { timeout }, run)
})
