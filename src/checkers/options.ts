/**
 * Options of checkers, as data: what each accepts and what it means. A checker keeps its schema beside its code; the
 * command line, the page docs/checkers.md and the errors come from it. TypeScript demands an entry for every option,
 * so that none can be forgotten.
 *
 * An option that no schema knows, or a value that cannot be meant, is the caller's mistake: a `UsageError` that names
 * the nearest option. A silently ignored option would change the question without a word.
 */
import { UsageError } from '../kernel/errors.ts'
import * as expectation from '../kernel/expectation.ts'
import { checkFields, type Expectation } from '../kernel/expectation.ts'
import { Budget, type BudgetOptions } from './budget.ts'

/** One option: what it accepts and what it means. */
export interface OptionRule extends Expectation {
  readonly about: string
  /** True: it has no default. */
  readonly required?: boolean
}

export type OptionSchema<Options> = { readonly [Name in keyof Options]-?: OptionRule }

/** Throws a `UsageError` for an unknown option or an impossible value; `undefined` counts as not given. */
export function checkOptions<Options extends object>(
  checker: string,
  schema: OptionSchema<Options>,
  options: Options,
): void {
  const complain = (what: string): UsageError =>
    new UsageError('ERR_WAVETANK_CHECKER_OPTIONS', `${checker}: ${what}`)
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw complain('expected an object with options')
  const rules: Readonly<Record<string, OptionRule>> = schema
  const names = Object.keys(rules)
  if (names.length === 0) {
    const [given] = Object.keys(options)
    if (given !== undefined) throw complain(`there is no option "${given}"; this checker has none`)
    return
  }
  const required = names.filter((name) => rules[name].required === true)
  checkFields(options, rules, '', complain, { required, renamed: { timeoutMs: 'timeoutWallMs' } })
}

/** Options from outside, such as a JSON text: checked, and then of the checker's own type. */
export function parseOptions<Options extends object>(
  checker: string,
  schema: OptionSchema<Options>,
  options: Readonly<Record<string, unknown>>,
): Options {
  const parsed = options as Options
  checkOptions(checker, schema, parsed)
  return parsed
}

type Rule = (about: string) => OptionRule

const rule =
  (expected: Expectation): Rule =>
  (about) => ({ ...expected, about })

/** The name of a function of the history. */
export function named(role: string, byDefault: string): OptionRule {
  return { ...expectation.text, about: `the function that ${role}; \`${byDefault}\` by default` }
}

export const flag = rule(expectation.flag)
export const names = rule(expectation.listOf(expectation.text))
/** A whole number from 1. */
export const count = rule(expectation.atLeast(1))
/** A number from 0: microseconds, ratios, rates. */
export const amount = rule(expectation.number(0))
export const share = rule(expectation.fraction)
export const anything = rule(expectation.anything)
export const callback = rule(expectation.aFunction)
export const record = rule(expectation.recordOf(expectation.anything))

export const number = rule({ expected: 'a number', isMet: Number.isFinite })

/** Milliseconds or megabytes of which there must be some. */
export const limit = rule({
  expected: 'a number above 0',
  isMet: (value) => typeof value === 'number' && value > 0,
})

export function oneOf(values: readonly string[]): Rule {
  return rule(expectation.oneOf(...values))
}

/** Some of these names. */
export function listOf(values: readonly string[]): Rule {
  return rule(expectation.listOf(expectation.oneOf(...values)))
}

export function required(option: OptionRule): OptionRule {
  return { ...option, required: true }
}

/** One rule or another; the first says what it is about. */
export function either(...rules: readonly [OptionRule, ...OptionRule[]]): OptionRule {
  return { ...expectation.either(...rules), about: rules[0].about }
}

/** Limits, for every checker whose work is not linear in the history. */
export const LIMIT_OPTIONS: OptionSchema<BudgetOptions> = {
  timeoutWallMs: limit('wall time of the host after which the answer is `unknown`; 60,000 by default'),
  memoryMb: limit('megabytes that the check may take before the answer is `unknown`; 1,024 by default'),
  budget: {
    expected: 'a Budget',
    isMet: (value) => value instanceof Budget,
    about: 'the budget of a larger check that this one is part of',
  },
}
