/**
 * From a failing run to a finding: shrunk, recorded, sliced, with the pair of events whose order matters. Everything here
 * is re-running the same program with fewer or other choices.
 */
import type { Choice } from '../kernel/choices.ts'
import { criticalPair } from './critical-pair.ts'
import { iterationSeed } from './iteration-seed.ts'
import type { RaceFinding } from './finding.ts'
import type { ScheduleStep } from './recording.ts'
import { rerun, type RaceProgram } from './program.ts'
import { shrinkSchedule } from './shrink-schedule.ts'
import { sliceSchedule } from './slice-schedule.ts'
import { random } from './strategies/random.ts'

/** How a failing run came about, for the finding. */
export type Discovery = Pick<RaceFinding, 'title' | 'iteration' | 'iterations' | 'seed' | 'strategy'>

export interface Effort {
  /** Leave out of the schedule what the failure does not need. */
  readonly shrink: boolean
  /** Runs that shrinking may take. */
  readonly maxRuns?: number
}

const SHRINK_RUNS = 2_000

/** Enough to tell a failure of some orders from one of all. */
const OTHER_SCHEDULES = 20

/** Must be called from a macrotask. `choices` are the run's: all that are not the simplest. */
export function investigate(
  program: RaceProgram,
  discovery: Discovery,
  choices: readonly Choice[],
  { shrink, maxRuns = SHRINK_RUNS }: Effort,
): RaceFinding {
  const { title, iteration, iterations, seed, strategy } = discovery
  const found = rerun(program, seed, choices, 'diverge')
  const small = shrink
    ? shrinkSchedule(program, seed, found, maxRuns)
    : { result: found, runs: 0, minimal: false }
  const result = rerun(program, seed, small.result.choices, 'diverge', { record: true })
  const failure = result.failure!
  const pair = criticalPair(program, seed, result)
  const ends = [failure.step, ...lastStepsOf(result.waiting, result.schedule)]
  if (pair !== null) ends.push(pair.first.step, pair.secondStep ?? failure.step)
  return {
    version: 1,
    title,
    failure,
    iteration,
    iterations,
    seed,
    strategy,
    shrunk: { fromSteps: found.steps, toSteps: result.steps, runs: small.runs, minimal: small.minimal },
    preemptions: result.choices.filter(({ entity }) => entity === 'schedule').length,
    schedule: result.schedule,
    bodyStep: result.bodyStep,
    slice: sliceSchedule(result.schedule, ...ends)
      .map(({ step }) => step)
      .filter((step) => step > result.bodyStep || step === failure.step),
    criticalPair: pair,
    otherSchedules: pair === null ? otherSchedules(program, seed, failure.key) : null,
    choices: result.choices.map(({ entity, label, index, n, value }) => ({ entity, label, index, n, value })),
    digest: result.hash,
  }
}

/** The steps after which tasks have done nothing more. */
function lastStepsOf(tasks: readonly string[], schedule: readonly ScheduleStep[]): number[] {
  return tasks.map((name) => schedule.findLast(({ task }) => task === name)?.step ?? 0)
}

/** Runs some random schedules. */
function otherSchedules(program: RaceProgram, seed: number, key: string): RaceFinding['otherSchedules'] {
  let failing = 0
  for (let i = 1; i <= OTHER_SCHEDULES; i++) {
    const { failure } = program({ seed: iterationSeed(seed, i), strategy: random() })
    if (failure?.key === key) failing++
  }
  return { runs: OTHER_SCHEDULES, failing }
}
