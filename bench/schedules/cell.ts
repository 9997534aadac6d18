/**
 * One cell of the strength table: how many schedules a strategy needs, on average, to find a program's bug. A trial that
 * finds nothing within the cap counts as the cap. A hopeless cell ends before its trials do, when it has taken so many
 * steps that only waiting longer is left; `trials` says how many there were. Steps, not seconds, so that a table is the
 * same on every machine.
 */
import { bareEnvironment } from '../../src/explore/running/environment.ts'
import { iterationSeed } from '../../src/explore/search/iteration-seed.ts'
import { RaceRun } from '../../src/explore/running/race-run.ts'
import { STRATEGIES, type StrategyName } from '../../src/explore/index.ts'
import { withFastCheck } from './fast-check.ts'
import type { Program } from './program.ts'

export const CAP = 10_000
const MAX_STEPS = 5_000
const LATENESS_US = 1e9
const DEPTH = 3

const FEWEST_TRIALS = 3
const STEP_BUDGET = 2_000_000
const PEER_STEP_BUDGET = 300_000

/** The name of a column: a strategy's, or the peer's. */
export type Column = StrategyName | 'fast-check'

export interface Cell {
  readonly mean: number
  readonly found: number
  readonly trials: number
}

interface Trial {
  /** The number of the schedule that showed the bug. */
  readonly schedules: number | null
  readonly steps: number
}

export async function measure(program: Program, column: Column, trials: number): Promise<Cell> {
  let sum = 0
  let found = 0
  let steps = 0
  let done = 0
  const budget =
    column === 'portfolio'
      ? Number.POSITIVE_INFINITY
      : column === 'fast-check'
        ? PEER_STEP_BUDGET
        : STEP_BUDGET
  while (done < trials && (done < FEWEST_TRIALS || steps < budget)) {
    const trial =
      column === 'fast-check'
        ? await withFastCheck(program.broken, ++done, CAP)
        : underStrategy(program, column, ++done)
    sum += trial.schedules ?? CAP
    steps += trial.steps
    if (trial.schedules !== null) found++
  }
  return { mean: sum / done, found, trials: done }
}

/** Must be called from a macrotask. */
function underStrategy(program: Program, name: StrategyName, trial: number): Trial {
  const strategy = STRATEGIES[name]({ depth: DEPTH })
  const environment = bareEnvironment(program.broken)
  let steps = 0
  for (let i = 1; i <= CAP; i++) {
    const settings = { strategy, environment, maxSteps: MAX_STEPS, latenessUs: LATENESS_US }
    const result = new RaceRun({ ...settings, seed: iterationSeed(trial, i) }).execute()
    steps += result.steps
    if (result.failure !== null) return { schedules: i, steps }
  }
  return { schedules: null, steps }
}
