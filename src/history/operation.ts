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
 *
 * Conventions that every reader and checker share: what a client passes in is `input`, what it saw is `output`.
 *
 * | f | input | output when ok |
 * |---|---|---|
 * | `read` | null; `'final'` once the system was healed and had time to settle | the value |
 * | `write` | the value | ignored |
 * | `cas` | `[from, to]` | anything but `false`: it matched; `false`: the client saw that it did not match |
 * | `txn` | micro-operations `['r', key, null]`, `['w', key, v]`, `['append', key, v]` | the same, reads filled in |
 * | `add`, `enqueue`, `append`, … | the element or the delta | ignored |
 * | `dequeue`, `generate`, … | null | the element |
 */

/** How an operation ended. */
export type Outcome = 'ok' | 'fail' | 'info'

/** Codes of outcomes in columns. */
export const OK = 0
export const FAIL = 1
export const INFO = 2
export const OUTCOMES: readonly Outcome[] = ['ok', 'fail', 'info']

/** Stands for "no completion" where event indexes are compared: later than every event. */
export const NEVER = 0x7fffffff

export interface Operation {
  /** Unique in its history. */
  readonly id: number
  /**
   * The client that ran it. A client runs one operation at a time, unless an earlier one ended as `info`. Null if
   * it was not recorded: such an operation is in no client's order.
   */
  readonly process: number | string | null
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
  /**
   * Positions of the two events in the history. `invokeIndex` is -1 when the source has a completion only: it may
   * have begun at any time before. `completeIndex` is null while there is no completion.
   */
  readonly invokeIndex: number
  readonly completeIndex: number | null
  /** The node that answered, when the client knows. */
  readonly node: string | null
  /** Number of fault episodes begun or ended before the invocation; null if they were not counted. */
  readonly faultEpoch: number | null
}

/** One event of a history, as it is recorded and streamed. Whatever is absent is unknown. */
export interface HistoryEvent {
  readonly type: 'invoke' | Outcome
  readonly process?: number | string | null
  /** Pairs invocation and completion. Without it the process does: its open operation is the one that completes. */
  readonly id?: number | null
  readonly f?: string | null
  readonly key?: unknown
  /** What goes in, on an invocation; what comes out, on a completion. */
  readonly value?: unknown
  readonly error?: unknown
  readonly timedOut?: boolean | null
  /** Microseconds. */
  readonly time?: number | null
  readonly node?: string | null
  readonly faultEpoch?: number | null
}
