/**
 * Checkers made of checkers. The worst verdict decides: invalid over unknown over valid; failing parts come first.
 */
import type { History } from '../history/history.ts'
import { show } from '../history/value.ts'
import { worst, type Checker, type CheckResult, type Verdict } from './result.ts'

/** Asks several questions of one history; the parts of the result have the names given here. */
export function combine(checkers: Readonly<Record<string, Checker>>, name = 'all'): Checker {
  return (history) => {
    const parts = Object.entries(checkers).map(([checker, check]) => ({ ...check(history), checker }))
    return composed(name, history, parts, Math.max(0, ...operationsOf(parts)))
  }
}

/** Asks one question of every key's part of a history; a part's result has its key in `details.key`. */
export function perKey(check: Checker, name = 'per key'): Checker {
  return (history) => eachKey(history, check, name)
}

function eachKey<Details extends object>(
  history: History,
  check: (part: History) => CheckResult<Details>,
  name: string,
): CheckResult<Details> {
  const parts = [...history.byKey()].map(([key, part]) => {
    const result = check(part)
    return { ...result, checker: `${result.checker} ${show(key)}`, details: { ...result.details, key } }
  })
  const operations = operationsOf(parts).reduce((sum, count) => sum + count, 0)
  return composed<Details>(name, history, parts, operations)
}

/**
 * For a checker of one object: where a history has several (operations of these functions have different keys), asks
 * of each; null where it has one.
 */
export function ofEachObject<Details extends object>(
  history: History,
  functions: readonly string[],
  check: (part: History) => CheckResult<Details>,
  name: string,
): CheckResult<Details> | null {
  const wanted = new Set(functions.map((f) => history.functionIndex(f)))
  let key = -1
  for (let i = 0; i < history.length; i++) {
    if (!wanted.has(history.f[i])) continue
    if (key >= 0 && history.key[i] !== key) {
      return eachKey(
        history.filter((position) => wanted.has(history.f[position])),
        check,
        name,
      )
    }
    key = history.key[i]
  }
  return null
}

const ORDER: Readonly<Record<Verdict, number>> = { invalid: 0, unknown: 1, valid: 2 }

function operationsOf(parts: readonly CheckResult[]): number[] {
  return parts.map(({ scope }) => scope.operations)
}

/** Anomalies that a composed result repeats; all of them are in its parts. */
const REPEATED_ANOMALIES = 100

function composed<Details extends object>(
  checker: string,
  history: History,
  parts: readonly CheckResult[],
  operations: number,
): CheckResult<Details> {
  const sorted = [...parts].sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict])
  const verdict = sorted.reduce<Verdict>(
    (sum, part) => worst(sum, part.verdict),
    sorted[0]?.verdict ?? 'unknown',
  )
  const functions = new Set(sorted.flatMap(({ scope }) => scope.functions))
  const unknown = sorted.find((part) => part.verdict === 'unknown')
  const reason =
    sorted.length === 0 ? 'there was nothing to check' : `${unknown?.checker}: ${unknown?.reason}`
  return {
    checker,
    verdict,
    reason: verdict === 'unknown' ? reason : null,
    scope: { operations, ignored: history.length - operations, functions: [...functions] },
    checks: sorted.reduce((sum, part) => sum + part.checks, 0),
    anomalies: sorted.flatMap(({ anomalies }) => anomalies).slice(0, REPEATED_ANOMALIES),
    method: null,
    assumptions: [...new Set(sorted.flatMap(({ assumptions }) => assumptions))],
    details: {} as Partial<Details>,
    parts: sorted,
  }
}
