/**
 * What is wrong with an rw-register history without looking at cycles: aborted, intermediate and garbage reads,
 * internal inconsistency, lost updates.
 */
import { show } from '../../../history/value.ts'
import type { AnomalyList } from '../anomaly-list.ts'
import { FAIL, OK, operationId, READ, updatedRead, WRITE, type MicroOperations } from '../micro-operations.ts'
import type { RegisterVersions } from './register-versions.ts'
import { int32, uint8 } from '../../workspace.ts'

export function registerAnomalies(
  txns: MicroOperations,
  versions: RegisterVersions,
  anomalies: AnomalyList,
  initialValues = false,
): void {
  const { kind, type, transaction } = txns
  const initial = initialValues ? initialVersions(txns, versions) : null
  let internal = -1
  for (let m = 0; m < kind.length; m++) {
    const t = transaction[m]
    if (kind[m] !== READ || type[t] !== OK) continue
    if (initial?.[versions.version[m]] !== 1) readOf(txns, versions, m, anomalies)
    const b = versions.before[m]
    if (internal === t || b < 0 || versions.version[b] === versions.version[m]) continue
    internal = t
    anomalies.add('internal', () => ({
      message: `operation ${operationId(txns, t)} read key ${show(txns.keys[txns.key[m]])} as ${show(txns.value[m])}, though it had just ${kind[b] === WRITE ? 'written' : 'read'} ${show(txns.value[b])}`,
      operations: [operationId(txns, t)],
      details: { key: txns.keys[txns.key[m]], read: txns.value[m], expected: txns.value[b] },
    }))
  }
  lostUpdates(txns, versions, anomalies)
}

/** Per key the one version that was read and not written, unless the key was also read as null: its initial state. */
function initialVersions(
  { kind, keys, type, transaction }: MicroOperations,
  versions: RegisterVersions,
): Uint8Array {
  const candidates = keys.map(() => new Set<number>())
  for (let m = 0; m < kind.length; m++) {
    const v = versions.version[m]
    if (kind[m] !== READ || type[transaction[m]] !== OK || v < 0 || versions.written[v] >= 0) continue
    candidates[versions.key[v]].add(v)
  }
  const initial = uint8(versions.count)
  for (const only of candidates) if (only.size === 1) for (const v of only) initial[v] = 1
  return initial
}

function readOf(txns: MicroOperations, versions: RegisterVersions, m: number, anomalies: AnomalyList): void {
  const { key, keys, value, type, transaction } = txns
  const v = versions.version[m]
  if (v < keys.length) return
  const t = transaction[m]
  const from = versions.written[v]
  const what = `operation ${operationId(txns, t)} read ${show(value[m])} from key ${show(keys[key[m]])}`
  const details = { key: keys[key[m]], value: value[m] }
  if (from < 0) {
    anomalies.add('garbage-read', () => ({
      message: `${what}, which no transaction wrote`,
      operations: [operationId(txns, t)],
      details,
    }))
    return
  }
  const writer = transaction[from]
  const operations = [operationId(txns, t), operationId(txns, writer)]
  if (type[writer] === FAIL) {
    anomalies.add('G1a', () => ({
      message: `${what}, which operation ${operationId(txns, writer)} wrote and aborted`,
      operations,
      details,
    }))
  }
  if (versions.outsideWrite[from] === 0 && writer !== t) {
    anomalies.add('G1b', () => ({
      message: `${what}, but operation ${operationId(txns, writer)} overwrote it before it committed: an intermediate state`,
      operations,
      details,
    }))
  }
}

/** Committed transactions that read the same version of a key first and wrote the key after. */
function lostUpdates(txns: MicroOperations, versions: RegisterVersions, anomalies: AnomalyList): void {
  const { kind, key, keys, type, transaction } = txns
  const { before, version } = versions
  const first = int32(versions.count, -1)
  const groups = new Map<number, number[]>()
  for (let m = 0; m < kind.length; m++) {
    if (kind[m] !== WRITE || before[m] < 0 || type[transaction[m]] !== OK) continue
    const read = updatedRead(txns, before, m)
    // Which version a read saw may be unknown.
    const v = read < 0 ? -1 : version[read]
    if (v < 0) continue
    if (first[v] < 0) first[v] = m
    else if (groups.has(v)) groups.get(v)!.push(m)
    else groups.set(v, [first[v], m])
  }
  for (const writes of groups.values()) {
    const ids = writes.map((m) => operationId(txns, transaction[m]))
    const m = writes[0]
    anomalies.add('lost-update', () => ({
      message: `operations ${ids.join(' and ')} read the same value of key ${show(keys[key[m]])} and each wrote it: one update is lost`,
      operations: ids,
      details: { key: keys[key[m]] },
    }))
  }
}
