/**
 * What a review finds: one place in a source file that breaks replay, hides a bug, or lies outside what the tank can
 * control. Plain data; `report/review-text.ts` makes text of it.
 */

/**
 * - `block`: the tank cannot run it, or a run with it does not repeat.
 * - `warn`: it loses data, hides a failure or breaks under an order that Node can produce.
 * - `info`: it is often right, and worth a look.
 */
export type Severity = 'block' | 'warn' | 'info'

export const SEVERITIES: readonly Severity[] = ['block', 'warn', 'info']

/** Where something begins in a file; both are counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface ReviewFinding extends Position {
  readonly rule: string
  readonly severity: Severity
  readonly file: string
  /** What stands there, in one sentence. */
  readonly found: string
  /** Why it matters. */
  readonly why: string
  /** What to write instead. */
  readonly fix: string
}

/** A finding that a comment in the source accepts, with the reason that it gives. */
export interface Suppressed {
  readonly finding: ReviewFinding
  readonly reason: string
}

/** A file that could not be reviewed. */
export interface Unread {
  readonly file: string
  readonly reason: string
}

export interface ReviewResult {
  readonly version: 1
  readonly files: number
  readonly lines: number
  readonly findings: readonly ReviewFinding[]
  readonly suppressed: readonly Suppressed[]
  readonly unread: readonly Unread[]
}
