/**
 * An exploration: runs a program under many schedules until one breaks it, then finds the smallest schedule that does.
 *
 * The same seed, program and options give the same runs in the same order, and the same finding. Only the time budget can
 * end an exploration earlier on one machine than on another; it never changes what a run does. With `jobs`, shares of the
 * runs are explored in parallel, and the failing run with the smallest number is the finding: see shares.ts.
 */
import { ceil, max } from '../../kernel/arithmetic.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { RaceFinding } from '../finding/finding.ts'
import { investigate } from '../finding/investigation.ts'
import { gapsOf, neverEnded, type Coverage } from './coverage.ts'
import { seedOfRun } from './iteration-seed.ts'
import { jobsOf } from './jobs.ts'
import type { FailingRun } from './share.ts'
import { runShares, type ShareThreads } from './shares.ts'
import { macrotask } from '../running/macrotask.ts'
import { EXPLORE_DEFAULTS, type ExploreOptions } from './options.ts'
import { rerun, type RaceProgram } from '../running/program.ts'
import { strategyOf } from './strategies/by-name.ts'
import type { Dfs } from './strategies/dfs.ts'
import type { ExploreStrategy } from './strategy.ts'

export interface ExploreResult {
  readonly iterations: number
  readonly steps: number
  readonly strategy: string
  /** How many schedules each strategy ran; a portfolio counts its members separately. */
  readonly schedulesBy: Readonly<Record<string, number>>
  /** Real time by the option `clock`; 0 without it. */
  readonly wallMs: number
  /** Every schedule within the bound was run, and all of them hold. */
  readonly exhausted: boolean
  /** The time budget ended it. */
  readonly outOfTime: boolean
  /** What the schedules have shown together. */
  readonly coverage: Coverage
  /** Tasks that did not end in any schedule, each with what it waits for in the simplest one. */
  readonly neverEnded: readonly string[]
  /** Why this is not enough, although no schedule failed; empty if it is. */
  readonly gaps: readonly string[]
  /** What was covered, as text: `2000 schedules hold`. */
  readonly summary: string
}

/** Every schedule held; or none failed, but they show too little; or one broke the program. */
export type Exploration =
  | { readonly kind: 'held'; readonly result: ExploreResult }
  | { readonly kind: 'gap'; readonly result: ExploreResult }
  | { readonly kind: 'found'; readonly finding: RaceFinding }

/** Explores a program; `threads` run the shares that this thread does not run. */
export async function exploreProgram(
  program: RaceProgram,
  options: ExploreOptions,
  threads: ShareThreads | null = null,
): Promise<Exploration> {
  const settings = { ...EXPLORE_DEFAULTS, ...options }
  const { title, iterations, budgetWallMs, shrink } = settings
  const clock = options.clock ?? (() => 0)
  const begunMs = clock()
  const { strategy, end, elsewhere, ...done } = await runShares(program, {
    shares: sharesOf(settings),
    threads,
    strategy: () => strategyOf(settings.strategy, settings),
    careful: typeof settings.strategy !== 'string',
    seed: settings.seed,
    iterations,
    budgetWallMs,
    clock,
  })
  if (end === null) {
    const unended = neverEnded(done.coverage)
    const waits = unended.length === 0 ? [] : await macrotask(() => waitsOf(program, settings.seed, unended))
    const wallMs = clock() - begunMs
    const result = summarise(strategy, { ...done, wallMs, neverEnded: waits }, settings)
    return { kind: result.gaps.length === 0 || options.allowGaps === true ? 'held' : 'gap', result }
  }
  if ('thrown' in end) throw end.thrown
  const { iteration, choices } = end
  const seed = seedOfRun(strategy, settings.seed, iteration)
  if (elsewhere) await macrotask(() => confirm(program, seed, end))
  const discovery = { title, iteration, iterations, seed, strategy: strategy.name }
  // As much time again: shrinking and explaining are bounded by the budget too.
  const endMs = clock() + budgetWallMs
  const isOver = () => clock() >= endMs
  const finding = await macrotask(() => investigate(program, discovery, choices, { shrink, isOver }))
  return { kind: 'found', finding }
}

/** One share for each thread, but not more than iterations; a strategy that goes through schedules in order has one. */
function sharesOf({ jobs = 1, strategy, iterations }: ExploreOptions & { iterations: number }): number {
  const shares = jobsOf(jobs, 'race: jobs')
  if (typeof strategy !== 'string' || strategy === 'dfs') return 1
  return iterations < shares ? max(1, ceil(iterations)) : shares
}

/** A run that failed in a worker thread must fail here too: something that the program needs may be missing there. */
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

/** There was never more than one event to choose from. */
const ALL_THE_SAME = ', all of them the same: nothing could change places'

/** What tasks wait for in the simplest schedule, which is recorded for that. */
function waitsOf(program: RaceProgram, seed: number, tasks: readonly string[]): string[] {
  const { waits } = rerun(program, seed, [], 'bend', { record: true })
  return tasks.map((name) => waits.find(({ task }) => task === name)?.text ?? name)
}

type Done = Pick<ExploreResult, 'iterations' | 'steps' | 'schedulesBy' | 'wallMs' | 'coverage' | 'neverEnded'>

function summarise(
  strategy: ExploreStrategy,
  done: Done,
  { iterations, budgetWallMs }: Required<Pick<ExploreOptions, 'iterations' | 'budgetWallMs'>>,
): ExploreResult {
  const exhausted = strategy.exhausted === true
  const outOfTime = !exhausted && done.iterations < iterations
  const { schedules, bounded, preemptionBound } = strategy as Partial<Dfs>
  const bound = bounded === true ? ` within the bound of ${preemptionBound} preemptions` : ''
  const summary = exhausted
    ? `all ${schedules} schedules${bound} hold`
    : outOfTime
      ? `${done.iterations} schedules hold; the time budget of ${budgetWallMs} ms ended before ${iterations}`
      : `${done.iterations} schedules hold${done.coverage.contested === 0 ? ALL_THE_SAME : ''}`
  const gaps = gapsOf(done.coverage)
  return { ...done, strategy: strategy.name, exhausted, outOfTime, gaps, summary }
}
