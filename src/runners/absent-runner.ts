/**
 * Test runners as the file of a race sees them without a runner: groups and hooks as in the runner, no tests, and the rest
 * (`expect`, `vi`, `mock`) from the runner's own package if it is installed. So a race that was found under a runner is
 * replayed without one.
 */
import * as nodeTest from 'node:test'
import { createRace } from './race.ts'
import { runnerStandIn } from './runner-stand-in.ts'
import { UsageError } from '../kernel/errors.ts'
import { raceHost, type RunnerStandIn } from './race-host.ts'
import { vitestGlobals } from './vitest-globals.ts'

/** The functions that declare something, in case vitest is not installed. */
const DECLARING = [
  'describe',
  'suite',
  'test',
  'it',
  'bench',
  'beforeEach',
  'afterEach',
  'beforeAll',
  'afterAll',
] as const

/** `source` is the text of the race's file: if it does not import vitest, it may use its functions as globals. */
export async function absentRunner(source: string): Promise<RunnerStandIn> {
  const nothing = Object.fromEntries(DECLARING.map((name) => [name, () => {}]))
  const vitest = runnerStandIn((await importVitest()) ?? nothing)
  const bareNames = /['"]vitest['"]/.test(source) ? {} : vitest
  const never = () => {
    throw new UsageError('ERR_WAVETANK_RACE', 'a race was declared outside of its file')
  }
  const race = createRace(
    { test: never, only: never, skip: never },
    raceHost(() => runner),
  )
  const declaring = { race, simulationTest: () => {} }
  const runner: RunnerStandIn = {
    modules: {
      vitest,
      'node:test': runnerStandIn(nodeTest),
      'wavetank/vitest': declaring,
      'wavetank/node-test': declaring,
    },
    globals: { ...bareNames, ...vitestGlobals(vitest) },
  }
  return runner
}

async function importVitest(): Promise<Readonly<Record<string, unknown>> | null> {
  const host = globalThis as { __vitest_worker__?: unknown }
  host.__vitest_worker__ ??= { environment: { name: 'node' }, config: {} } // vitest 3 cannot be imported without it
  try {
    return await import('vitest')
  } catch {
    return null // not installed, or not importable here: races that do not need it can still be replayed
  }
}
