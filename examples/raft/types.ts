/** The words of the Raft example. Types only: Node never loads this file, the JavaScript beside it names it in JSDoc. */

/** Where a server can be reached: `host:port` for its peers, and for clients. */
export interface Member {
  readonly peer: string
  readonly api: string
}

/** The servers that vote, by id. */
export type Members = Readonly<Record<string, Member>>

/** One entry of the replicated log. `timeMs` is cluster time: it never goes back, and stands still without a leader. */
export type Entry = EntryBase &
  (
    | { readonly kind: 'noop' }
    | { readonly kind: 'members'; readonly members: Members }
    | { readonly kind: 'register'; readonly ttlMs: number }
    | {
        readonly kind: 'command'
        readonly session: number
        readonly sequence: number
        readonly command: unknown
      }
  )

/** An entry that has no place in the log yet. */
export type NewEntry = Entry extends infer E ? (E extends Entry ? Omit<E, keyof EntryBase> : never) : never

export interface EntryBase {
  readonly index: number
  readonly term: number
  readonly timeMs: number
}

/** Everything up to `index`, in place of the entries. `data` is JSON text: sessions and state machine. */
export interface Snapshot {
  readonly index: number
  readonly term: number
  readonly timeMs: number
  readonly members: Members
  readonly data: string
}

/** What a server finds on its disk when it starts. */
export interface Recovered {
  readonly term: number
  readonly vote: string | null
  readonly snapshot: Snapshot
  readonly entries: readonly Entry[]
}

/** A change of what must be on the disk before anything else of the same batch leaves the server. */
export interface PersistRecord {
  readonly term: number
  readonly vote: string | null
  /** The index of the first entry; entries on the disk from there on are replaced. */
  readonly from?: number
  readonly entries?: readonly Entry[]
}

interface LogPosition {
  readonly lastIndex: number
  readonly lastTerm: number
}

/** What servers send each other. Every message has the sender's term; pre-votes have the term that would be next. */
export type Message = { readonly term: number } & (
  | ({ readonly type: 'pre-vote' } & LogPosition)
  | ({ readonly type: 'vote'; readonly transfer: boolean } & LogPosition)
  | { readonly type: 'pre-vote-reply' | 'vote-reply'; readonly granted: boolean }
  | {
      readonly type: 'append'
      readonly prevIndex: number
      readonly prevTerm: number
      readonly entries: readonly Entry[]
      readonly commit: number
      readonly round: number
    }
  | { readonly type: 'append-reply'; readonly ok: true; readonly match: number; readonly round: number }
  | {
      readonly type: 'append-reply'
      readonly ok: false
      /** The `prevIndex` that did not fit, and where to try next. */
      readonly prevIndex: number
      readonly hint: number
      readonly round: number
    }
  | { readonly type: 'heartbeat'; readonly commit: number; readonly round: number }
  | { readonly type: 'heartbeat-reply'; readonly round: number }
  | {
      readonly type: 'snapshot'
      readonly snapshot: Omit<Snapshot, 'data'>
      readonly offset: number
      readonly chunk: string
      readonly done: boolean
    }
  /** `offset`: how much of that snapshot is here. */
  | {
      readonly type: 'snapshot-reply'
      readonly index: number
      readonly offset: number
      readonly done: boolean
    }
  | { readonly type: 'timeout-now' }
)

/** What a client's request is answered with when it cannot be done. */
export interface Refusal {
  readonly code:
    | 'not-leader'
    | 'leadership-lost'
    | 'overloaded'
    | 'transferring'
    | 'session-expired'
    | 'stale-sequence'
    | 'change-pending'
    | 'no-change'
    | 'not-ready'
    | 'unknown-member'
    | 'catch-up-timeout'
    | 'transfer-timeout'
    | 'shutting-down'
  readonly message: string
  readonly leader?: { readonly id: string; readonly api: string } | null
}

export type Input =
  | { readonly type: 'tick' }
  | { readonly type: 'message'; readonly from: string; readonly message: Message }
  | { readonly type: 'register'; readonly request: number }
  | {
      readonly type: 'command'
      readonly request: number
      readonly session: number
      readonly sequence: number
      readonly command: unknown
    }
  | { readonly type: 'query'; readonly request: number; readonly query: unknown }
  | { readonly type: 'add'; readonly request: number; readonly id: string; readonly member: Member }
  | { readonly type: 'remove'; readonly request: number; readonly id: string }
  | { readonly type: 'transfer'; readonly request: number; readonly to: string | null }

export type Effect =
  | { readonly type: 'persist'; readonly record: PersistRecord }
  | {
      readonly type: 'snapshot'
      readonly snapshot: Snapshot
      readonly term: number
      readonly vote: string | null
      readonly entries: readonly Entry[]
    }
  | { readonly type: 'send'; readonly to: string; readonly message: Message }
  | { readonly type: 'reply'; readonly request: number; readonly value: unknown }
  | { readonly type: 'refuse'; readonly request: number; readonly refusal: Refusal }

/** When and by whom a command was ordered. */
export interface ApplyContext {
  readonly index: number
  readonly term: number
  /** Cluster time. */
  readonly timeMs: number
}

/**
 * What is replicated. It is deterministic: the same commands in the same order give the same state and results on every
 * server, so it reads no clock, no random number and no environment. Results and snapshots are JSON values.
 */
export interface StateMachine {
  /** A sentence when a command or query is malformed, null when it may be ordered. */
  check(command: unknown): string | null
  checkQuery(query: unknown): string | null
  apply(command: any, context: ApplyContext): unknown
  query(query: any): unknown
  snapshot(): unknown
  restore(snapshot: unknown): void
}

export interface RaftOptions {
  /** An election timeout is drawn from electionMs … 2 × electionMs. */
  readonly electionMs: number
  readonly heartbeatMs: number
  /** Take a snapshot when this many entries were applied since the last one. */
  readonly snapshotEntries: number
  /** Entries kept behind a snapshot, for followers that are a little late. */
  readonly trailingEntries: number
  /** Characters of a snapshot per message. */
  readonly chunkChars: number
  /** Entries per append message. */
  readonly batchEntries: number
  /** Entries that may wait for commitment. */
  readonly maxPending: number
  /** Cluster time without a command after which a session ends. */
  readonly sessionTtlMs: number
  /** While there are sessions and no commands, an empty entry this often carries cluster time on. */
  readonly clockMs: number
}

/** What a server tells about itself, for tests and logs: never needed for its work. */
export type Observe = (name: string, data: Readonly<Record<string, unknown>>) => void

/** A client's request, before it has a number. */
export type RequestInput = Input extends infer I
  ? I extends { readonly request: number }
    ? Omit<I, 'request'>
    : never
  : never
