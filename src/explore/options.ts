/** What an exploration can be told, what it does without being told, and what cannot be meant. */
import { inspect } from 'node:util'
import { UsageError } from '../kernel/errors.ts'
import type { EveryAwait } from './every-await.ts'
import type { StrategyName } from './strategies/index.ts'
import type { ExploreStrategy } from './strategy.ts'

export interface ExploreOptions {
  readonly title?: string
  /** The folder of `.wavetank/races` in which the finding of a race is kept; named after its file by default. */
  readonly suite?: string
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
  /** Virtual milliseconds that the body may take in a run; any by default. */
  readonly timeoutMs?: number
  /**
   * How late anything may be, in virtual milliseconds: a timer, an answer, a file operation. Two events can change places
   * if they are due within so much of each other; with the default, a time-out of half a second may beat an answer of
   * ten milliseconds, one of five seconds may not.
   */
  readonly latenessMs?: number
  /** Makes each `await` in the project's files, or in the files named, a scheduling point; only for races in files. */
  readonly everyAwait?: EveryAwait
  /**
   * What one `write` sends over a socket or a pipe may arrive in two pieces, as it does on real networks now and then, for
   * programs that must not take a piece for a message; off by default, only for races in files.
   */
  readonly splitWrites?: boolean
  /**
   * Threads that run schedules, the one at hand among them; 1 by default, only for races in files. What is found depends
   * on how many there are, and on nothing that they do in time. What goes through schedules in order, `dfs` and any
   * strategy that is not given by its name, has one thread whatever is said here.
   */
  readonly jobs?: number
  /** Shrink what is found; on by default. */
  readonly shrink?: boolean
  /** Milliseconds since some origin, for the time budget only. */
  readonly clock?: () => number
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

/** What must be known of an exploration to run one of its schedules again, in another thread or later. */
export type RunOptions = Required<Pick<ExploreOptions, 'maxSteps' | 'latenessMs'>> &
  Pick<ExploreOptions, 'timeoutMs' | 'everyAwait' | 'splitWrites'>

export function runOptionsOf(options: ExploreOptions): RunOptions {
  const { maxSteps, timeoutMs, latenessMs, everyAwait, splitWrites } = { ...EXPLORE_DEFAULTS, ...options }
  return { maxSteps, timeoutMs, latenessMs, everyAwait, splitWrites }
}

/** What a run may take, and how late anything may be in it. */
export interface RunLimits {
  readonly maxSteps: number
  /** Virtual time from the beginning of the body. */
  readonly timeoutUs?: number | undefined
  readonly latenessUs: number
}

export function limitsOf({ maxSteps, timeoutMs, latenessMs }: ExploreOptions): RunLimits {
  return {
    maxSteps: maxSteps ?? EXPLORE_DEFAULTS.maxSteps,
    timeoutUs: timeoutMs === undefined ? undefined : timeoutMs * 1_000,
    latenessUs: (latenessMs ?? EXPLORE_DEFAULTS.latenessMs) * 1_000,
  }
}

interface Expectation {
  readonly expected: string
  readonly isMet: (value: unknown) => boolean
}

const text: Expectation = {
  expected: 'a text that is not empty',
  isMet: (value) => typeof value === 'string' && value !== '',
}

function counted(least: number): Expectation {
  return {
    expected: `a whole number from ${least}, or Infinity`,
    isMet: (value) => value === Infinity || (Number.isSafeInteger(value) && (value as number) >= least),
  }
}

const milliseconds: Expectation = {
  expected: 'a number of milliseconds, 0 or more',
  isMet: (value) => typeof value === 'number' && value >= 0,
}

const flag: Expectation = { expected: 'true or false', isMet: (value) => typeof value === 'boolean' }

const whole: Expectation = { expected: 'a whole number', isMet: Number.isSafeInteger }

/** Names of strategies and numbers of threads are looked at where they are used. */
const anything: Expectation = { expected: 'anything', isMet: () => true }

const EXPECTATIONS: Readonly<Record<keyof ExploreOptions, Expectation>> = {
  title: text,
  suite: text,
  strategy: anything,
  iterations: counted(1),
  timeBudgetMs: milliseconds,
  seed: whole,
  depth: counted(1),
  maxSteps: counted(1),
  timeoutMs: milliseconds,
  latenessMs: milliseconds,
  everyAwait: {
    expected: 'true, false or a list of files and folders',
    isMet: (value) => typeof value === 'boolean' || Array.isArray(value),
  },
  splitWrites: flag,
  jobs: anything,
  shrink: flag,
  clock: { expected: 'a function', isMet: (value) => typeof value === 'function' },
}

/** The options that are set; an error, with the name of whoever was given them, where one cannot be meant. */
export function checkedOptions(options: ExploreOptions, by: string): ExploreOptions {
  if (typeof options !== 'object' || options === null)
    throw wrong(by, `expected options, and got ${inspect(options)}`)
  const set = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name, value] of set) {
    if (!Object.hasOwn(EXPECTATIONS, name)) throw wrong(by, `there is no option "${name}"${meant(name)}`)
    const { expected, isMet } = EXPECTATIONS[name as keyof ExploreOptions]
    if (!isMet(value)) throw wrong(by, `${name}: expected ${expected}, and got ${inspect(value)}`)
  }
  return Object.fromEntries(set)
}

function meant(name: string): string {
  const names = Object.keys(EXPECTATIONS)
  const lower = name.toLowerCase()
  const near = names.find((known) => {
    const other = known.toLowerCase()
    return other.startsWith(lower) || lower.startsWith(other)
  })
  return near === undefined ? `; there are ${names.join(', ')}` : `; did you mean "${near}"?`
}

function wrong(by: string, text: string): UsageError {
  return new UsageError('ERR_WAVETANK_OPTIONS', `${by}: ${text}`)
}
