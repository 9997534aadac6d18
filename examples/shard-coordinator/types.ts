/** The words of the shard coordinator. Types only: Node never loads this file, the JavaScript beside it names it in JSDoc. */

/** A part of the key space: `start` belongs to it, `end` does not. An empty `start` or `end` is no bound. */
export interface Range {
  readonly start: string
  readonly end: string
}

/** How far a shard is scanned: up to and with `key`. `token` means something to the worker only. */
export interface Cursor {
  readonly key: string
  readonly token: string
}

/** The right of one worker to work on a shard. It is in force while `now < deadlineMs`. */
export interface Lease {
  readonly owner: string
  readonly deadlineMs: number
}

/** An operation that was done: the same operation again gets the same result. */
export interface LoggedOperation {
  readonly id: string
  readonly kind: string
  readonly hash: string
  readonly result: unknown
  readonly timeMs: number
}

export type ShardState = 'active' | 'done' | 'split' | 'parked'
export type RunState = 'initializing' | 'active' | 'done' | 'failed' | 'cancelled'

export interface Shard extends Range {
  readonly id: string
  readonly run: string
  /** The shard that this one was split from. */
  readonly parent: string | null
  /** The shards that were split from this one. */
  readonly spawned: readonly string[]
  readonly state: ShardState
  readonly parkReason: string | null
  /** The number of the newest lease. */
  readonly fence: number
  readonly lease: Lease | null
  readonly cursor: Cursor | null
  readonly log: readonly LoggedOperation[]
}

export interface Run {
  readonly id: string
  readonly tenant: string
  readonly state: RunState
  readonly leaseMs: number
  readonly cooldownMs: number
  /** Whether the work up to a cursor is done, or only given to a process that does it. */
  readonly cursorMeans: 'completed' | 'dispatched'
  /** When each worker last claimed a shard; only workers that still wait are kept. */
  readonly claims: Readonly<Record<string, number>>
  readonly log: readonly LoggedOperation[]
}

/** What was found at a key, and under which lease. */
export interface Finding {
  readonly key: string
  readonly run: string
  readonly shard: string
  readonly fence: number
  readonly worker: string
}

/** What one command did: the result, and every record that it changed. The invariants read nothing else. */
export interface Step {
  readonly index: number
  readonly nowMs: number
  readonly command: Command
  readonly result: Result
  readonly shards: readonly Shard[]
  readonly runs: readonly Run[]
  readonly findings: readonly Finding[]
}

export interface Command {
  readonly op: string
  readonly tenant: string
  readonly run: string
  readonly [name: string]: any
}

/** `error` is one of the codes in errors.js. */
export type Result = { readonly error?: string; readonly replayed?: boolean } & Readonly<Record<string, any>>
