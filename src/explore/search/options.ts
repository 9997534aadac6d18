/**
 * The options of an exploration, their defaults and their validation. A duration says which clock it is of: `…VirtualMs`
 * is time in the world, `…WallMs` real time.
 */
import { inspect } from 'node:util'
import { UsageError } from '../../kernel/errors.ts'
import { didYouMean, isObject } from '../../kernel/expectation.ts'
import type { EveryAwait } from '../authoring/every-await.ts'
import type { StrategyName } from './strategies/index.ts'
import type { ExploreStrategy } from './strategy.ts'

export interface ExploreOptions {
  readonly title?: string
  /** The folder of `.wavetank/races` in which the finding of a race is kept; named after its file by default. */
  readonly suite?: string
  readonly strategy?: StrategyName | ExploreStrategy
  /** The greatest number of runs. */
  readonly iterations?: number
  /**
   * Real milliseconds at most; the exploration ends when this or `iterations` is reached. Shrinking and explaining a finding
   * may take as long again.
   */
  readonly budgetWallMs?: number
  /** The seed of the exploration; each run has a seed of its own, made of this one and the run's number. */
  readonly seed?: number
  /** The bug depth for PCT and its relatives. */
  readonly depth?: number
  /** Steps a run may take. */
  readonly maxSteps?: number
  /** Virtual milliseconds that the body may take in a run; an hour by default for races in files, else unlimited. */
  readonly timeoutVirtualMs?: number
  /**
   * How late anything may be, in virtual milliseconds: a timer, an answer, a file operation. Two events can change places
   * if they are due within this time of each other. With the default, a time-out of half a second may beat an answer of
   * ten milliseconds; a time-out of five seconds may not.
   */
  readonly latenessVirtualMs?: number
  /**
   * How long processes may stall in a schedule, in virtual milliseconds and all stalls together: 50 by default, 0 for
   * never. A stall is time that passes before a callback runs, such as a garbage collection. Only for races in files.
   */
  readonly stallVirtualMs?: number
  /** Makes each `await` in the project's files, or in the given ones, a scheduling point; only for races in files. */
  readonly everyAwait?: EveryAwait
  /**
   * The bytes of one `write` to a socket or a pipe may arrive in two pieces, as they sometimes do on real networks: for
   * programs that must not take a piece for a message. Off by default, only for races in files.
   */
  readonly splitWrites?: boolean
  /** Packages whose native addons may be loaded, if they only compute: `['bcrypt']`; only for races in files. */
  readonly addons?: readonly string[]
  /**
   * Modules to load in place of packages or builtins, by name: `{ sqlite: './stub.ts' }`, relative to the file of the race;
   * only for races in files.
   */
  readonly externals?: Readonly<Record<string, string>>
  /**
   * Threads that run schedules, including the test's own; 1 by default, only for races in files. The finding depends on
   * their number, never on their speed. `dfs`, and any strategy passed as an object, always runs in one thread, whatever
   * `jobs` says.
   */
  readonly jobs?: number
  /** Hold although a `t.sometimes` was never true, or every task failed in every schedule; off by default. */
  readonly allowGaps?: boolean
  /** Shrink the failing schedule; on by default. */
  readonly shrink?: boolean
  /** Milliseconds since some origin, for the time budget only. */
  readonly clock?: () => number
}

export const EXPLORE_DEFAULTS = {
  title: 'exploration',
  strategy: 'portfolio',
  iterations: 2_000,
  budgetWallMs: 10_000,
  seed: 1,
  depth: 3,
  maxSteps: 10_000,
  latenessVirtualMs: 1_000,
  shrink: true,
} as const

/**
 * Virtual milliseconds for the body of a race in a file. Without a limit, a task that waits forever beside a keep-alive timer
 * would take all of `maxSteps`, and shrinking as many runs of that length.
 */
export const TIMEOUT_IN_FILES_VIRTUAL_MS = 3_600_000

/**
 * Virtual milliseconds of stalls in a schedule of a race in a file: a long collection. Tests that leave less time than that
 * between two deadlines fail now and then on every busy machine.
 */
export const STALL_IN_FILES_VIRTUAL_MS = 50

/** The options that are needed to run a schedule again, in another thread or later. */
export type RunOptions = Required<Pick<ExploreOptions, 'maxSteps' | 'latenessVirtualMs'>> &
  Pick<
    ExploreOptions,
    'timeoutVirtualMs' | 'stallVirtualMs' | 'everyAwait' | 'splitWrites' | 'addons' | 'externals'
  >

export function runOptionsOf(options: ExploreOptions): RunOptions {
  const { maxSteps, timeoutVirtualMs, latenessVirtualMs, stallVirtualMs, ...rest } = {
    ...EXPLORE_DEFAULTS,
    ...options,
  }
  const { everyAwait, splitWrites, addons, externals } = rest
  return {
    maxSteps,
    timeoutVirtualMs,
    latenessVirtualMs,
    stallVirtualMs,
    everyAwait,
    splitWrites,
    addons,
    externals,
  }
}

/** The limits of a run, and how late anything may be in it. */
export interface RunLimits {
  readonly maxSteps: number
  /** Virtual time from the beginning of the body. */
  readonly timeoutUs?: number | undefined
  readonly latenessUs: number
  /** How long stalls may take together; undefined if there is nothing that could stall. */
  readonly stallUs?: number | undefined
}

export function limitsOf(options: ExploreOptions): RunLimits {
  const { maxSteps, timeoutVirtualMs, latenessVirtualMs, stallVirtualMs } = options
  return {
    maxSteps: maxSteps ?? EXPLORE_DEFAULTS.maxSteps,
    timeoutUs: timeoutVirtualMs === undefined ? undefined : timeoutVirtualMs * 1_000,
    latenessUs: (latenessVirtualMs ?? EXPLORE_DEFAULTS.latenessVirtualMs) * 1_000,
    stallUs: stallVirtualMs === undefined ? undefined : stallVirtualMs * 1_000,
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

/** Strategies and numbers of threads are checked where they are used. */
const anything: Expectation = { expected: 'anything', isMet: () => true }

const EXPECTATIONS: Readonly<Record<keyof ExploreOptions, Expectation>> = {
  title: text,
  suite: text,
  strategy: anything,
  iterations: counted(1),
  budgetWallMs: milliseconds,
  seed: whole,
  depth: counted(1),
  maxSteps: counted(1),
  timeoutVirtualMs: milliseconds,
  latenessVirtualMs: milliseconds,
  stallVirtualMs: milliseconds,
  everyAwait: {
    expected: 'true, false or a list of files and folders',
    isMet: (value) => typeof value === 'boolean' || Array.isArray(value),
  },
  splitWrites: flag,
  addons: {
    expected: "a list of package names, such as ['bcrypt']",
    isMet: (value) => Array.isArray(value) && value.every(text.isMet),
  },
  externals: {
    expected: "an object of module paths by name, such as { sqlite: './stub.ts' }",
    isMet: (value) => isObject(value) && Object.values(value).every(text.isMet),
  },
  jobs: anything,
  allowGaps: flag,
  shrink: flag,
  clock: { expected: 'a function', isMet: (value) => typeof value === 'function' },
}

/** The names of all options. */
export const OPTION_NAMES = Object.keys(EXPECTATIONS)

/** Options of earlier versions. */
const RENAMED: Readonly<Record<string, keyof ExploreOptions>> = {
  timeBudgetMs: 'budgetWallMs',
  timeoutMs: 'timeoutVirtualMs',
  latenessMs: 'latenessVirtualMs',
}

/** The options that are set. Throws if a name or a value is wrong; `by` is the function that was given the options. */
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
  if (Object.hasOwn(RENAMED, name)) return `; it is called "${RENAMED[name]}"`
  return didYouMean(name, OPTION_NAMES)
}

function wrong(by: string, text: string): UsageError {
  return new UsageError('ERR_WAVETANK_OPTIONS', `${by}: ${text}`)
}
