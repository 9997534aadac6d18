/**
 * The operation record: the one shape in which anything that was asked of a system, and what came of it, is written
 * down. Simulations, real clusters, Maelstrom and every imported format produce it; every checker consumes it.
 *
 * An operation is a pair of events, *invoke* and *completion*. What is not known is `null`, never left out:
 *
 * - `ok`: it happened, between invoke and completion, and `output` is what the client saw;
 * - `fail`: it certainly did not happen, and never will;
 * - `info`: unknown. It may have happened at any time after its invocation, may still happen, or never did. An
 *   operation that timed out is `info` with `timedOut` true; one without any completion is `info` with
 *   `completeTime` null.
 *
 * A retry is a new operation with a new id.
 */

/** How an operation ended. */
export type Outcome = 'ok' | 'fail' | 'info'

export interface Operation {
  /** Unique in its history. */
  readonly id: number
  /** The client that ran it. A client runs one operation at a time, unless an earlier one ended as `info`. */
  readonly process: number | string
  readonly type: Outcome
  /** What was asked: `read`, `write`, `cas`, `append`, `txn`, … */
  readonly f: string
  /** What it was asked of, for histories over several objects; null when there is only one. */
  readonly key: unknown
  readonly input: unknown
  readonly output: unknown
  /** Why it failed or is unknown, in the client's words. */
  readonly error: unknown
  readonly timedOut: boolean | null
  /** Virtual or real microseconds; null when the source recorded none (the order of events then says all). */
  readonly invokeTime: number | null
  readonly completeTime: number | null
  /** Position of the two events in the history; `completeIndex` is null while there is no completion. */
  readonly invokeIndex: number
  readonly completeIndex: number | null
  /** The node that answered, when the client knows. */
  readonly node: string | null
  /** Number of fault episodes begun or ended before the invocation; null when nobody counted. */
  readonly faultEpoch: number | null
}
