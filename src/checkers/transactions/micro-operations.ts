/**
 * Transactions as columns: every operation `txn` of a history (or without a name) with its micro-operations, in history
 * order, keys interned to small integers. The checkers of this folder work on these arrays and make no object per
 * transaction.
 *
 * A committed transaction's micro-operations are taken from its output (what the client saw); of a failed or unknown
 * one only the writes of its input count, since no client saw its reads. What is not a micro-operation is skipped and
 * counted in `malformed`: a strange history never throws.
 */
import { FAIL, INFO, OK, type History } from '../../history/history.ts'
import { Interner } from '../../history/value.ts'
import { askRunning } from '../budget.ts'
import { int32, uint8 } from '../workspace.ts'

export { FAIL, INFO, OK }

/** A read whose result is known. */
export const READ = 0
export const WRITE = 1
/** A read whose result no client saw. */
export const UNREAD = 2

export interface MicroOperations {
  readonly history: History
  /** Transactions, and for each its position in the history. */
  readonly count: number
  readonly position: Int32Array
  readonly type: Uint8Array
  /** Micro-operations of transaction t are `start[t]` to `start[t + 1]`. */
  readonly start: Int32Array
  readonly transaction: Int32Array
  readonly kind: Uint8Array
  readonly key: Int32Array
  readonly keys: readonly unknown[]
  /** What was written, or what was read. */
  readonly value: readonly unknown[]
  /** Positions of operations with something that is no micro-operation, the first few. */
  readonly malformed: readonly number[]
  readonly malformedCount: number
  /** Operations that are not transactions. */
  readonly ignored: number
}

const KEPT_MALFORMED = 16

/** Reads the transactions of a history; `writes` names the micro-operation that writes. */
export function microOperations(history: History, writes: 'append' | 'w'): MicroOperations {
  const isTransaction = history.functions.map((f) => f === 'txn' || f === '')
  let count = 0
  let total = 0
  for (let i = 0; i < history.length; i++) {
    if (!isTransaction[history.f[i]]) continue
    count++
    total += body(history, i).length
  }
  const position = int32(count)
  const type = uint8(count)
  const start = int32(count + 1)
  const transaction = int32(total)
  const kind = uint8(total)
  const key = int32(total)
  const value: unknown[] = []
  const keys = new Interner()
  const malformed: number[] = []
  let malformedCount = 0
  let t = 0
  let m = 0
  for (let i = 0; i < history.length; i++) {
    if (!isTransaction[history.f[i]]) continue
    askRunning()
    position[t] = i
    type[t] = history.type[i]
    start[t] = m
    const ok = history.type[i] === OK
    const answered = ok && Array.isArray(history.output[i])
    const list = body(history, i)
    for (let j = 0; j < list.length; j++) {
      const micro = list[j]
      const name = Array.isArray(micro) ? (micro[0] as unknown) : undefined
      if (name !== 'r' && name !== writes) {
        if (malformedCount++ < KEPT_MALFORMED) malformed.push(i)
        continue
      }
      const parts = micro as readonly unknown[]
      transaction[m] = t
      kind[m] = name === 'r' ? (answered ? READ : UNREAD) : WRITE
      key[m] = keys.number(parts[1])
      value.push(parts[2])
      m++
    }
    t++
  }
  start[t] = m
  return {
    history,
    count,
    position,
    type,
    start,
    transaction: transaction.subarray(0, m),
    kind: kind.subarray(0, m),
    key: key.subarray(0, m),
    keys: keys.values,
    value,
    malformed,
    malformedCount,
    ignored: history.length - count,
  }
}

const EMPTY: readonly unknown[] = []

/** The list of micro-operations that counts for an operation. */
function body(history: History, i: number): readonly unknown[] {
  const output = history.output[i]
  const input = history.input[i]
  if (history.type[i] === OK && Array.isArray(output)) return output
  if (Array.isArray(input)) return input
  return Array.isArray(output) ? output : EMPTY
}

/** The operation's id in its history. */
export function operationId(txns: MicroOperations, t: number): number {
  return txns.history.id[txns.position[t]]
}

/** Why a history with something that is no micro-operation cannot be called valid. */
export function malformedReason({ history, malformed, malformedCount }: MicroOperations): string | null {
  if (malformedCount === 0) return null
  return `${malformedCount} micro-operations are not of this workload, the first in operation ${history.id[malformed[0]]}`
}

/** Per micro-operation: the one before it in the same transaction on the same key, or -1. */
export function earlierOnSameKey({ count, start, key, keys }: MicroOperations): Int32Array {
  const before = int32(key.length)
  const latest = int32(keys.length, -1)
  for (let t = 0; t < count; t++) {
    const first = start[t]
    for (let m = first; m < start[t + 1]; m++) {
      const last = latest[key[m]]
      before[m] = last >= first ? last : -1
      latest[key[m]] = m
    }
  }
  return before
}

/**
 * For a write: its transaction's first read of the key, if this is the first write of the key after that read; else
 * -1. Two transactions whose updates begin with the same read lose one of them.
 */
export function updatedRead({ kind }: MicroOperations, before: Int32Array, m: number): number {
  let read = -1
  let writes = 0
  let wroteSince = false
  for (let b = before[m]; b >= 0; b = before[b]) {
    if (kind[b] === WRITE) writes++
    else {
      read = b
      wroteSince = writes > 0
    }
  }
  return wroteSince ? -1 : read
}
