/**
 * What is wrong with a history as such, before any checker looks at it. Problems are data: a history with problems
 * can still be checked, and a checker says when they make it too weak for its question.
 */

export type ProblemCode =
  /** A completion that nothing open can be the invocation of. */
  | 'completion-without-invocation'
  /** A client that began an operation while another of its own was open. */
  | 'double-invoke'
  /** Two operations with one id, or one operation completed twice. */
  | 'duplicate-operation'
  | 'time-goes-back'
  /** An operation that timed out cannot have seen an answer. */
  | 'output-of-timed-out-operation'
  /** The last line of a stream was cut off, as a crash of the recorder leaves it. It was skipped. */
  | 'torn-last-line'
  /** A gzip stream ended before it was complete. What it holds up to there was read. */
  | 'cut-off-gzip'

export interface HistoryProblem {
  readonly code: ProblemCode
  readonly message: string
  /** Index of the event, or -1 where the problem is not one event's. */
  readonly event: number
  /** Where it stands in the file, counted from 1; null for a history that was not read from one. */
  readonly line: number | null
  readonly column: number | null
}

/** A place in a text, counted from 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}
