/**
 * Which write a read of a register saw, where its value does not tell: the value was written more than once (a retry
 * after a time-out, say), or it is null and null was written too (a delete), so that the read saw the initial state
 * or one of those writes.
 *
 * Nothing can be concluded from such a read alone. Two questions still have an answer:
 *
 * - With every such read left out, what remains is certain: an anomaly there is an anomaly.
 * - If one guess of what they saw explains everything, the history is explained. The guess is the write that began last
 *   before the read began: right wherever operations do not overlap.
 *
 * When the guess fails and nothing certain is wrong, the answer is unknown.
 */
import { show, valueKey, type ValueKey } from '../../../history/value.ts'
import { askRunning } from '../../budget.ts'
import {
  earlierOnSameKey,
  FAIL,
  OK,
  operationId,
  READ,
  UNREAD,
  WRITE,
  type MicroOperations,
} from '../micro-operations.ts'
import { int32 } from '../../workspace.ts'

/** The guessed source of a read that saw the initial state. */
export const FROM_INITIAL = -1
/** The source of a read that its value tells, and of everything that is no read. */
export const TOLD_BY_VALUE = -2

export interface AmbiguousReads {
  /** Reads whose value does not tell what they saw. */
  readonly reads: readonly number[]
  /** Per micro-operation: the write guessed, {@link FROM_INITIAL} or {@link TOLD_BY_VALUE}. */
  readonly guess: Int32Array
  /** The same transactions without the ambiguous reads. */
  readonly certain: MicroOperations
  /** Why the answer is unknown when the guess explains nothing. */
  readonly reason: string
}

/** Null when every read's value tells what it saw. */
export function ambiguousReads(txns: MicroOperations): AmbiguousReads | null {
  const repeated = repeatedWrites(txns)
  if (repeated.size === 0) return null
  const { kind, key, value, type, transaction } = txns
  const before = earlierOnSameKey(txns)
  const reads: number[] = []
  const guess = int32(value.length, TOLD_BY_VALUE)
  const certainKind = Uint8Array.from(kind)
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== READ || type[transaction[m]] !== OK) continue
    const writes = repeated.get(key[m])?.get(valueKey(value[m] ?? null))
    if (writes === undefined) continue
    reads.push(m)
    guess[m] = guessOf(txns, before, m, writes)
    certainKind[m] = UNREAD
  }
  if (reads.length === 0) return null
  return { reads, guess, certain: { ...txns, kind: certainKind }, reason: reasonOf(txns, reads[0], repeated) }
}

type Repeated = ReadonlyMap<number, ReadonlyMap<ValueKey, readonly number[]>>

/** Per key and value the writes that may have happened, where there are several; the initial null counts as one. */
function repeatedWrites({ kind, key, value, type, transaction }: MicroOperations): Repeated {
  const first = new Map<number, Map<ValueKey, number>>()
  const repeated = new Map<number, Map<ValueKey, number[]>>()
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== WRITE || type[transaction[m]] === FAIL) continue
    askRunning()
    const name = valueKey(value[m] ?? null)
    const ofKey = first.get(key[m]) ?? new Map<ValueKey, number>()
    first.set(key[m], ofKey)
    const earlier = ofKey.get(name)
    if (earlier === undefined) ofKey.set(name, m)
    if (earlier === undefined && name !== null) continue
    const lists = repeated.get(key[m]) ?? new Map<ValueKey, number[]>()
    repeated.set(key[m], lists)
    const list = lists.get(name)
    if (list === undefined) lists.set(name, earlier === undefined ? [m] : [earlier, m])
    else list.push(m)
  }
  return repeated
}

/** A transaction sees its own write; otherwise the candidate that began last before the read's transaction did. */
function guessOf(
  { history, position, transaction, kind, value }: MicroOperations,
  before: Int32Array,
  m: number,
  writes: readonly number[],
): number {
  for (let b = before[m]; b >= 0; b = before[b]) if (kind[b] === WRITE && writes.includes(b)) return b
  const t = transaction[m]
  const begin = history.invokeIndex[position[t]]
  const end = history.endOf(position[t])
  const initial = (value[m] ?? null) === null ? FROM_INITIAL : TOLD_BY_VALUE
  let best = initial
  let bestBegin = Number.NEGATIVE_INFINITY
  let concurrent = initial
  for (const w of writes) {
    if (transaction[w] === t) continue
    const began = history.invokeIndex[position[transaction[w]]]
    if (began < begin && began >= bestBegin) [best, bestBegin] = [w, began]
    else if (began < end) concurrent = w
  }
  if (best !== TOLD_BY_VALUE) return best
  return concurrent === TOLD_BY_VALUE ? writes[0] : concurrent
}

function reasonOf(txns: MicroOperations, m: number, repeated: Repeated): string {
  const { key, keys, value, transaction } = txns
  const writes = repeated.get(key[m])!.get(valueKey(value[m] ?? null))!
  const ids = [...new Set(writes.map((w) => operationId(txns, transaction[w])))].slice(0, 5).join(', ')
  const seen = `operation ${operationId(txns, transaction[m])} read key ${show(keys[key[m]])} as ${show(value[m] ?? null)}`
  return (value[m] ?? null) === null
    ? `${seen}, which is the initial state and was also written (operations ${ids}): the read cannot be traced to one of them`
    : `${seen}, which was written more than once (operations ${ids}): the read cannot be traced to its writer`
}
