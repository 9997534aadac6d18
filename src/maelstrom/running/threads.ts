/**
 * The threads of a test. Each has a client bound to one node and carries out one request at a time; the outcome is
 * recorded as Jepsen does it. After an unknown outcome the thread goes on as a new process, and with a new client unless
 * the workload's clients are reusable.
 */
import type { Machine } from '../machine.ts'
import {
  ClientCrash,
  type Connection,
  type Request,
  type Workload,
  type WorkloadSettings,
} from '../workloads/workload.ts'
import { RpcError } from './client.ts'
import type { Cluster } from './cluster.ts'
import type { LoggedOperation, OperationLog } from './operation-log.ts'

const RPC_TIMEOUT_MS = 5000

/** How the tank records the operation too, so that its stories have it. The outcome is that of the body. */
export type Around = (
  thread: number,
  request: Request,
  body: () => Promise<LoggedOperation['type']>,
) => Promise<unknown>

export interface ThreadSettings {
  readonly workload: Workload
  readonly settings: WorkloadSettings
  readonly cluster: Cluster
  readonly machine: Machine
  readonly log: OperationLog
  readonly shared: Map<string, unknown>
  readonly around?: Around | undefined
}

export class Thread {
  readonly index: number
  process: number
  readonly #context: ThreadSettings
  #connection: Connection | null = null

  constructor(index: number, context: ThreadSettings) {
    this.index = index
    this.process = index
    this.#context = context
  }

  get state(): Map<string, unknown> {
    return this.#connection?.state ?? new Map()
  }

  /** A new client, with what the workload does at its beginning. An error there is the first operation's. */
  async open(): Promise<void> {
    const { workload, settings, cluster, shared } = this.#context
    const client = cluster.client()
    const node = settings.nodes[this.index % settings.nodes.length]
    const timeoutMs = workload.timeoutMs?.(settings) ?? RPC_TIMEOUT_MS
    this.#connection = {
      node,
      shared,
      state: new Map(),
      fault: (kind, text) => cluster.faults.add(kind, node, text),
      rpc: (request) => client.rpc(node, request, timeoutMs),
    }
    try {
      await workload.open?.(this.#connection, settings)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
    }
  }

  async run(request: Request): Promise<void> {
    const { around } = this.#context
    if (around === undefined) await this.#operate(request)
    else await around(this.index, request, () => this.#operate(request))
  }

  async #operate(request: Request): Promise<LoggedOperation['type']> {
    const { log, settings, workload } = this.#context
    const { f, value, final } = request
    const { process } = this
    const mark = final === true ? { 'final?': true as const } : {}
    const node = settings.nodes[this.index % settings.nodes.length]
    log.add({ type: 'invoke', process, f, value, ...mark, node })
    const outcome = await this.#outcome(request)
    log.add({ process, f, value, ...mark, ...outcome, node })
    if (outcome.type === 'info') {
      this.process += settings.concurrency
      if (workload.reusable !== true) await this.open()
    }
    return outcome.type
  }

  async #outcome(
    request: Request,
  ): Promise<{ type: 'ok' | 'fail' | 'info'; value?: unknown; error?: unknown }> {
    const { workload } = this.#context
    try {
      return { type: 'ok', value: await workload.invoke(this.#connection!, request) }
    } catch (error) {
      if (error instanceof ClientCrash) return { type: 'info' }
      if (!(error instanceof RpcError)) throw error
      const failed = error.definite || workload.idempotent.has(request.f)
      return { type: failed ? 'fail' : 'info', error: error.value }
    }
  }
}
