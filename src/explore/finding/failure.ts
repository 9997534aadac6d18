/**
 * The failure of an explored run, as data. Shrinking keeps the key: a shorter schedule counts only if it fails in the same
 * way.
 */
import { inspect } from 'node:util'
import { messageShape } from '../../kernel/message-shape.ts'

export type RaceFailureCategory =
  /** `t.assert` was false. */
  | 'assertion'
  /** The body threw or rejected. */
  | 'exception'
  /** Code that no task waited for threw or rejected. */
  | 'uncaught'
  /** No task can go on and the body is not done. */
  | 'deadlock'
  /** The run took more steps than allowed. */
  | 'step-limit'
  /** The run took more virtual time than allowed. */
  | 'time-limit'

export interface RaceFailure {
  readonly category: RaceFailureCategory
  /**
   * The identity of the bug: category, shape of the message and, for exceptions, the error's name or code. Failures with
   * equal keys are one bug to the shrinker.
   */
  readonly key: string
  readonly message: string
  /** The error's stack, source-mapped, where there is one. */
  readonly stack: string | null
  /** The step at which it showed. */
  readonly step: number
}

/** Thrown by `t.assert`. */
export class RaceAssertionError extends Error {
  override readonly name = 'RaceAssertionError'
  readonly code = 'ERR_WAVETANK_ASSERTION'
}

/** `relative` takes the project's folder out of paths. */
export function failureOf(
  category: RaceFailureCategory,
  error: unknown,
  step: number,
  relative: (text: string) => string = (text) => text,
): RaceFailure {
  const actual = error instanceof RaceAssertionError ? 'assertion' : category
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : inspect(error)
  const code = (error as { code?: unknown } | null)?.code
  const detail = typeof code === 'string' ? code : error instanceof Error ? error.name : typeof error
  return {
    category: actual,
    key: keyOf(actual, detail, message),
    message,
    stack: error instanceof Error && typeof error.stack === 'string' ? relative(error.stack) : null,
    step,
  }
}

/** Messages of detectors name the tasks that wait, and their words depend on how closely the run is looked at. */
function keyOf(category: RaceFailureCategory, detail: string, message: string): string {
  switch (category) {
    case 'assertion':
      return `assertion: ${messageShape(message)}`
    case 'exception':
    case 'uncaught':
      return `${category} ${detail}: ${messageShape(message)}`
    default:
      return category
  }
}
