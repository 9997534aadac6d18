/**
 * Versions of rw-register keys: every (key, value) that was written or read is a version with a number of its own;
 * number k below the count of keys is key k's initial state, null. Written values should be unique per key: then a
 * read tells whose write it saw.
 *
 * Only what a transaction shows to the outside counts: its first read of a key before it wrote the key itself, and its
 * last write of a key.
 */
import { valueKey, type ValueKey } from '../../history/value.ts'
import { earlierOnSameKey, FAIL, INFO, OK, READ, WRITE, type MicroOperations } from './micro-operations.ts'
import { copyInt32, int32, uint8 } from './workspace.ts'

export interface RegisterVersions {
  readonly count: number
  readonly key: readonly number[]
  readonly value: readonly unknown[]
  /** Per micro-operation the version it wrote or read, -1 where unknown. */
  readonly version: Int32Array
  /** Per version the micro-operation that wrote it, whatever became of its transaction; -1 for nobody. */
  readonly written: Int32Array
  /** Per transaction whether it has happened: it committed, or it is unknown and somebody read its write. */
  readonly committed: Uint8Array
  /** Per version the committed transaction whose last write to the key it is; -1 for nobody. */
  readonly writer: Int32Array
  /** Per micro-operation the one before it in its transaction on the same key. */
  readonly before: Int32Array
  /** Micro-operations that are a transaction's outside reads and writes. */
  readonly outsideRead: Uint8Array
  readonly outsideWrite: Uint8Array
  /** Writes of a value that the key was given before. */
  readonly repeatedWrites: readonly number[]
  /** Readers of version v, by outside reads: `reader[readerOffset[v]]` to `reader[readerOffset[v + 1]]`. */
  readonly readerOffset: Int32Array
  readonly reader: Int32Array
}

export function registerVersions(txns: MicroOperations, unknownWriters: boolean): RegisterVersions {
  const { kind, key, keys, value, type, transaction, count: transactions, start } = txns
  const total = value.length
  const numbers: (Map<ValueKey, number> | undefined)[] = []
  const versionKey: number[] = keys.map((_, k) => k)
  const versionValue: unknown[] = keys.map(() => null)
  const version = int32(total, -1)
  for (let m = 0; m < total; m++) {
    const known = value[m]
    if (kind[m] !== READ && kind[m] !== WRITE) continue
    if (kind[m] === READ && (known === null || known === undefined)) {
      version[m] = key[m]
      continue
    }
    const ofKey = (numbers[key[m]] ??= new Map())
    const name = valueKey(known ?? null)
    let number = ofKey.get(name)
    if (number === undefined) {
      number = versionKey.length
      ofKey.set(name, number)
      versionKey.push(key[m])
      versionValue.push(known ?? null)
    }
    version[m] = number
  }
  const count = versionKey.length
  const before = earlierOnSameKey(txns)
  const written = int32(count, -1)
  const repeatedWrites: number[] = []
  for (let m = 0; m < total; m++) {
    if (kind[m] !== WRITE) continue
    const earlier = written[version[m]]
    if (earlier >= 0) repeatedWrites.push(m)
    if (earlier < 0 || (type[transaction[earlier]] === FAIL && type[transaction[m]] !== FAIL))
      written[version[m]] = m
  }
  const outsideRead = uint8(total)
  const outsideWrite = uint8(total)
  for (let m = 0; m < total; m++) {
    if (kind[m] === READ && before[m] < 0) outsideRead[m] = 1
    if (kind[m] !== WRITE) continue
    outsideWrite[m] = 1
    let b = before[m]
    while (b >= 0 && kind[b] !== WRITE) b = before[b]
    if (b >= 0) outsideWrite[b] = 0
  }

  const committed = uint8(transactions)
  for (let t = 0; t < transactions; t++) committed[t] = type[t] === OK ? 1 : 0
  if (unknownWriters) {
    // An unknown transaction whose write somebody saw has happened.
    for (let m = 0; m < total; m++) {
      if (kind[m] !== READ || type[transaction[m]] !== OK) continue
      const from = written[version[m]]
      if (from >= 0 && type[transaction[from]] === INFO) committed[transaction[from]] = 1
    }
  }
  const writer = int32(count, -1)
  for (let v = 0; v < count; v++) {
    const from = written[v]
    if (from >= 0 && outsideWrite[from] === 1 && committed[transaction[from]] === 1)
      writer[v] = transaction[from]
  }

  const readerOffset = int32(count + 1)
  for (let m = 0; m < total; m++) if (outsideRead[m] === 1) readerOffset[version[m] + 1]++
  for (let v = 0; v < count; v++) readerOffset[v + 1] += readerOffset[v]
  const reader = int32(readerOffset[count])
  const next = copyInt32(readerOffset.subarray(0, count))
  for (let t = 0; t < transactions; t++) {
    for (let m = start[t]; m < start[t + 1]; m++) if (outsideRead[m] === 1) reader[next[version[m]]++] = t
  }
  return {
    count,
    key: versionKey,
    value: versionValue,
    version,
    written,
    committed,
    writer,
    before,
    outsideRead,
    outsideWrite,
    repeatedWrites,
    readerOffset,
    reader,
  }
}
