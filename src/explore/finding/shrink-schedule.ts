/**
 * Shrinking a failing schedule: fewest preemptions first, then fewest steps, with the failure's key kept. A schedule is
 * its non-zero choices over a base of zeros. Leaving one out lets the running task go on where it was interrupted. If that
 * task polls for something, it then polls for a long time: a schedule that grows out of proportion is not simpler. Within
 * twice its length it is: one preemption in 19 steps is easier to understand than eight in 14.
 *
 * The algorithm is the kernel's. A race adds one move: a schedule that was found has its own way of failing, and leaving
 * things out of it does not lead to another. One late event in an otherwise ordinary run is often enough, and easier to
 * understand.
 */
import { min } from '../../kernel/arithmetic.ts'
import { shrink, type Candidate, type ShrinkMeasure } from '../../kernel/shrink.ts'
import { byRecord, type RaceProgram } from '../running/program.ts'
import type { RaceRunResult } from '../running/race-run.ts'
import { delaysAt } from '../search/strategies/delay-bound.ts'

export interface ShrunkSchedule {
  readonly result: RaceRunResult
  readonly runs: number
  /** False if the budget ended before a fixpoint was reached. */
  readonly minimal: boolean
}

/**
 * Steps of all runs together after which shrinking ends: seconds, also if a run is long. A limit of time would make the
 * result depend on the machine.
 */
const STEP_BUDGET = 500_000

/** Ordinary runs with one late event that are tried. */
const MOST_DELAYS = 200

/** The order of events is no scale: whether a small value fails says nothing about a larger one. */
const FEW_VALUES = 16

export function shrinkSchedule(
  program: RaceProgram,
  seed: number,
  failing: RaceRunResult,
  maxRuns: number,
): ShrunkSchedule {
  let steps = 0
  const attempt = ({ choices: overrides, lateAt }: Candidate): RaceRunResult => {
    const strategy = lateAt === undefined ? byRecord : delaysAt([lateAt])
    const result = program({ strategy, overrides, seed, base: 'zero', misfit: 'bend' })
    steps += result.steps
    return result
  }
  const { run, runs, minimal } = shrink(failing, attempt, {
    measure: measureOf(failing),
    maxRuns,
    isSpent: () => steps >= STEP_BUDGET,
  })
  return { result: run, runs, minimal }
}

function measureOf({ failure }: RaceRunResult): ShrinkMeasure<RaceRunResult> {
  return {
    choicesOf: ({ choices }) => choices,
    isAlike: (run) => run.failure?.key === failure!.key,
    weigh: (run) => [run.choices.length, run.steps],
    lengthOf: (run) => run.steps,
    fewValues: FEW_VALUES,
    others: oneLateEvent,
  }
}

function* oneLateEvent(best: RaceRunResult): Generator<Candidate, void, RaceRunResult> {
  const choices = best.choices.filter(({ entity }) => entity !== 'schedule')
  if (best.choices.length - choices.length < 2) return
  const { contested } = yield { choices }
  for (let lateAt = 1; lateAt <= min(contested, MOST_DELAYS); lateAt++) yield { choices, lateAt }
}
