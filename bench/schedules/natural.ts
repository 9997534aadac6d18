/**
 * Natural programs: small ones as people write them, with timers, files and sockets and no scheduling points of their
 * own. They say what the classic programs cannot: how the strategies do on the events of a real event loop. The choice
 * of the portfolio's members was made with them in view, so they are no proof of it.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { EnvironmentFactory, RaceBody } from '../../src/explore/running/environment.ts'
import { EXPLORE_DEFAULTS, limitsOf, STALL_IN_FILES_VIRTUAL_MS } from '../../src/explore/search/options.ts'
import { iterationSeed } from '../../src/explore/search/iteration-seed.ts'
import { STRATEGIES, type StrategyName } from '../../src/explore/index.ts'
import { macrotask } from '../../src/explore/running/macrotask.ts'
import { currentCollection } from '../../src/explore/authoring/race-collection.ts'
import { RaceRun } from '../../src/explore/running/race-run.ts'
import { tankEnvironment } from '../../src/explore/running/tank-environment.ts'
import { projectImage } from '../../src/node/index.ts'
import type { Cell, Column } from './cell.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
const FOLDER = `${ROOT}/bench/schedules/natural`
const SUFFIX = '.race.ts'
const CAP = 200

export const NATURAL: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))

/** While a file is loaded through the tank, `race` only hands over its body. */
const race = (title: string, body: RaceBody): void => currentCollection()!.add({ title, body })

export function naturalEnvironment(name: string, title: 'broken' | 'mended'): EnvironmentFactory {
  return tankEnvironment({
    file: `${FOLDER}/${name}${SUFFIX}`,
    title,
    image: [{ at: ROOT, from: ROOT, reader: projectImage() }],
    hostModules: { 'wavetank/vitest': { race } },
  })
}

/** The number of the first schedule that fails, with the default settings of an exploration. */
export function firstFailure(
  environment: EnvironmentFactory,
  strategyName: StrategyName,
  trial: number,
  cap: number,
): Promise<number | null> {
  return macrotask(() => {
    const strategy = STRATEGIES[strategyName]({ depth: EXPLORE_DEFAULTS.depth })
    const limits = limitsOf({ stallVirtualMs: STALL_IN_FILES_VIRTUAL_MS })
    for (let i = 1; i <= cap; i++) {
      const run = new RaceRun({ ...limits, strategy, environment, seed: iterationSeed(trial, i) })
      if (run.execute().failure !== null) return i
    }
    return null
  })
}

/** One cell of the natural programs' table; the peer has none in it. */
export async function measureNatural(name: string, column: Column, trials: number): Promise<Cell> {
  const environment = naturalEnvironment(name, 'broken')
  let sum = 0
  let found = 0
  for (let trial = 1; trial <= trials; trial++) {
    const schedules = await firstFailure(environment, column as StrategyName, trial, CAP)
    sum += schedules ?? CAP
    if (schedules !== null) found++
  }
  return { mean: sum / trials, found, trials }
}
