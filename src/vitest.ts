/**
 * wavetank under vitest: `race` declares an exploration as a test, `simulationTest` a campaign.
 *
 * ```ts
 * import { race } from 'wavetank/vitest'
 *
 * race('two deposits are both kept', async (t) => { … })
 * ```
 */
import * as vitest from 'vitest'
import { createRace, type Race } from './explore/race.ts'
import { runnerStandIn } from './explore/runner-stand-in.ts'
import { raceHost } from './race-host.ts'
import { createSimulationTest, type SimulationTest } from './simulation-test.ts'

export type { RaceContext } from './explore/context.ts'
export { SimulationFailed } from './simulation-test.ts'
export type { SimulationTest, SimulationTestOptions } from './simulation-test.ts'

/** Declares a campaign as a test: `simulationTest('survives storms', './bank.sim.ts', { level: 'stormy' })`. */
export const simulationTest: SimulationTest = createSimulationTest((title, run, timeout) => {
  vitest.test(title, { timeout }, run)
})

export const race: Race = createRace(
  {
    test: (title, run, timeout) => vitest.test(title, { timeout }, run),
    only: (title, run, timeout) => vitest.test.only(title, { timeout }, run),
    skip: (title) => vitest.test.skipIf(true)(title, () => {}),
  },
  raceHost(() => ({ 'wavetank/vitest': { race, simulationTest: () => {} }, vitest: runnerStandIn(vitest) })),
)
