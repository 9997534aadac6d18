/**
 * A register history as the axioms of isolation see it: committed transactions in sessions, and for every outside read
 * the transaction it read from (Biswas and Enea, OOPSLA 2019). Reads that no order of transactions could ever explain
 * (aborted, intermediate and garbage reads, contradictions inside a transaction) are anomalies at every level.
 *
 * Unknown transactions: one whose write was read has happened, after what its process did before and otherwise at any
 * time; of the others each may never have happened, and leaving them all out only makes the history easier to explain,
 * so that is what is judged.
 */
import { show } from '../../../history/value.ts'
import { askRunning } from '../../budget.ts'
import { AnomalyList } from '../anomaly-list.ts'
import {
  FAIL,
  malformedReason,
  OK,
  operationId,
  READ,
  WRITE,
  type MicroOperations,
} from '../micro-operations.ts'
import { registerAnomalies } from '../registers/register-anomalies.ts'
import type { AmbiguousReads } from '../registers/register-sources.ts'
import { registerVersions, type RegisterVersions } from '../registers/register-versions.ts'

/** Reads from it are reads of the initial state. */
export const INITIAL = -1

export interface ReadsFrom {
  readonly txns: MicroOperations
  /** Committed transactions, in history order; each with its number among all transactions. */
  readonly count: number
  readonly transaction: Int32Array
  /** Whether its reads are known and others of its process follow it. */
  readonly acknowledged: Uint8Array
  /** The acknowledged transaction before it in its session, or -1. */
  readonly previous: Int32Array
  readonly sessions: number
  /** Sessions are numbered; an unacknowledged transaction has one of its own. */
  readonly session: Int32Array
  readonly place: Int32Array
  /** Outside reads of t in program order: `readStart[t]` to `readStart[t + 1]`. */
  readonly readStart: Int32Array
  readonly readKey: Int32Array
  readonly readSource: Int32Array
  /** Keys that t writes, once each. */
  readonly writeStart: Int32Array
  readonly writeKey: Int32Array
  readonly anomalies: AnomalyList
  readonly weakness: string | null
}

/** Anomalies of which each rules out every level. */
const ALWAYS_WRONG = ['G1a', 'G1b', 'garbage-read', 'internal', 'future-read']

export function readsFrom(txns: MicroOperations, ambiguous: AmbiguousReads | null): ReadsFrom {
  const versions = registerVersions(txns, true, ambiguous)
  const anomalies = new AnomalyList()
  collectAnomalies(txns, versions, anomalies)
  const { kind, key, type, transaction: of, start } = txns
  const number = new Int32Array(txns.count).fill(-1)
  const committed: number[] = []
  for (let t = 0; t < txns.count; t++) {
    if (versions.committed[t] === 1) number[t] = committed.push(t) - 1
  }
  const count = committed.length
  const readStart = new Int32Array(count + 1)
  const writeStart = new Int32Array(count + 1)
  const readKey: number[] = []
  const readSource: number[] = []
  const writeKey: number[] = []
  for (let n = 0; n < count; n++) {
    askRunning()
    const t = committed[n]
    for (let m = start[t]; m < start[t + 1]; m++) {
      if (versions.outsideWrite[m] === 1) writeKey.push(key[m])
      if (kind[m] !== READ || wroteBefore(txns, versions, m)) continue
      const from = versions.written[versions.version[m]]
      const source = from < 0 || type[of[from]] === FAIL ? INITIAL : number[of[from]]
      if (source === n) continue
      readKey.push(key[m])
      readSource.push(source)
    }
    readStart[n + 1] = readKey.length
    writeStart[n + 1] = writeKey.length
  }
  return {
    txns,
    count,
    transaction: Int32Array.from(committed),
    ...sessionOrder(txns, committed),
    readStart,
    readKey: Int32Array.from(readKey),
    readSource: Int32Array.from(readSource),
    writeStart,
    writeKey: Int32Array.from(writeKey),
    anomalies,
    weakness: malformedReason(txns),
  }
}

function wroteBefore({ kind }: MicroOperations, { before }: RegisterVersions, m: number): boolean {
  for (let b = before[m]; b >= 0; b = before[b]) if (kind[b] === WRITE) return true
  return false
}

/** What is wrong at any level. Two reads of a key that differ are not: that is for the levels to judge. */
function collectAnomalies(txns: MicroOperations, versions: RegisterVersions, anomalies: AnomalyList): void {
  const all = new AnomalyList()
  registerAnomalies(txns, versions, all)
  for (const anomaly of all.of(new Set(ALWAYS_WRONG))) {
    if (anomaly.type !== 'internal') anomalies.add(anomaly.type, () => anomaly)
  }
  const { kind, key, keys, value, type, transaction } = txns
  const { before, version, written } = versions
  for (let m = 0; m < kind.length; m++) {
    const t = transaction[m]
    if (kind[m] !== READ || type[t] !== OK) continue
    let own = before[m]
    while (own >= 0 && kind[own] !== WRITE) own = before[own]
    const from = written[version[m]]
    const message = (what: string) => () => ({
      message: `operation ${operationId(txns, t)} read ${show(value[m] ?? null)} from key ${show(keys[key[m]])} ${what}`,
      operations: [operationId(txns, t)],
      details: { key: keys[key[m]], value: value[m] ?? null },
    })
    if (own >= 0 && version[own] !== version[m]) {
      anomalies.add('internal', message(`after it had written ${show(value[own])}`))
    } else if (own < 0 && from > m && transaction[from] === t) {
      anomalies.add('future-read', message('before it wrote that itself'))
    }
  }
}

function sessionOrder({ history, position, type }: MicroOperations, committed: readonly number[]) {
  const count = committed.length
  const acknowledged = new Uint8Array(count)
  const previous = new Int32Array(count).fill(-1)
  const session = new Int32Array(count)
  const place = new Int32Array(count)
  const last = new Int32Array(history.processes.length).fill(-1)
  let sessions = history.processes.length
  for (let n = 0; n < count; n++) {
    const process = history.process[position[committed[n]]]
    // What a client without a name did before is unknown.
    const named = history.processes[process] !== null
    previous[n] = named ? last[process] : -1
    if (type[committed[n]] === OK) acknowledged[n] = 1
    if (type[committed[n]] !== OK || !named) {
      session[n] = sessions++
      continue
    }
    session[n] = process
    place[n] = last[process] < 0 ? 0 : place[last[process]] + 1
    last[process] = n
  }
  return { acknowledged, previous, sessions, session, place }
}
