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
import { raceName } from '../explore/authoring/race-collection.ts'
import { createRace, type Race } from './race.ts'
import type { RunningTest } from './race-runner.ts'
import { runnerStandIn } from './runner-stand-in.ts'
import { raceHost } from './race-host.ts'
import { createSimulationTest, type SimulationTest } from './simulation-test.ts'
import { vitestGlobals } from './vitest-globals.ts'

export type { RaceContext } from '../explore/authoring/context.ts'
export { SimulationFailed } from './simulation-test.ts'
export type { SimulationTest, SimulationTestOptions } from './simulation-test.ts'

/** Declares a campaign as a test: `simulationTest('survives storms', './bank.sim.ts', { level: 'stormy' })`. */
export const simulationTest: SimulationTest = createSimulationTest((title, run, timeout) => {
  vitest.test(title, { timeout }, run)
})

export const race: Race = createRace(
  {
    test: (title, run, timeout) => vitest.test(title, { timeout }, (context) => run(running(context))),
    only: (title, run, timeout) => vitest.test.only(title, { timeout }, (context) => run(running(context))),
    skip: (title) => vitest.test.skipIf(true)(title, () => {}),
  },
  raceHost(() => {
    const standIn = runnerStandIn(vitest)
    return {
      modules: { 'wavetank/vitest': { race, simulationTest: () => {} }, vitest: standIn },
      globals: vitestGlobals(standIn),
    }
  }),
)

/** Since vitest 3.2. */
interface Annotating {
  readonly annotate?: (message: string, type?: string) => Promise<unknown>
}

/** A note is an annotation of the test, which reporters may show; its data is in the test's meta. */
function running({ task, annotate }: Pick<vitest.TestContext, 'task'> & Annotating): RunningTest {
  const titles = [task.name]
  for (let { suite } = task; suite !== undefined && !('filepath' in suite); { suite } = suite)
    titles.unshift(suite.name)
  return {
    name: raceName(titles),
    async note(text, result) {
      Object.assign(task.meta, { wavetank: result })
      await annotate?.(text, 'wavetank')
    },
  }
}
