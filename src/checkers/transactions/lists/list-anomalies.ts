/**
 * What is wrong with a list-append history without looking at cycles: aborted, intermediate, garbage and future reads,
 * internal inconsistency, repeated elements, orders that contradict each other, dirty and lost updates.
 */
import { sameValue, show, valueKey, type ValueKey } from '../../../history/value.ts'
import type { AnomalyList } from '../anomaly-list.ts'
import { isPrefix, type ListVersions } from './list-versions.ts'
import {
  earlierOnSameKey,
  FAIL,
  OK,
  operationId,
  READ,
  updatedRead,
  WRITE,
  type MicroOperations,
} from '../micro-operations.ts'
import { int32, uint8 } from '../../workspace.ts'

export function listAnomalies(txns: MicroOperations, versions: ListVersions, anomalies: AnomalyList): void {
  const before = earlierOnSameKey(txns)
  insideTransactions(txns, versions, before, anomalies)
  ownOrder(txns, versions, before, anomalies)
  incompatibleOrders(txns, versions, anomalies)
  readsOfElements(txns, versions, intermediateWrites(txns, before), anomalies)
  dirtyUpdates(txns, versions, anomalies)
  lostUpdates(txns, versions, before, anomalies)
}

/** Marks writes that the same transaction overwrote. */
function intermediateWrites({ kind, key }: MicroOperations, before: Int32Array): Uint8Array {
  const intermediate = uint8(key.length)
  for (let m = 0; m < before.length; m++) {
    if (kind[m] !== WRITE) continue
    let b = before[m]
    while (b >= 0 && kind[b] !== WRITE) b = before[b]
    if (b >= 0) intermediate[b] = 1
  }
  return intermediate
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A transaction that contradicts itself, or sees what it is yet to append. */
function insideTransactions(
  txns: MicroOperations,
  versions: ListVersions,
  before: Int32Array,
  anomalies: AnomalyList,
): void {
  const { kind, key, keys, value, type, transaction } = txns
  let internal = -1
  let future = -1
  for (let m = 0; m < before.length; m++) {
    if (before[m] < 0 || type[transaction[m]] !== OK) continue
    const t = transaction[m]
    if (kind[m] === READ && internal !== t) {
      if (agrees(txns, versions, before, m)) continue
      internal = t
      const expected = expectedRead(txns, before, m)
      anomalies.add('internal', () => ({
        message: `operation ${operationId(txns, t)} read key ${show(keys[key[m]])} as ${show(value[m])}, though its own earlier micro-operations make it ${expected}`,
        operations: [operationId(txns, t)],
        details: { key: keys[key[m]], read: value[m], expected },
      }))
    } else if (kind[m] === WRITE && future !== t) {
      for (let b = before[m]; b >= 0; b = before[b]) {
        if (kind[b] !== READ || !sees(txns, versions, b, m)) continue
        future = t
        anomalies.add('future-read', () => ({
          message: `operation ${operationId(txns, t)} read ${show(value[m])} in key ${show(keys[key[m]])} before it appended it`,
          operations: [operationId(txns, t)],
          details: { key: keys[key[m]], read: value[b], element: value[m] },
        }))
        break
      }
    }
  }
}

/**
 * A transaction's appends to a list take effect in its own order: an element that is there without the one that the
 * transaction appended before it, or in front of it, contradicts that order.
 */
function ownOrder(
  txns: MicroOperations,
  versions: ListVersions,
  before: Int32Array,
  anomalies: AnomalyList,
): void {
  const { kind, key, keys, value, type, transaction } = txns
  const { slot } = versions
  for (let m = 0; m < before.length; m++) {
    if (kind[m] !== WRITE || slot[m] < 0 || type[transaction[m]] === FAIL) continue
    let earlier = before[m]
    while (earlier >= 0 && kind[earlier] !== WRITE) earlier = before[earlier]
    if (earlier < 0 || (slot[earlier] >= 0 && slot[earlier] < slot[m])) continue
    const t = transaction[m]
    const where = slot[earlier] < 0 ? 'lacks the first' : 'has the second in front'
    anomalies.add('internal', () => ({
      message: `operation ${operationId(txns, t)} appended ${show(value[earlier])} and then ${show(value[m])} to key ${show(keys[key[m]])}, and the list ${where}`,
      operations: [operationId(txns, t)],
      details: { key: keys[key[m]], elements: [value[earlier], value[m]] },
    }))
  }
}

/** Whether a read contains the element of an append to the same key. On regular keys places tell. */
function sees(
  { key, value }: MicroOperations,
  { regular, slot }: ListVersions,
  read: number,
  append: number,
): boolean {
  if (regular[key[read]] === 1) return slot[append] >= 0 && slot[append] <= slot[read]
  return contains(asList(value[read]), value[append])
}

function contains(list: readonly unknown[], element: unknown): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === element || sameValue(list[i], element)) return true
  return false
}

/** Whether a read shows what its transaction read of the key before, and then what it appended. */
function agrees(
  { kind, key, value }: MicroOperations,
  { regular }: ListVersions,
  before: Int32Array,
  m: number,
): boolean {
  const list = asList(value[m])
  let end = list.length
  let b = before[m]
  while (b >= 0 && kind[b] === WRITE) {
    end--
    if (end < 0 || (list[end] !== value[b] && !sameValue(list[end], value[b]))) return false
    b = before[b]
  }
  if (b < 0) return true
  const known = asList(value[b])
  return known.length === end && (regular[key[m]] === 1 || isPrefix(known, list))
}

/** What the read should have seen: a list, or a list with an unknown beginning. */
function expectedRead({ kind, value }: MicroOperations, before: Int32Array, m: number): string {
  const appended: unknown[] = []
  let b = before[m]
  for (; b >= 0 && kind[b] === WRITE; b = before[b]) appended.unshift(value[b])
  return b >= 0 ? show([...asList(value[b]), ...appended]) : `… ${show(appended)}`
}

function incompatibleOrders(txns: MicroOperations, versions: ListVersions, anomalies: AnomalyList): void {
  const { key, keys, value, transaction } = txns
  for (const [a, b] of versions.incompatible) {
    anomalies.add('incompatible-order', () => ({
      message: `key ${show(keys[key[a]])} was read as ${show(value[a])} and as ${show(value[b])}: neither is a prefix of the other`,
      operations: [operationId(txns, transaction[a]), operationId(txns, transaction[b])],
      details: { key: keys[key[a]], values: [value[a], value[b]] },
    }))
  }
  for (const m of versions.notLists) {
    anomalies.add('garbage-read', () => ({
      message: `operation ${operationId(txns, transaction[m])} read key ${show(keys[key[m]])} as ${show(value[m])}, which is no list`,
      operations: [operationId(txns, transaction[m])],
      details: { key: keys[key[m]], value: value[m] },
    }))
  }
}

/** Reads of elements that no transaction appended, that an aborted one appended, that were not their writer's last, or that come twice. */
function readsOfElements(
  txns: MicroOperations,
  versions: ListVersions,
  intermediate: Uint8Array,
  anomalies: AnomalyList,
): void {
  const { kind, key, keys, value, type, transaction } = txns
  const strange = strangeSlots(txns, versions)
  for (let m = 0; m < value.length; m++) {
    if (kind[m] !== READ || !Array.isArray(value[m])) continue
    const list = value[m] as readonly unknown[]
    if (list.length === 0) continue
    const t = transaction[m]
    const k = key[m]
    const last = versions.slot[m] >= 0 ? versions.writer[versions.slot[m]] : versions.appendOf(k, list.at(-1))
    if (last >= 0 && intermediate[last] === 1 && transaction[last] !== t && type[t] === OK) {
      anomalies.add('G1b', () => ({
        message: `operation ${operationId(txns, t)} read ${show(list.at(-1))} as the last element of key ${show(keys[k])}, but operation ${operationId(txns, transaction[last])} appended more to it: an intermediate state`,
        operations: [operationId(txns, t), operationId(txns, transaction[last])],
        details: { key: keys[k], element: list.at(-1) },
      }))
    }
    const suspicious = versions.regular[k] === 0 || strange[k] <= versions.slot[m]
    if (suspicious) inspectElements(txns, versions, m, anomalies)
  }
}

/** Per key the first slot whose element no transaction appended, or only an aborted one. */
function strangeSlots(
  { type, transaction, keys }: MicroOperations,
  { base, writer }: ListVersions,
): Int32Array {
  const strange = int32(keys.length, 0x7fffffff)
  for (let k = 0; k < keys.length; k++) {
    for (let s = base[k] + 1; s < base[k + 1]; s++) {
      if (writer[s] >= 0 && type[transaction[writer[s]]] !== FAIL) continue
      strange[k] = s
      break
    }
  }
  return strange
}

function inspectElements(
  txns: MicroOperations,
  versions: ListVersions,
  m: number,
  anomalies: AnomalyList,
): void {
  const { key, keys, value, type, transaction } = txns
  const t = transaction[m]
  const k = key[m]
  const seen = new Set<ValueKey>()
  const repeated = new Set<unknown>()
  for (const element of value[m] as readonly unknown[]) {
    if (seen.has(valueKey(element))) {
      repeated.add(element)
      continue
    }
    seen.add(valueKey(element))
    const writer = versions.appendOf(k, element)
    if (writer < 0) {
      anomalies.add('garbage-read', () => ({
        message: `operation ${operationId(txns, t)} read ${show(element)} in key ${show(keys[k])}, which no transaction appended`,
        operations: [operationId(txns, t)],
        details: { key: keys[k], element },
      }))
    } else if (type[transaction[writer]] === FAIL && type[t] === OK) {
      anomalies.add('G1a', () => ({
        message: `operation ${operationId(txns, t)} read ${show(element)} in key ${show(keys[k])}, which operation ${operationId(txns, transaction[writer])} appended and aborted`,
        operations: [operationId(txns, t), operationId(txns, transaction[writer])],
        details: { key: keys[k], element },
      }))
    }
  }
  if (repeated.size === 0) return
  anomalies.add('duplicate-elements', () => ({
    message: `operation ${operationId(txns, t)} read key ${show(keys[k])} as ${show(value[m])}: ${[...repeated].map((e) => show(e)).join(', ')} more than once`,
    operations: [operationId(txns, t)],
    details: { key: keys[k], elements: [...repeated] },
  }))
}

/** A committed transaction built on the append of an aborted one. */
function dirtyUpdates(txns: MicroOperations, versions: ListVersions, anomalies: AnomalyList): void {
  const { type, transaction, keys } = txns
  const { base, writer } = versions
  for (let k = 0; k < keys.length; k++) {
    let aborted = -1
    for (let s = base[k] + 1; s < base[k + 1]; s++) {
      if (writer[s] < 0) continue
      const t = transaction[writer[s]]
      if (type[t] === FAIL) aborted = aborted < 0 ? writer[s] : aborted
      else if (type[t] === OK) {
        if (aborted >= 0) {
          const dirty = transaction[aborted]
          anomalies.add('dirty-update', () => ({
            message: `operation ${operationId(txns, t)} committed an append to key ${show(keys[k])} on top of that of operation ${operationId(txns, dirty)}, which aborted`,
            operations: [operationId(txns, dirty), operationId(txns, t)],
            details: { key: keys[k] },
          }))
        }
        aborted = -1
      }
    }
  }
}

/** Two committed transactions that read the same state of a key and both appended to it. */
function lostUpdates(
  txns: MicroOperations,
  versions: ListVersions,
  before: Int32Array,
  anomalies: AnomalyList,
): void {
  const { kind, key, keys, value, type, transaction } = txns
  const updates = new Map<ValueKey, number[]>()
  const first = int32(versions.writer.length, -1)
  for (let m = 0; m < before.length; m++) {
    if (kind[m] !== WRITE || before[m] < 0 || type[transaction[m]] !== OK) continue
    const read = updatedRead(txns, before, m)
    if (read < 0 || kind[read] !== READ) continue
    const s = versions.slot[read]
    const exact = versions.regular[key[m]] === 1
    if (exact && first[s] < 0) {
      first[s] = m
      continue
    }
    const group: ValueKey = exact ? s : `${key[m]}:${String(valueKey(value[read] ?? []))}`
    const others = updates.get(group)
    if (others === undefined) updates.set(group, exact ? [first[s], m] : [m])
    else others.push(m)
  }
  for (const writes of updates.values()) {
    if (writes.length < 2) continue
    const ids = writes.map((m) => operationId(txns, transaction[m]))
    const m = writes[0]
    anomalies.add('lost-update', () => ({
      message: `operations ${ids.join(' and ')} read the same state of key ${show(keys[key[m]])} and each appended to it: one update is lost`,
      operations: ids,
      details: { key: keys[key[m]] },
    }))
  }
}
