/**
 * Assertions for any code in the tank: the program, the workload, a check. They record and go on, and outside the tank
 * they do nothing at all. Promises (`always…`, `unreachable`) fail the run; hopes (`sometimes…`, `reachable`) say over a
 * whole campaign whether the interesting thing ever happened: a test that never met a leader change proves nothing
 * about leader changes.
 *
 * The message is the assertion's identity, so it is a constant; what varies goes into `details`.
 */
import type { AssertionKind, Relation } from './assertion-table.ts'
import { currentRun } from '../running/current-run.ts'

function promise(kind: AssertionKind, condition: boolean, message: string, details: unknown): void {
  const run = currentRun()
  if (run === null) return
  run.assertions.evaluate(kind, message, condition)
  if (!condition) run.fail('assertion', message, `${kind} '${message}' was false`, evidence(details))
}

function numeric(
  kind: 'always' | 'sometimes',
  left: number,
  relation: Relation,
  right: number,
  message: string,
): void {
  const run = currentRun()
  if (run === null) return
  const holds = run.assertions.evaluateNumeric(kind, message, left, relation, right)
  if (!holds && kind === 'always') {
    run.fail(
      'assertion',
      message,
      `always '${message}': ${left} ${relation} ${right} is false`,
      evidence({ left, right }),
    )
  }
}

function evidence(details: unknown): { stack: string | null; details: unknown } {
  return { stack: new Error('assertion').stack ?? null, details }
}

/** True whenever it is reached, and reached in some seed. */
export function always(condition: boolean, message: string, details: unknown = null): void {
  promise('always', condition, message, details)
}

/** True whenever it is reached; it need not be reached. */
export function alwaysOrUnreachable(condition: boolean, message: string, details: unknown = null): void {
  promise('always-or-unreachable', condition, message, details)
}

/** True at least once over all seeds. */
export function sometimes(condition: boolean, message: string): void {
  currentRun()?.assertions.evaluate('sometimes', message, condition)
}

/** Reached at least once over all seeds. */
export function reachable(message: string): void {
  currentRun()?.assertions.evaluate('reachable', message, true)
}

/** Never reached. */
export function unreachable(message: string, details: unknown = null): void {
  const run = currentRun()
  if (run === null) return
  run.assertions.evaluate('unreachable', message, false)
  run.fail('assertion', message, `unreachable '${message}' was reached`, evidence(details))
}

export function alwaysLessThan(left: number, right: number, message: string): void {
  numeric('always', left, '<', right, message)
}
export function alwaysAtMost(left: number, right: number, message: string): void {
  numeric('always', left, '≤', right, message)
}
export function alwaysGreaterThan(left: number, right: number, message: string): void {
  numeric('always', left, '>', right, message)
}
export function alwaysAtLeast(left: number, right: number, message: string): void {
  numeric('always', left, '≥', right, message)
}
export function sometimesLessThan(left: number, right: number, message: string): void {
  numeric('sometimes', left, '<', right, message)
}
export function sometimesAtMost(left: number, right: number, message: string): void {
  numeric('sometimes', left, '≤', right, message)
}
export function sometimesGreaterThan(left: number, right: number, message: string): void {
  numeric('sometimes', left, '>', right, message)
}
export function sometimesAtLeast(left: number, right: number, message: string): void {
  numeric('sometimes', left, '≥', right, message)
}

/** All named conditions true at the same time, at least once over all seeds. */
export function sometimesAll(message: string, conditions: Readonly<Record<string, boolean>>): void {
  currentRun()?.assertions.evaluateAll(message, conditions)
}

/** Counts the combinations of values that were seen: which of them ever happened? */
export function sometimesEach(
  message: string,
  keys: Readonly<Record<string, string | number | boolean>>,
): void {
  currentRun()?.assertions.evaluateEach(message, keys)
}
