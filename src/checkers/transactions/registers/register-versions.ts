/**
 * Versions of rw-register keys: every (key, value) that was written or read is a version with a number of its own;
 * number k below the count of keys is key k's initial state, null. A value that was written more than once has a version
 * per write that may have happened, and so has null: register-sources.ts says which one a read of it is taken to have
 * seen.
 *
 * Only what a transaction shows to the outside counts: its first read of a key before it wrote the key itself, and its
 * last write of a key.
 */
import { valueKey, type ValueKey } from '../../../history/value.ts'
import { askRunning } from '../../budget.ts'
import { earlierOnSameKey, FAIL, INFO, OK, READ, WRITE, type MicroOperations } from '../micro-operations.ts'
import { FROM_INITIAL, TOLD_BY_VALUE, type AmbiguousReads } from './register-sources.ts'
import { copyInt32, int32, uint8 } from '../../workspace.ts'

export interface RegisterVersions {
  readonly count: number
  readonly key: readonly number[]
  readonly value: readonly unknown[]
  /** Per micro-operation the version it wrote or read, -1 where unknown. */
  readonly version: Int32Array
  /** Per version the micro-operation that wrote it, whatever became of its transaction; -1 if there is none. */
  readonly written: Int32Array
  /** Per transaction whether it has happened: it committed, or it is unknown and a transaction read its write. */
  readonly committed: Uint8Array
  /** Per version the committed transaction whose last write to the key it is; -1 if there is none. */
  readonly writer: Int32Array
  /** Per micro-operation the one before it in its transaction on the same key. */
  readonly before: Int32Array
  /** Micro-operations that are a transaction's outside reads and writes. */
  readonly outsideRead: Uint8Array
  readonly outsideWrite: Uint8Array
  /** Readers of version v, by outside reads: `reader[readerOffset[v]]` to `reader[readerOffset[v + 1]]`. */
  readonly readerOffset: Int32Array
  readonly reader: Int32Array
}

export function registerVersions(
  txns: MicroOperations,
  unknownWriters: boolean,
  ambiguous: AmbiguousReads | null = null,
): RegisterVersions {
  const named = nameVersions(txns, ambiguous?.guess ?? null)
  const count = named.key.length
  const before = earlierOnSameKey(txns)
  const writes = writesOf(txns, named.version, count)
  const outside = outsideOperations(txns, before)
  const committed = committedTransactions(txns, unknownWriters ? seenBy(named.version, writes.written) : null)
  const writer = int32(count, -1)
  for (let v = 0; v < count; v++) {
    const from = writes.written[v]
    if (from < 0 || outside.outsideWrite[from] === 0) continue
    if (committed[txns.transaction[from]] === 1) writer[v] = txns.transaction[from]
  }
  const readers = readersOf(txns, named.version, outside.outsideRead, count)
  return { count, ...named, ...writes, committed, writer, before, ...outside, ...readers }
}

/**
 * Gives every (key, value) that occurs a number, and a further one to each further write of it that may have happened.
 * A read of null saw the key's initial state, unless it is guessed otherwise.
 */
function nameVersions(
  { kind, key, keys, value, type, transaction }: MicroOperations,
  guess: Int32Array | null,
) {
  const numbers: (Map<ValueKey, number> | undefined)[] = []
  const versionKey: number[] = keys.map((_, k) => k)
  const versionValue: unknown[] = keys.map(() => null)
  const version = int32(value.length, -1)
  const taken = new Set<number>()
  const add = (m: number): number => {
    versionKey.push(key[m])
    return versionValue.push(value[m] ?? null) - 1
  }
  for (let m = 0; m < value.length; m++) {
    if (kind[m] !== READ && kind[m] !== WRITE) continue
    askRunning()
    const known = value[m] ?? null
    if (kind[m] === READ && known === null) {
      version[m] = key[m]
      continue
    }
    const ofKey = (numbers[key[m]] ??= new Map())
    const name = valueKey(known)
    let number = ofKey.get(name)
    const possible = kind[m] === WRITE && type[transaction[m]] !== FAIL
    if (number === undefined) ofKey.set(name, (number = add(m)))
    else if (possible && taken.has(number)) number = add(m)
    if (possible) taken.add(number)
    version[m] = number
  }
  if (guess !== null) {
    for (let m = 0; m < version.length; m++) {
      if (guess[m] !== TOLD_BY_VALUE) version[m] = guess[m] === FROM_INITIAL ? key[m] : version[guess[m]]
    }
  }
  return { key: versionKey, value: versionValue, version }
}

/** Who wrote each version. A write that surely did not happen gives way to one of the same value that may have. */
function writesOf({ kind, type, transaction }: MicroOperations, version: Int32Array, count: number) {
  const written = int32(count, -1)
  for (let m = 0; m < version.length; m++) {
    if (kind[m] !== WRITE) continue
    const earlier = written[version[m]]
    if (earlier < 0 || (type[transaction[earlier]] === FAIL && type[transaction[m]] !== FAIL))
      written[version[m]] = m
  }
  return { written }
}

function outsideOperations({ kind, value }: MicroOperations, before: Int32Array) {
  const outsideRead = uint8(value.length)
  const outsideWrite = uint8(value.length)
  for (let m = 0; m < value.length; m++) {
    if (kind[m] === READ && before[m] < 0) outsideRead[m] = 1
    if (kind[m] !== WRITE) continue
    outsideWrite[m] = 1
    let b = before[m]
    while (b >= 0 && kind[b] !== WRITE) b = before[b]
    if (b >= 0) outsideWrite[b] = 0
  }
  return { outsideRead, outsideWrite }
}

/** The write that a read saw, by micro-operation, or -1. */
const seenBy = (version: Int32Array, written: Int32Array) => (read: number) => written[version[read]]

/** Transactions that have happened: those that committed and, given `seen`, the unknown ones whose write was read. */
function committedTransactions(
  { kind, type, transaction, count }: MicroOperations,
  seen: ((read: number) => number) | null,
): Uint8Array {
  const committed = uint8(count)
  for (let t = 0; t < count; t++) committed[t] = type[t] === OK ? 1 : 0
  if (seen === null) return committed
  for (let m = 0; m < transaction.length; m++) {
    if (kind[m] !== READ || type[transaction[m]] !== OK) continue
    const from = seen(m)
    if (from >= 0 && type[transaction[from]] === INFO) committed[transaction[from]] = 1
  }
  return committed
}

function readersOf(
  { start, count: transactions }: MicroOperations,
  version: Int32Array,
  outsideRead: Uint8Array,
  count: number,
) {
  const readerOffset = int32(count + 1)
  for (let m = 0; m < version.length; m++) if (outsideRead[m] === 1) readerOffset[version[m] + 1]++
  for (let v = 0; v < count; v++) readerOffset[v + 1] += readerOffset[v]
  const reader = int32(readerOffset[count])
  const next = copyInt32(readerOffset.subarray(0, count))
  for (let t = 0; t < transactions; t++) {
    for (let m = start[t]; m < start[t + 1]; m++) if (outsideRead[m] === 1) reader[next[version[m]]++] = t
  }
  return { readerOffset, reader }
}
