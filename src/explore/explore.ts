/**
 * `explore`: runs a body under many schedules until one breaks it, then hands back the smallest schedule that does.
 *
 * The same seed, body and options give the same runs in the same order, and the same finding. Only the time budget can
 * end an exploration earlier on one machine than on another; it never changes what a run does.
 */
import { UsageError } from '../kernel/errors.ts'
import { bareEnvironment, type RaceBody } from './environment.ts'
import type { EveryAwait } from './every-await.ts'
import { findingText } from './finding-text.ts'
import { RaceFound } from './finding.ts'
import { investigate } from './investigation.ts'
import { iterationSeed } from './iteration-seed.ts'
import { macrotask } from './macrotask.ts'
import type { RaceProgram } from './program.ts'
import { RaceRun, type RaceRunResult } from './race-run.ts'
import type { Dfs } from './strategies/dfs.ts'
import { STRATEGIES, type StrategyName } from './strategies/index.ts'
import type { ExploreStrategy } from './strategy.ts'

export interface ExploreOptions {
  readonly title?: string
  readonly strategy?: StrategyName | ExploreStrategy
  /** Runs at most. */
  readonly iterations?: number
  /** Real milliseconds at most; whichever of the two ends first. */
  readonly timeBudgetMs?: number
  readonly seed?: number
  /** The bug depth for PCT and its relatives. */
  readonly depth?: number
  /** Steps a run may take. */
  readonly maxSteps?: number
  /**
   * How late anything may be, in virtual milliseconds: a timer, an answer, a file operation. Two events can change places
   * if they are due within so much of each other; with the default, a time-out of half a second may beat an answer of
   * ten milliseconds, one of five seconds may not.
   */
  readonly latenessMs?: number
  /** Makes each `await` in the project's files, or in the files named, a scheduling point; only for races in files. */
  readonly everyAwait?: EveryAwait
  /** Shrink what is found; on by default. */
  readonly shrink?: boolean
  /** Milliseconds since some origin, for the time budget only. */
  readonly clock?: () => number
}

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

export const EXPLORE_DEFAULTS = {
  title: 'exploration',
  strategy: 'portfolio',
  iterations: 2_000,
  timeBudgetMs: 10_000,
  seed: 1,
  depth: 3,
  maxSteps: 10_000,
  latenessMs: 1_000,
  shrink: true,
} as const

const BURST_MS = 50

/** Explores a closure of this thread. Throws {@link RaceFound} when a schedule breaks it. */
export function explore(body: RaceBody, options: ExploreOptions = {}): Promise<ExploreResult> {
  const maxSteps = options.maxSteps ?? EXPLORE_DEFAULTS.maxSteps
  const latenessUs = (options.latenessMs ?? EXPLORE_DEFAULTS.latenessMs) * 1_000
  if (options.everyAwait !== undefined && options.everyAwait !== false) {
    throw new UsageError(
      'ERR_WAVETANK_EVERY_AWAIT',
      'explore: everyAwait rewrites files as they are loaded; a closure is loaded already. Declare the body with race() in a file.',
    )
  }
  const environment = bareEnvironment(body)
  const program: RaceProgram = (schedule) =>
    new RaceRun({ ...schedule, environment, maxSteps, latenessUs }).execute()
  return exploreProgram(program, options)
}

/** Explores anything that can be run again and again. */
export async function exploreProgram(program: RaceProgram, options: ExploreOptions): Promise<ExploreResult> {
  const settings = { ...EXPLORE_DEFAULTS, ...options }
  const strategy = strategyOf(settings.strategy, settings.depth)
  const clock = options.clock ?? (() => 0)
  const begunMs = clock()
  const endAt = begunMs + settings.timeBudgetMs
  const schedulesBy: Record<string, number> = {}
  let iteration = 0
  let steps = 0
  let failing: RaceRunResult | null = null
  const done = () =>
    iteration >= settings.iterations || strategy.exhausted === true || clock() >= endAt || failing !== null
  while (!done()) {
    await macrotask(() => {
      const burstEnd = clock() + BURST_MS
      do {
        iteration++
        const result = program({ seed: iterationSeed(settings.seed, iteration), strategy, record: false })
        steps += result.steps
        const by = strategy.member ?? strategy.name
        schedulesBy[by] = (schedulesBy[by] ?? 0) + 1
        if (result.failure !== null) failing = result
      } while (!done() && clock() < burstEnd)
    })
  }
  if (failing === null) {
    const done = { iterations: iteration, steps, schedulesBy, wallMs: clock() - begunMs }
    return summarise(strategy, done, settings)
  }
  const { title, iterations, shrink } = settings
  const seed = iterationSeed(settings.seed, iteration)
  const discovery = { title, iteration, iterations, seed, strategy: strategy.name }
  const { choices } = failing as RaceRunResult
  const finding = await macrotask(() => investigate(program, discovery, choices, { shrink }))
  throw new RaceFound(finding, findingText(finding))
}

function strategyOf(strategy: StrategyName | ExploreStrategy, depth: number): ExploreStrategy {
  if (typeof strategy !== 'string') return strategy
  const make = STRATEGIES[strategy]
  if (make === undefined) {
    throw new UsageError(
      'ERR_WAVETANK_STRATEGY',
      `explore: there is no strategy "${strategy as string}"; choose one of ${Object.keys(STRATEGIES).join(', ')}`,
    )
  }
  return make({ depth })
}

function summarise(
  strategy: ExploreStrategy,
  done: Pick<ExploreResult, 'iterations' | 'steps' | 'schedulesBy' | 'wallMs'>,
  { iterations, timeBudgetMs }: Required<Pick<ExploreOptions, 'iterations' | 'timeBudgetMs'>>,
): ExploreResult {
  const exhausted = strategy.exhausted === true
  const outOfTime = !exhausted && done.iterations < iterations
  const { schedules, bounded } = strategy as Partial<Dfs>
  const summary = exhausted
    ? `all ${schedules} schedules${bounded === true ? ' within the bound' : ''} hold`
    : outOfTime
      ? `${done.iterations} schedules hold; the time budget of ${timeBudgetMs} ms ended before ${iterations}`
      : `${done.iterations} schedules hold`
  return { ...done, strategy: strategy.name, exhausted, outOfTime, summary }
}
