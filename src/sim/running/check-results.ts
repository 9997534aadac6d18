/**
 * What a `check` returned: nothing, a result of a checker, or a list of results. A simulation may make a result itself;
 * one that lacks a member is a mistake of the simulation, and is said before a report stumbles over it.
 */
import { inspect } from 'node:util'
import type { Anomaly, CheckResult } from '../../checkers/result.ts'

export interface ReturnedResults {
  /** Empty if something is wrong. */
  readonly results: readonly CheckResult[]
  /** Null if everything is a result. */
  readonly wrong: string | null
}

export function resultsOf(returned: unknown): ReturnedResults {
  const results: unknown[] = returned === undefined ? [] : Array.isArray(returned) ? returned : [returned]
  for (const result of results) {
    const wrong = mistakeOf(result, returned)
    if (wrong !== null) return { results: [], wrong }
  }
  return { results: results as CheckResult[], wrong: null }
}

function mistakeOf(result: unknown, returned: unknown): string | null {
  const { checker, verdict } = (result ?? {}) as Partial<CheckResult>
  if (typeof checker !== 'string' || verdict === undefined) {
    const what = inspect(returned, { depth: 0 })
    return `check: expected nothing, a result of a checker or a list of results, and got ${what}; throw if a promise is broken`
  }
  const wrong = Object.entries(MEMBERS)
    .filter(([name, fits]) => !fits((result as Record<string, unknown>)[name]))
    .map(([name]) => name)
  if (wrong.length === 0) return null
  return `check: in the result of the checker '${checker}', what is missing or of another type: ${wrong.join(', ')}; \`conclude\` of wavetank/checkers makes a whole result`
}

type Fits = (value: unknown) => boolean

const isText: Fits = (value) => typeof value === 'string'
const isNumber: Fits = (value) => typeof value === 'number'
const isTextOrNull: Fits = (value) => value === null || isText(value)
const isObject: Fits = (value) => typeof value === 'object' && value !== null
const isListOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.every(fits)

const isScope: Fits = (value) => {
  const { operations, ignored, functions } = (value ?? {}) as Partial<CheckResult['scope']>
  return isNumber(operations) && isNumber(ignored) && isListOf(isText)(functions)
}

const isAnomaly: Fits = (value) => {
  const { type, message, operations } = (value ?? {}) as Partial<Anomaly>
  return isText(type) && isText(message) && isListOf(isNumber)(operations)
}

const isResult: Fits = (value) =>
  isObject(value) &&
  Object.entries(MEMBERS).every(([name, fits]) => fits((value as Record<string, unknown>)[name]))

const MEMBERS: Readonly<Record<keyof CheckResult, Fits>> = {
  checker: isText,
  verdict: (value) => value === 'valid' || value === 'invalid' || value === 'unknown',
  reason: isTextOrNull,
  scope: isScope,
  checks: isNumber,
  anomalies: isListOf(isAnomaly),
  method: isTextOrNull,
  assumptions: isListOf(isText),
  details: isObject,
  parts: isListOf((part) => isResult(part)),
}
