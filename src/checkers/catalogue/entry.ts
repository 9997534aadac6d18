/**
 * What the catalogue says about a checker, a model or a condition of consistency. Loading is lazy: a small question
 * must not wait for the files of all others.
 */
import type { History } from '../../history/history.ts'
import type { AnyModel } from '../linearizable/model.ts'
import { parseOptions, type OptionRule, type OptionSchema } from '../options.ts'
import type { CheckResult } from '../result.ts'

/** The namespaces of `wavetank/checkers` that hold checkers of a history alone. */
export type Family = 'objects' | 'promises' | 'service' | 'transactions' | 'isolation'

/** Options from outside: JSON of a command line, say. */
export type GivenOptions = Readonly<Record<string, unknown>>

export interface LoadedChecker {
  /** The function itself, as `wavetank/checkers` exports it. */
  readonly function: unknown
  readonly options: Readonly<Record<string, OptionRule>>
  /** Checks the options first: a wrong one is a `UsageError`. */
  check(history: History, options: GivenOptions): CheckResult
}

export interface CheckerEntry {
  readonly name: string
  readonly family: Family
  readonly question: string
  /** Functions and reads that count, for the page; Markdown. */
  readonly looksAt: string
  /** Names of anomalies, for the page; Markdown. */
  readonly anomalies: string
  load(): Promise<LoadedChecker>
}

export interface LoadedModel {
  readonly function: unknown
  readonly options: Readonly<Record<string, OptionRule>>
  make(options: GivenOptions): AnyModel
}

export interface ModelEntry {
  readonly name: string
  /** Functions that the model knows, for the page; Markdown. */
  readonly functions: string
  /** What a null means to it, where that is not plain. */
  readonly note?: string
  load(): Promise<LoadedModel>
}

/** A condition that an object may meet: linearizability, or something weaker. */
export interface ConsistencyEntry {
  readonly name: string
  readonly question: string
  readonly anomalies: string
  /** Any model, or only those of a register; the latter need written values to be distinct. */
  readonly of: 'any model' | 'registers'
  load(): Promise<LoadedConsistency>
}

export interface LoadedConsistency {
  readonly function: unknown
  readonly options: Readonly<Record<string, OptionRule>>
  check(history: History, model: AnyModel, options: GivenOptions): CheckResult
}

type Check<Options> = (history: History, options: Options) => CheckResult

export const NO_OPTIONS: OptionSchema<object> = {}

export function checker<Options extends object>(
  name: string,
  check: Check<Options>,
  schema: OptionSchema<Options>,
): LoadedChecker {
  return {
    function: check,
    options: schema,
    check: (history, options) => check(history, parseOptions(name, schema, options)),
  }
}

export function model<Options extends object>(
  name: string,
  make: (options: Options) => AnyModel,
  schema: OptionSchema<Options>,
): LoadedModel {
  return { function: make, options: schema, make: (options) => make(parseOptions(name, schema, options)) }
}

/** A condition on any object: the model says what the object is. */
export function condition<Options extends object>(
  name: string,
  check: (history: History, model: AnyModel, options: Options) => CheckResult,
  schema: OptionSchema<Options>,
): LoadedConsistency {
  return {
    function: check,
    options: schema,
    check: (history, object, options) => check(history, object, parseOptions(name, schema, options)),
  }
}

/** A condition on registers; `fixed` are options that its name stands for. */
export function registerCondition<Options extends object>(
  name: string,
  check: Check<Options>,
  schema: OptionSchema<Options>,
  fixed: GivenOptions = {},
): LoadedConsistency {
  return {
    function: check,
    options: schema,
    check: (history, _, options) => check(history, parseOptions(name, schema, { ...fixed, ...options })),
  }
}
