/**
 * From a failing run to a finding: shrunk, recorded, sliced, with the pair of events whose order matters. Each of these
 * steps re-runs the same program with fewer or other choices.
 */
import type { Choice } from '../../kernel/choices.ts'
import { encodeHashes } from '../../kernel/hash-log.ts'
import { criticalPair } from './critical-pair.ts'
import { iterationSeed } from '../search/iteration-seed.ts'
import type { RaceFinding } from './finding.ts'
import type { ScheduleStep } from '../running/recording.ts'
import { rerun, type RaceProgram } from '../running/program.ts'
import type { RaceRunResult } from '../running/race-run.ts'
import { shrinkSchedule } from './shrink-schedule.ts'
import { sliceSchedule } from './slice-schedule.ts'
import { random } from '../search/strategies/random.ts'

/** How the failing run was found. */
export type Discovery = Pick<RaceFinding, 'title' | 'iteration' | 'iterations' | 'seed' | 'strategy'>

export interface Effort {
  /** Leave out of the schedule what the failure does not need. */
  readonly shrink: boolean
  /** Runs that shrinking may take. */
  readonly maxRuns?: number
  /** Whether the time is over: what is known by then is the finding. */
  readonly isOver?: () => boolean
}

const SHRINK_RUNS = 2_000

/** Enough to distinguish a failure of some orders from a failure of all. */
const OTHER_SCHEDULES = 20

/** Enough to see whether a failure depends on random values: one that half of them show is missed with 2^-10. */
const OTHER_ENTROPIES = 10

/** Must be called from a macrotask. `choices` are the run's: all that are not the simplest. */
export function investigate(
  program: RaceProgram,
  discovery: Discovery,
  choices: readonly Choice[],
  { shrink, maxRuns = SHRINK_RUNS, isOver = () => false }: Effort,
): RaceFinding {
  const { title, iteration, iterations, seed, strategy } = discovery
  const found = rerun(program, seed, choices, 'diverge')
  let cutShort = false
  /** The program while there is time. After that every run ends at once, like `late`. */
  const inTime =
    (late: RaceRunResult): RaceProgram =>
    (schedule) => {
      cutShort ||= isOver()
      return cutShort ? late : program(schedule)
    }
  // An attempt to shrink that comes too late counts as one that passes: it is not kept.
  const small = shrink
    ? shrinkSchedule(inTime({ ...found, failure: null }), seed, found, maxRuns)
    : { result: found, runs: 0, minimal: false }
  const result = rerun(program, seed, small.result.choices, 'diverge', { record: true })
  const failure = result.failure!
  // An exchange that comes too late counts as one that fails: it shows nothing.
  const pair = criticalPair(inTime(result), seed, result)
  const ends = [failure.step, ...lastStepsOf(result.waiting, result.schedule)]
  if (pair !== null) ends.push(pair.first.step, pair.secondStep ?? failure.step)
  for (const { step, stalledUs } of result.schedule) if (stalledUs !== undefined) ends.push(step)
  return {
    version: 1,
    title,
    failure,
    iteration,
    iterations,
    seed,
    strategy,
    shrunk: {
      before: found.choices.length,
      after: result.choices.length,
      runs: small.runs,
      minimal: small.minimal && !cutShort,
    },
    preemptions: result.choices.filter(({ entity }) => entity === 'schedule').length,
    schedule: result.schedule,
    bodyStep: result.bodyStep,
    slice: sliceSchedule(result.schedule, ...ends)
      .map(({ step }) => step)
      .filter((step) => step > result.bodyStep || step === failure.step),
    criticalPair: pair,
    otherSchedules: pair === null && !cutShort ? otherSchedules(program, seed, failure.key) : null,
    ...(cutShort ? { cutShort } : {}),
    ...chance(inTime(result), seed, result),
    choices: result.choices.map(({ entity, label, index, n, value }) => ({ entity, label, index, n, value })),
    digest: result.hash,
    hashes: encodeHashes(result.hashes ?? new Uint32Array(0)),
  }
}

/** The last step of each of these tasks. */
function lastStepsOf(tasks: readonly string[], schedule: readonly ScheduleStep[]): number[] {
  return tasks.map((name) => schedule.findLast(({ task }) => task === name)?.step ?? 0)
}

/** Runs the failing schedule with other random values; says how often it fails, unless it always does. */
function chance(
  program: RaceProgram,
  seed: number,
  { failure, choices }: RaceRunResult,
): Pick<RaceFinding, 'otherEntropy'> {
  let failing = 0
  for (let i = 1; i <= OTHER_ENTROPIES; i++)
    if (rerun(program, iterationSeed(seed, i), choices, 'bend').failure?.key === failure!.key) failing++
  return failing === OTHER_ENTROPIES ? {} : { otherEntropy: { runs: OTHER_ENTROPIES, failing } }
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
