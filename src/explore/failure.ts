/**
 * What can go wrong in an explored run, as data. The category is what shrinking keeps: a shorter schedule counts only if
 * it fails in the same way.
 */
import { inspect } from 'node:util'

export type FailureCategory =
  /** `t.assert` was false. */
  | 'assertion'
  /** The body threw or rejected. */
  | 'exception'
  /** Something nobody waited for threw or rejected. */
  | 'uncaught'
  /** Nobody can move and the body is not done. */
  | 'deadlock'
  /** The run took more steps than allowed. */
  | 'step-limit'
  /** The run took more virtual time than allowed. */
  | 'time-limit'

export interface RaceFailure {
  readonly category: FailureCategory
  /** Category and, for exceptions, the error's name or code: failures with equal keys are the same to the shrinker. */
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
  category: FailureCategory,
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
    key: actual === 'exception' || actual === 'uncaught' ? `${actual} ${detail}` : actual,
    message,
    stack: error instanceof Error && typeof error.stack === 'string' ? relative(error.stack) : null,
    step,
  }
}
