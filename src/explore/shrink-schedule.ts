/**
 * Shrinking a failing schedule: fewest preemptions first, then fewest steps, with the failure's key kept. A schedule is
 * its non-zero choices over a base of zeros; leaving one out lets the running task go on where it was interrupted. Where
 * that task polls for something, it then polls for a long time: a schedule that grows out of proportion is not simpler.
 *
 * Chunks of choices are left out from large to small (delta debugging, Zeller and Hildebrandt 2002), then every single one
 * is tried again until none can go; then ordinary runs with a single late event are tried in its place. The result is
 * 1-minimal, and shrinking it again changes nothing.
 */
import { floor, min } from '../kernel/arithmetic.ts'
import type { Choice } from '../kernel/choices.ts'
import { byRecord, type RaceProgram, type Schedule } from './program.ts'
import type { RaceRunResult } from './race-run.ts'
import { delaysAt } from './strategies/delay-bound.ts'

export interface Shrunk {
  readonly result: RaceRunResult
  readonly runs: number
  /** False when the budget ended before a fixpoint was reached. */
  readonly minimal: boolean
}

/**
 * Steps of all runs together after which it is good enough: seconds, also where a run is long. A limit of time would make
 * what comes out depend on the machine.
 */
const STEP_BUDGET = 500_000

/** Ordinary runs with one late event that are tried. */
const MOST_DELAYS = 200

export function shrinkSchedule(
  program: RaceProgram,
  seed: number,
  failing: RaceRunResult,
  maxRuns: number,
): Shrunk {
  const key = failing.failure!.key
  let best = failing
  let runs = 0
  let steps = 0
  let mostSteps = Infinity
  const isWorthwhile = (): boolean => runs < maxRuns && steps < STEP_BUDGET

  /** Tries a list of choices; keeps it if it fails alike and is no larger. */
  const attempt = (choices: readonly Choice[]): boolean =>
    keep(ran({ strategy: byRecord, overrides: choices }))

  function ran(schedule: Pick<Schedule, 'strategy' | 'overrides'>): RaceRunResult {
    runs++
    const result = program({ ...schedule, seed, base: 'zero', misfit: 'bend' })
    steps += result.steps
    return result
  }

  function keep(result: RaceRunResult): boolean {
    if (result.failure?.key !== key || !simpler(result, best) || result.steps > mostSteps) return false
    best = result
    return true
  }

  /** Lowers the value of a choice, if it can be lowered. */
  function lower(i: number): boolean {
    const choice = best.choices.at(i)
    if (choice === undefined) return false
    return lowerValues(choice.value).some(
      (value) => isWorthwhile() && attempt(best.choices.with(i, { ...choice, value })),
    )
  }

  /**
   * A schedule that was found has its own way of failing, and leaving things out of it does not lead to another. One late
   * event in an otherwise ordinary run often will do, and is easier to understand.
   */
  function delayOne(): boolean {
    const overrides = best.choices.filter(({ entity }) => entity !== 'schedule')
    if (best.choices.length - overrides.length < 2) return false
    const ordinary = ran({ strategy: byRecord, overrides })
    for (let point = 1; point <= min(ordinary.contested, MOST_DELAYS) && isWorthwhile(); point++)
      if (keep(ran({ strategy: delaysAt([point]), overrides }))) return true
    return false
  }

  let progress = true
  while (progress && isWorthwhile()) {
    progress = false
    mostSteps = 2 * best.steps + 20 // the last round has that of the result: shrinking it again is that round again
    for (let size = best.choices.length; size >= 1 && isWorthwhile(); size = floor(size / 2)) {
      for (let from = 0; from < best.choices.length && isWorthwhile();) {
        if (attempt(best.choices.toSpliced(from, size))) progress = true
        else from += size
      }
    }
    for (let i = 0; i < best.choices.length; i++) while (lower(i)) progress = true
    if (!progress) progress = delayOne()
  }
  return { result: best, runs, minimal: !progress && isWorthwhile() }
}

const FEW_VALUES = 16

/** Values to try in the place of one: all of a few; of many the least, then ever smaller steps down. */
function lowerValues(value: number): number[] {
  if (value <= FEW_VALUES) return Array.from({ length: value - 1 }, (_, i) => i + 1)
  const values = [1]
  for (let step = floor(value / 2); step >= 1; step = floor(step / 2)) values.push(value - step)
  return values
}

/** Fewer choices, then fewer steps, then smaller values. */
function simpler(a: RaceRunResult, b: RaceRunResult): boolean {
  if (a.choices.length !== b.choices.length) return a.choices.length < b.choices.length
  if (a.steps !== b.steps) return a.steps < b.steps
  return sum(a.choices) < sum(b.choices)
}

function sum(choices: readonly Choice[]): number {
  return choices.reduce((total, { value }) => total + value, 0)
}
