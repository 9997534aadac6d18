/**
 * The recorder of a workload's operations. `operation(f, options, body)` writes the invocation, runs the body, writes
 * the outcome, and publishes both for invariants:
 *
 * - the body returns: `ok`, with its value as output;
 * - it calls {@link fail}: `fail`, the operation certainly did not happen;
 * - it throws anything else, or takes longer than `timeoutVirtualMs`: `info`, Jepsen's word for unknown: the
 *   operation may have happened, or may still happen.
 *
 * A client whose operation ended as `info` goes on under a new process number, as in Jepsen: the old one's operation
 * is open forever.
 */
import type { History } from '../../history/history.ts'
import type { HistoryEvent, Outcome } from '../../history/operation.ts'
import { Recorder } from '../../history/recorder.ts'
import { isUnsupported } from '../../kernel/errors.ts'
import type { OperationCounts } from '../campaign/result.ts'
import { checkOperation } from './validation.ts'

export interface OperationOptions {
  readonly key?: unknown
  readonly input?: unknown
  /** Virtual milliseconds after which the outcome is unknown. */
  readonly timeoutVirtualMs?: number
}

/** What the body may say about its operation besides its value. */
export interface RunningOperation {
  readonly id: number
  /** The node that answered. */
  saw(node: string): void
}

export type OperationBody<T> = (operation: RunningOperation) => T | Promise<T>

/** What follows the name: the options may be left out. */
export type OperationArguments<T> =
  [body: OperationBody<T>] | [options: OperationOptions, body: OperationBody<T>]

export type OperationOutcome<T> =
  | { readonly type: 'ok'; readonly value: T }
  | { readonly type: 'fail'; readonly error: unknown }
  | { readonly type: 'info'; readonly error: unknown; readonly timedOut: boolean }

/** Thrown inside an operation: it surely did not happen. */
export class OperationFailed extends Error {
  override readonly name = 'OperationFailed'
  readonly reason: unknown
  constructor(reason: unknown) {
    super(typeof reason === 'string' ? reason : 'the operation did not happen')
    this.reason = reason
  }
}

/** Ends an operation's body: the operation surely did not happen. It throws by itself. */
export function fail(reason: unknown): never {
  throw new OperationFailed(reason)
}

/** What an `operation` event carries. */
export interface OperationEvent {
  readonly id: number
  readonly client: number
  readonly type: 'invoke' | Outcome
  readonly f: string
  readonly key: unknown
  /** The input on an invocation, the output on a completion. */
  readonly value: unknown
  readonly error: unknown
}

/** An operation without an outcome. */
export interface WaitingOperation {
  readonly client: number
  readonly f: string
  readonly key: unknown
  readonly sinceUs: number
}

/** What the recorder needs from the run. */
export interface RecorderHost {
  nowUs(): number
  faultEpoch(): number
  publish(event: OperationEvent): void
  /** Keeps an event of the history, where the run has a place for it before its end. */
  keep?(event: HistoryEvent): void
  /** A body met something that the tank lacks. */
  unsupported(f: string, error: unknown): void
  /** Calls back after virtual milliseconds, inside the workload's process; returns how to cancel it. */
  after(delayMs: number, callback: () => void): () => void
}

export class OperationRecorder {
  private readonly host: RecorderHost
  private readonly recorder: Recorder
  private readonly counts = new Map<string, { ok: number; fail: number; info: number }>()
  private readonly threads: number[] = []
  private clients = 0
  /** Operations that were invoked and have no outcome yet, by their numbers. */
  private readonly waiting = new Map<number, WaitingOperation>()

  constructor(host: RecorderHost) {
    this.host = host
    this.recorder = new Recorder({
      now: () => host.nowUs(),
      faultEpoch: () => host.faultEpoch(),
      ...(host.keep === undefined ? {} : { onEvent: (event) => host.keep!(event) }),
    })
  }

  /** Says how many clients there are, so that new process numbers do not collide with them. */
  begin(clients: number): void {
    this.clients = clients
    for (let client = 0; client < clients; client++) this.threads[client] = client
  }

  async operation<T>(
    client: number,
    f: string,
    options: OperationOptions,
    body: OperationBody<T>,
  ): Promise<OperationOutcome<T>> {
    checkOperation(f, options)
    const key = options.key ?? null
    const process = this.threads[client] ?? client
    const input = snapshot(options.input ?? null)
    const record = this.recorder.begin({ process, f, key, input })
    const { id } = record
    this.host.publish({ id, client, type: 'invoke', f, key, value: input, error: null })
    this.waiting.set(id, { client, f, key, sinceUs: this.host.nowUs() })
    let node: string | null = null
    const running: RunningOperation = { id, saw: (seen) => (node = seen) }
    const outcome = await this.outcomeOf(running, options.timeoutVirtualMs, body)
    this.waiting.delete(id)
    const value = outcome.type === 'ok' ? snapshot(outcome.value ?? null) : null
    const error = outcome.type === 'ok' ? null : describe(outcome.error)
    if (outcome.type === 'info' && isUnsupported(outcome.error)) this.host.unsupported(f, outcome.error)
    if (outcome.type === 'ok') record.ok(value, { node })
    else record[outcome.type](error, { node, timedOut: outcome.type === 'info' && outcome.timedOut })
    this.host.publish({ id, client, type: outcome.type, f, key, value, error })
    this.count(f)[outcome.type]++
    if (outcome.type === 'info') this.threads[client] = process + this.clients
    return outcome
  }

  /** How many operations have no outcome yet. */
  get open(): number {
    return this.waiting.size
  }

  /** Who waits for what, the longest first. */
  stillWaiting(): WaitingOperation[] {
    return [...this.waiting.values()].sort((a, b) => a.sinceUs - b.sinceUs || a.client - b.client)
  }

  history(): History {
    return this.recorder.history()
  }

  operationCounts(): OperationCounts[] {
    return [...this.counts].map(([f, counts]) => ({ f, ...counts })).sort((a, b) => (a.f < b.f ? -1 : 1))
  }

  private outcomeOf<T>(
    running: RunningOperation,
    timeoutMs: number | undefined,
    body: OperationBody<T>,
  ): Promise<OperationOutcome<T>> {
    return new Promise((resolve) => {
      const cancel =
        timeoutMs === undefined
          ? null
          : this.host.after(timeoutMs, () => {
              resolve({ type: 'info', error: `no answer within ${timeoutMs} ms`, timedOut: true })
            })
      const done = (outcome: OperationOutcome<T>): void => {
        cancel?.()
        resolve(outcome)
      }
      const threw = (error: unknown): void => {
        if (error instanceof OperationFailed) done({ type: 'fail', error: error.reason })
        else done({ type: 'info', error, timedOut: false })
      }
      try {
        Promise.resolve(body(running)).then((value) => done({ type: 'ok', value }), threw)
      } catch (error) {
        threw(error)
      }
    })
  }

  private count(f: string): { ok: number; fail: number; info: number } {
    let counts = this.counts.get(f)
    if (counts === undefined) this.counts.set(f, (counts = { ok: 0, fail: 0, info: 0 }))
    return counts
  }
}

/** A copy for the record: the workload may go on to change what it passed in. */
function snapshot(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return snapshot(error)
  const { code } = error as NodeJS.ErrnoException
  // The code of a DOMException is a number that means nothing to people; its name does.
  const kind = typeof code === 'number' ? error.name : code
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return kind === undefined || error.message.includes(kind)
    ? error.message + cause
    : `${kind}: ${error.message}${cause}`
}
