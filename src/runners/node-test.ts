/**
 * wavetank under node:test: `race` declares an exploration as a test, `simulationTest` a campaign.
 *
 * ```ts
 * import { race } from 'wavetank/node-test'
 *
 * race('two deposits are both kept', async (t) => { … })
 * ```
 */
import * as nodeTest from 'node:test'
import { createRace, type Race } from './race.ts'
import type { RunningTest } from './race-runner.ts'
import { runnerStandIn } from './runner-stand-in.ts'
import { raceHost } from './race-host.ts'
import { createSimulationTest, type SimulationTest } from './simulation-test.ts'

export type { RaceContext } from '../explore/authoring/context.ts'
export { SimulationFailed } from './simulation-test.ts'
export type { SimulationTest, SimulationTestOptions } from './simulation-test.ts'

/** Declares a campaign as a test: `simulationTest('survives storms', './bank.sim.ts', { level: 'stormy' })`. */
export const simulationTest: SimulationTest = createSimulationTest((title, run, timeout) => {
  void nodeTest.test(title, { timeout }, run)
})

export const race: Race = createRace(
  {
    test: (title, run, timeout) => void nodeTest.test(title, { timeout }, (t) => run(running(t))),
    only: (title, run, timeout) => void nodeTest.test(title, { timeout, only: true }, (t) => run(running(t))),
    skip: (title) => void nodeTest.test(title, { skip: true }, () => {}),
  },
  raceHost(() => ({
    modules: {
      'wavetank/node-test': { race, simulationTest: () => {} },
      'node:test': runnerStandIn(nodeTest),
    },
  })),
)

/** `fullName` joins titles as `raceName` does. */
function running(t: nodeTest.TestContext): RunningTest {
  return { name: t.fullName, note: (text) => t.diagnostic(text) }
}
