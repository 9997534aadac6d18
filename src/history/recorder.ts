/**
 * Records operations as a workload runs them, in memory, with a clock that is handed in: it runs unchanged inside a
 * simulation and outside of one. It does no I/O and reads no clock of its own. Each event is also handed to
 * `onEvent`, where a real run streams it to a file.
 *
 * An operation that is begun and never completed stays unknown; a completion is recorded once.
 */
import { UsageError } from '../kernel/errors.ts'
import type { History } from './history.ts'
import { HistoryBuilder } from './history-builder.ts'
import type { HistoryEvent, Outcome } from './operation.ts'

export interface RecorderOptions {
  /** Microseconds. */
  readonly now: () => number
  /** Number of fault episodes begun or ended so far; without it they are not counted. */
  readonly faultEpoch?: () => number
  readonly onEvent?: (event: HistoryEvent) => void
}

export interface OperationStart {
  readonly process: number | string
  readonly f: string
  readonly key?: unknown
  readonly input?: unknown
  readonly node?: string | null
}

export interface OperationEnd {
  readonly output?: unknown
  readonly error?: unknown
  readonly timedOut?: boolean
  readonly node?: string | null
}

/** An operation under way. Exactly one of its methods may be called, once. */
export interface OpenOperation {
  readonly id: number
  /** It happened, and this is what the client saw. */
  ok(output?: unknown, end?: Omit<OperationEnd, 'output'>): void
  /** It certainly did not happen. */
  fail(error?: unknown, end?: Omit<OperationEnd, 'error' | 'output'>): void
  /** The outcome is unknown: it may have happened, may yet happen, or never will. */
  info(error?: unknown, end?: Omit<OperationEnd, 'error' | 'output'>): void
  /** The client gave up waiting: unknown, and marked as timed out. */
  timeOut(error?: unknown): void
}

export class Recorder {
  readonly #options: RecorderOptions
  readonly #builder = new HistoryBuilder()
  #nextId = 0

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  begin(start: OperationStart): OpenOperation {
    const id = this.#nextId++
    this.#event({
      type: 'invoke',
      id,
      process: start.process,
      f: start.f,
      key: start.key ?? null,
      value: start.input ?? null,
      time: this.#options.now(),
      node: start.node ?? null,
      faultEpoch: this.#options.faultEpoch?.() ?? null,
    })
    let open = true
    const complete = (type: Outcome, end: OperationEnd): void => {
      if (!open) {
        throw new UsageError(
          'ERR_WAVETANK_OPERATION_COMPLETED',
          `operation ${id} (${start.f}) is completed a second time`,
        )
      }
      open = false
      this.#event({
        type,
        id,
        process: start.process,
        f: start.f,
        value: end.output ?? null,
        error: end.error ?? null,
        timedOut: end.timedOut ?? false,
        time: this.#options.now(),
        node: end.node ?? null,
      })
    }
    return {
      id,
      ok: (output, end) => complete('ok', { ...end, output }),
      fail: (error, end) => complete('fail', { ...end, error }),
      info: (error, end) => complete('info', { ...end, error }),
      timeOut: (error = 'timeout') => complete('info', { error, timedOut: true }),
    }
  }

  /** Something was done to the system. */
  fault(f: string, value: unknown = null): void {
    this.#builder.fault({ f, value, time: this.#options.now() })
  }

  /** What was recorded so far. More may be recorded afterwards; this history does not change. */
  history(): History {
    const whole = this.#builder.finish('wavetank')
    return whole.select(Array.from({ length: whole.length }, (_, position) => position))
  }

  #event(event: HistoryEvent): void {
    this.#builder.event(event)
    this.#options.onEvent?.(event)
  }
}
