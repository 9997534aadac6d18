/**
 * Lists to which one element was appended more than once, as a retry after a time-out does. Which append an element of
 * such a list comes from is not known, so no dependency is inferred from the list. Some things are wrong whatever append it
 * was: an element that is there more often than it was appended, one that no transaction appended or only aborted ones
 * did, two reads of which neither is a prefix of the other, and two committed transactions that read the same state
 * and both appended to it.
 */
import { show, valueKey, type ValueKey } from '../../../history/value.ts'
import type { AnomalyList } from '../anomaly-list.ts'
import { isPrefix } from './list-versions.ts'
import {
  earlierOnSameKey,
  FAIL,
  OK,
  operationId,
  READ,
  UNREAD,
  updatedRead,
  WRITE,
  type MicroOperations,
} from '../micro-operations.ts'

export interface RetriedLists {
  /** The transactions without anything that touches these lists. */
  readonly others: MicroOperations
  readonly keys: ReadonlySet<number>
  /** Why a history with such a list cannot be called valid. */
  readonly reason: string
}

/** Null when every element was appended once by transactions that may have happened. */
export function retriedLists(txns: MicroOperations): RetriedLists | null {
  const { kind, key, keys, value, type, transaction } = txns
  const suspects = listsOutOfOrder(txns)
  if (suspects === null) return null
  const seen: (Set<ValueKey> | undefined)[] = []
  const retried = new Set<number>()
  let first = -1
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== WRITE || suspects[key[m]] === 0 || type[transaction[m]] === FAIL) continue
    const ofKey = (seen[key[m]] ??= new Set())
    const element = valueKey(value[m])
    if (!ofKey.has(element)) {
      ofKey.add(element)
      continue
    }
    retried.add(key[m])
    if (first < 0) first = m
  }
  if (first < 0) return null
  const others = { ...txns, kind: kind.map((one, m) => (retried.has(key[m]) ? UNREAD : one)) }
  const reason = `operation ${operationId(txns, transaction[first])} appends ${show(value[first])} to key ${show(keys[key[first]])} a second time: reads cannot be traced to their writers`
  return { others, keys: retried, reason }
}

/**
 * Marks lists whose elements are not ever greater numbers. A workload that counts up appends nothing twice, and needs no
 * set of all elements to show it. Null if there is no other list.
 */
function listsOutOfOrder({ kind, key, keys, value, type, transaction }: MicroOperations): Uint8Array | null {
  const greatest = new Float64Array(keys.length).fill(Number.NEGATIVE_INFINITY)
  const marks = new Uint8Array(keys.length)
  let found = false
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== WRITE || type[transaction[m]] === FAIL) continue
    const element = value[m]
    if (typeof element === 'number' && element > greatest[key[m]]) greatest[key[m]] = element
    else {
      marks[key[m]] = 1
      found = true
    }
  }
  return found ? marks : null
}

export function retriedListAnomalies(
  txns: MicroOperations,
  { keys: retried }: RetriedLists,
  anomalies: AnomalyList,
): void {
  const { kind, key, type, transaction, value } = txns
  const appends = appendsOf(txns, retried)
  const longest = new Map<number, number>()
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== READ || !retried.has(key[m]) || type[transaction[m]] !== OK || !Array.isArray(value[m]))
      continue
    inspect(txns, m, appends.get(key[m])!, anomalies)
    comparePrefixes(txns, m, longest, anomalies)
  }
  lostUpdates(txns, retried, anomalies)
}

interface Appends {
  possible: number
  failed: number
}

/** Per key and element how many appends may have happened, and how many did not. */
function appendsOf(
  { kind, key, value, type, transaction }: MicroOperations,
  retried: ReadonlySet<number>,
): Map<number, Map<ValueKey, Appends>> {
  const appends = new Map([...retried].map((k) => [k, new Map<ValueKey, Appends>()]))
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== WRITE || !retried.has(key[m])) continue
    const ofKey = appends.get(key[m])!
    const element = valueKey(value[m])
    const count = ofKey.get(element) ?? { possible: 0, failed: 0 }
    ofKey.set(element, count)
    if (type[transaction[m]] === FAIL) count.failed++
    else count.possible++
  }
  return appends
}

function inspect(
  txns: MicroOperations,
  m: number,
  appends: ReadonlyMap<ValueKey, Appends>,
  anomalies: AnomalyList,
): void {
  const { key, keys, value, transaction } = txns
  const reader = operationId(txns, transaction[m])
  const name = show(keys[key[m]])
  const counts = new Map<ValueKey, { readonly element: unknown; count: number }>()
  for (const element of value[m] as readonly unknown[]) {
    const known = counts.get(valueKey(element))
    if (known === undefined) counts.set(valueKey(element), { element, count: 1 })
    else known.count++
  }
  for (const [id, { element, count }] of counts) {
    const { possible = 0, failed = 0 } = appends.get(id) ?? {}
    const details = { key: keys[key[m]], element }
    if (possible + failed === 0) {
      const message = `operation ${reader} read ${show(element)} in key ${name}, which no transaction appended`
      anomalies.add('garbage-read', () => ({ message, operations: [reader], details }))
    } else if (possible === 0) {
      const message = `operation ${reader} read ${show(element)} in key ${name}, which only aborted transactions appended`
      anomalies.add('G1a', () => ({ message, operations: [reader], details }))
    } else if (count > possible) {
      const message = `operation ${reader} read ${show(element)} ${count} times in key ${name}, and it was appended ${possible} times`
      anomalies.add('duplicate-elements', () => ({ message, operations: [reader], details }))
    }
  }
}

function comparePrefixes(
  txns: MicroOperations,
  m: number,
  longest: Map<number, number>,
  anomalies: AnomalyList,
): void {
  const { key, keys, value, transaction } = txns
  const best = longest.get(key[m])
  if (best === undefined) {
    longest.set(key[m], m)
    return
  }
  const [list, other] = [value[m], value[best]] as (readonly unknown[])[]
  const [shorter, longer] = list.length <= other.length ? [list, other] : [other, list]
  if (!isPrefix(shorter, longer)) {
    const message = `key ${show(keys[key[m]])} was read as ${show(other)} and as ${show(list)}: neither is a prefix of the other`
    const operations = [operationId(txns, transaction[best]), operationId(txns, transaction[m])]
    anomalies.add('incompatible-order', () => ({ message, operations, details: { key: keys[key[m]] } }))
  }
  if (list.length > other.length) longest.set(key[m], m)
}

/** Equal lists are one state, no matter which transactions appended their elements. */
function lostUpdates(txns: MicroOperations, retried: ReadonlySet<number>, anomalies: AnomalyList): void {
  const { kind, key, keys, value, type, transaction } = txns
  const before = earlierOnSameKey(txns)
  const updates = new Map<ValueKey, number[]>()
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== WRITE || !retried.has(key[m]) || type[transaction[m]] !== OK) continue
    const read = updatedRead(txns, before, m)
    if (read < 0 || kind[read] !== READ) continue
    const state = `${key[m]}:${String(valueKey(value[read] ?? []))}`
    const others = updates.get(state)
    if (others === undefined) updates.set(state, [m])
    else others.push(m)
  }
  for (const writes of updates.values()) {
    const ids = [...new Set(writes.map((m) => operationId(txns, transaction[m])))]
    if (ids.length < 2) continue
    const name = keys[key[writes[0]]]
    const message = `operations ${ids.join(' and ')} read the same state of key ${show(name)} and each appended to it: one update is lost`
    anomalies.add('lost-update', () => ({ message, operations: ids, details: { key: name } }))
  }
}
