/**
 * Jepsen's operation maps, whatever they are written in: `{type, process, f, value, time, error, index, …}`, one map
 * per event. Knossos, Elle, elle-cli and Porcupine's key-value logs use the same maps.
 *
 * Times are nanoseconds there and microseconds here; a negative time means that none was measured. A nemesis operation
 * is a fault event, not an operation. `index` is ignored: the order in the file is the order of events. Elle-cli's
 * files may lack `f`: a list of micro-operations is then a transaction. Knossos spells micro-operations `read` and
 * `write` where Elle has `r` and `w`; they are read as the latter.
 */
import type { HistoryBuilder } from '../history-builder.ts'
import type { History } from '../history.ts'
import type { HistoryEvent, Outcome } from '../operation.ts'
import type { TextPosition } from '../problem.ts'
import { show } from '../value.ts'
import { HistorySyntaxError } from './syntax-error.ts'

const TYPES: ReadonlySet<unknown> = new Set(['invoke', 'ok', 'fail', 'info'])

/** Adds one operation map to a history. */
export function addOpMap(builder: HistoryBuilder, map: unknown, at: TextPosition): void {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw new HistorySyntaxError(at, `expected an operation map, found ${show(map, 40)}`)
  }
  const record = map as Record<string, unknown>
  const type = own(record, 'type')
  if (!TYPES.has(type)) {
    throw new HistorySyntaxError(at, `:type must be invoke, ok, fail or info, not ${show(type, 40)}`)
  }
  const client = own(record, 'process')
  const process = typeof client === 'bigint' ? String(client) : client
  if (process !== null && typeof process !== 'number' && typeof process !== 'string') {
    throw new HistorySyntaxError(at, `:process must be a number or a name, not ${show(process, 40)}`)
  }
  const f = own(record, 'f')
  if (f !== null && typeof f !== 'string') {
    throw new HistorySyntaxError(at, `:f must be a name, not ${show(f, 40)}`)
  }
  const nanoseconds = own(record, 'time')
  if (nanoseconds !== null && typeof nanoseconds !== 'number' && typeof nanoseconds !== 'bigint') {
    throw new HistorySyntaxError(at, `:time must be a number, not ${show(nanoseconds, 40)}`)
  }
  const time = nanoseconds === null || nanoseconds < 0 ? null : Number(nanoseconds) / 1000
  const value = own(record, 'value')
  if (process === 'nemesis') {
    builder.fault({ time, f: f ?? '', value })
    return
  }
  const node = own(record, 'node')
  const error = own(record, 'error')
  const transaction = isTransaction(value)
  const timedOut = type === 'info' && isTimeOut(error)
  builder.event(
    {
      type: type as HistoryEvent['type'],
      process,
      f: f ?? (transaction ? 'txn' : ''),
      key: own(record, 'key'),
      // Jepsen repeats the request on an unknown completion; of one that timed out there is nothing to see.
      value: timedOut ? null : transaction ? value.map(microOperation) : (value ?? finalMark(record, type)),
      error,
      timedOut: timedOut ? true : null,
      time,
      node: typeof node === 'string' ? node : null,
    },
    at,
  )
}

/** Jepsen marks the reads of its last phase with `:final? true`. */
function finalMark(record: Record<string, unknown>, type: unknown): 'final' | null {
  return type === 'invoke' && own(record, 'final?') === true ? 'final' : null
}

function own(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null
}

function isTransaction(value: unknown): value is unknown[][] {
  return Array.isArray(value) && value.length > 0 && value.every(isMicroOperation)
}

function isMicroOperation(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'string' && MICRO_OPERATIONS.has(value[0])
}

const MICRO_OPERATIONS: ReadonlySet<string> = new Set(['r', 'w', 'append', 'read', 'write'])

function microOperation(value: unknown[]): unknown[] {
  if (value[0] === 'read') return ['r', ...value.slice(1)]
  if (value[0] === 'write') return ['w', ...value.slice(1)]
  return value
}

function isTimeOut(error: unknown): boolean {
  const name: unknown = Array.isArray(error) ? error[0] : error
  return typeof name === 'string' && /^(net-)?time(d-)?out$/.test(name)
}

/** An operation map as it is written: what is unknown is left out, as Jepsen does. */
export interface OpMap {
  readonly index: number
  readonly type: 'invoke' | Outcome
  readonly process: number | string | null
  readonly f: string
  readonly key?: unknown
  readonly value: unknown
  readonly error?: unknown
  readonly node?: string
  readonly time?: number
}

/** All events of a history as operation maps, in order. */
export function* opMaps(history: History): Generator<OpMap> {
  const faults = history.faults.map((fault) => ({ ...fault }))
  for (const event of history.events()) {
    const operation = history.operation(Math.floor(event / 2))
    const invoke = event % 2 === 0
    const index = invoke ? operation.invokeIndex : operation.completeIndex!
    while (faults.length > 0 && faults[0].index < index) yield faultMap(faults.shift()!)
    const microseconds = invoke ? operation.invokeTime : operation.completeTime
    yield {
      index,
      type: invoke ? 'invoke' : operation.type,
      process: operation.process,
      f: operation.f,
      ...(operation.key === null ? {} : { key: operation.key }),
      value: invoke ? operation.input : operation.output,
      ...(invoke || operation.error === null ? {} : { error: operation.error }),
      ...(operation.node === null ? {} : { node: operation.node }),
      ...(microseconds === null ? {} : { time: Math.round(microseconds * 1000) }),
    }
  }
  for (const fault of faults) yield faultMap(fault)
}

function faultMap(fault: History['faults'][number]): OpMap {
  const time = fault.time === null ? {} : { time: Math.round(fault.time * 1000) }
  return { index: fault.index, type: 'info', process: 'nemesis', f: fault.f, value: fault.value, ...time }
}
