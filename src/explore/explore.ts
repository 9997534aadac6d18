/**
 * `explore`: runs a body under many schedules until one breaks it, then hands back the smallest schedule that does.
 *
 * The same seed, body and options give the same runs in the same order, and the same finding. Only the time budget can
 * end an exploration earlier on one machine than on another; it never changes what a run does. With `jobs`, lanes of runs
 * are explored beside each other, and the first run that fails, by its number, is the finding: see lanes.ts.
 */
import { ceil, max } from '../kernel/arithmetic.ts'
import { UsageError } from '../kernel/errors.ts'
import { bareEnvironment, type RaceBody } from './environment.ts'
import { findingText } from './finding-text.ts'
import { RaceFound } from './finding.ts'
import { investigate } from './investigation.ts'
import { seedOfRun } from './iteration-seed.ts'
import { jobsOf } from './jobs.ts'
import type { FailingRun } from './lane.ts'
import { runLanes, type LaneThreads } from './lanes.ts'
import { macrotask } from './macrotask.ts'
import { checkedOptions, EXPLORE_DEFAULTS, limitsOf, type ExploreOptions } from './options.ts'
import { rerun, type RaceProgram } from './program.ts'
import { RaceRun } from './race-run.ts'
import { strategyOf } from './strategies/by-name.ts'
import type { Dfs } from './strategies/dfs.ts'
import type { ExploreStrategy } from './strategy.ts'

export interface ExploreResult {
  readonly iterations: number
  readonly steps: number
  readonly strategy: string
  /** How many schedules each strategy ran: of a portfolio, each of its members. */
  readonly schedulesBy: Readonly<Record<string, number>>
  /** Real time, by the clock given; 0 without one. */
  readonly wallMs: number
  /** Every schedule within the bound was run, and all of them hold. */
  readonly exhausted: boolean
  /** The time budget ended it. */
  readonly outOfTime: boolean
  /** What was covered, in words. */
  readonly summary: string
}

/** Explores a closure of this thread. Throws {@link RaceFound} when a schedule breaks it. */
export function explore(body: RaceBody, given: ExploreOptions = {}): Promise<ExploreResult> {
  const options = checkedOptions(given, 'explore')
  const { everyAwait = false, splitWrites = false, jobs = 1 } = options
  if (everyAwait !== false)
    throw notForClosures(
      'EVERY_AWAIT',
      'everyAwait rewrites files as they are loaded; a closure is loaded already',
    )
  if (splitWrites)
    throw notForClosures('SPLIT_WRITES', 'splitWrites is about sockets of a world; a closure has none')
  if (jobsOf(jobs, 'explore: jobs') > 1)
    throw notForClosures('JOBS', 'jobs runs schedules in other threads; a closure cannot leave its thread')
  const environment = bareEnvironment(body)
  const limits = limitsOf(options)
  const program: RaceProgram = (schedule) => new RaceRun({ ...schedule, ...limits, environment }).execute()
  return exploreProgram(program, options)
}

function notForClosures(code: string, why: string): UsageError {
  return new UsageError(`ERR_WAVETANK_${code}`, `explore: ${why}. Declare the body with race() in a file.`)
}

/** Explores anything that can be run again and again; `threads` are for lanes beside the one of the thread at hand. */
export async function exploreProgram(
  program: RaceProgram,
  options: ExploreOptions,
  threads: LaneThreads | null = null,
): Promise<ExploreResult> {
  const settings = { ...EXPLORE_DEFAULTS, ...options }
  const { title, iterations, timeBudgetMs, shrink } = settings
  const clock = options.clock ?? (() => 0)
  const begunMs = clock()
  const { strategy, end, elsewhere, ...done } = await runLanes(program, {
    lanes: lanesOf(settings),
    threads,
    strategy: () => strategyOf(settings.strategy, settings),
    careful: typeof settings.strategy !== 'string',
    seed: settings.seed,
    iterations,
    timeBudgetMs,
    clock,
  })
  if (end === null) return summarise(strategy, { ...done, wallMs: clock() - begunMs }, settings)
  if ('thrown' in end) throw end.thrown
  const { iteration, choices } = end
  const seed = seedOfRun(strategy, settings.seed, iteration)
  if (elsewhere) await macrotask(() => confirm(program, seed, end))
  const discovery = { title, iteration, iterations, seed, strategy: strategy.name }
  const finding = await macrotask(() => investigate(program, discovery, choices, { shrink }))
  throw new RaceFound(finding, findingText(finding))
}

/** One for each thread, but none without iterations, and one for what goes through schedules in order. */
function lanesOf({ jobs = 1, strategy, iterations }: ExploreOptions & { iterations: number }): number {
  const lanes = jobsOf(jobs, 'race: jobs')
  if (typeof strategy !== 'string' || strategy === 'dfs') return 1
  return iterations < lanes ? max(1, ceil(iterations)) : lanes
}

/** A run that failed in another thread must fail here: what it depends on may be missing there. */
function confirm(program: RaceProgram, seed: number, { iteration, choices, key, message }: FailingRun): void {
  let here: string
  try {
    const { failure } = rerun(program, seed, choices, 'diverge')
    if (failure?.key === key) return
    here = failure === null ? 'holds here' : `has another failure here (${failure.message})`
  } catch (error) {
    here = `is another run here (${(error as Error).message})`
  }
  throw new UsageError(
    'ERR_WAVETANK_JOBS',
    `race: schedule ${iteration} failed in a worker thread (${message}) and ${here}. Worker threads have the file of the race and the test runner's functions, but not what set-up files of the runner have changed: explore with jobs: 1.`,
  )
}

function summarise(
  strategy: ExploreStrategy,
  done: Pick<ExploreResult, 'iterations' | 'steps' | 'schedulesBy' | 'wallMs'>,
  { iterations, timeBudgetMs }: Required<Pick<ExploreOptions, 'iterations' | 'timeBudgetMs'>>,
): ExploreResult {
  const exhausted = strategy.exhausted === true
  const outOfTime = !exhausted && done.iterations < iterations
  const { schedules, bounded, preemptionBound } = strategy as Partial<Dfs>
  const bound = bounded === true ? ` within the bound of ${preemptionBound} preemptions` : ''
  const summary = exhausted
    ? `all ${schedules} schedules${bound} hold`
    : outOfTime
      ? `${done.iterations} schedules hold; the time budget of ${timeBudgetMs} ms ended before ${iterations}`
      : `${done.iterations} schedules hold`
  return { ...done, strategy: strategy.name, exhausted, outOfTime, summary }
}
