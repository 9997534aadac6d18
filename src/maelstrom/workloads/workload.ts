/**
 * What a workload is: what it asks, how a client asks it, which functions may be retried without harm, and how the
 * history is judged. Its functions, values and result keys are Maelstrom's.
 */
import type { History } from '../../history/history.ts'
import type { Decisions } from '../decisions.ts'
import type { TopologyName } from '../network/topologies.ts'
import type { Body } from '../protocol/envelope.ts'
import type { Rpcs } from '../protocol/rpcs.ts'
import type { NodeFaultKind } from '../running/node-fault.ts'

export type Validity = boolean | 'unknown'

export interface WorkloadResult {
  readonly 'valid?': Validity
  /** What proves an invalid answer, in sentences. */
  readonly findings?: readonly string[]
  readonly [key: string]: unknown
}

/** What the workload needs to know of the test. */
export interface WorkloadSettings {
  readonly nodes: readonly string[]
  readonly concurrency: number
  /** Operations per second, all clients together. */
  readonly rate: number
  readonly latencyMs: number
  readonly topology: TopologyName
  readonly keyCount: number
  readonly maxTxnLength: number
  readonly maxWritesPerKey: number
  readonly consistencyModels: readonly string[]
  /** False: judge as Maelstrom does. */
  readonly strict: boolean
}

export interface Request {
  readonly f: string
  readonly value: unknown
  readonly final?: true
}

/** A thread that is free: which one, and the process that runs in it. */
export interface FreeThread {
  readonly thread: number
  readonly process: number
  /** That of its client's connection. */
  readonly state: Map<string, unknown>
}

/** A client's way to the node it is bound to. */
export interface Connection {
  readonly node: string
  rpc(request: { readonly type: string; readonly [key: string]: unknown }): Promise<Body>
  /** Reports what the node did against the workload's promises, where the history cannot show it. */
  fault(kind: NodeFaultKind, text: string): void
  /** Kept as long as the client lives. */
  readonly state: Map<string, unknown>
  /** Kept as long as the test runs, for all clients. */
  readonly shared: Map<string, unknown>
}

/** What is asked next; null: nothing for this thread, now or ever. */
export type Generator = (free: FreeThread) => Request | null

export interface Workload {
  readonly rpcs: Rpcs
  /** An error or a time-out of these is a failure: nothing happened. */
  readonly idempotent: ReadonlySet<string>
  /** The client goes on under its name after an unknown outcome. */
  readonly reusable?: boolean
  /** Milliseconds until a client gives up; 5,000 by default. */
  timeoutMs?(settings: WorkloadSettings): number
  /** Throws a UsageError if the settings do not suit. */
  verify?(settings: WorkloadSettings): void
  open?(connection: Connection, settings: WorkloadSettings): Promise<void>
  /** `shared` is that of the connections. */
  generator(settings: WorkloadSettings, decisions: Decisions, shared: Map<string, unknown>): Generator
  /** Asked of every thread once the system was healed and had time to settle, until it gives null. */
  finals?(shared: Map<string, unknown>): Generator
  /** Carries out a request; gives the value of its completion. */
  invoke(connection: Connection, request: Request): Promise<unknown>
  check(history: History, settings: WorkloadSettings): WorkloadResult
}

export const NOTHING_IDEMPOTENT: ReadonlySet<string> = new Set()

/** Every thread reads once. */
export function finalReads(): Generator {
  const done = new Set<number>()
  return ({ thread }) => {
    if (done.has(thread)) return null
    done.add(thread)
    return { f: 'read', value: null, final: true }
  }
}

/** Thrown by a client that ends for the sake of the test: its thread goes on with a new one. */
export class ClientCrash extends Error {
  override readonly name = 'ClientCrash'
}
