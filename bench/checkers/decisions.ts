/**
 * How many histories of an object are decided within 10 s of one core and 1 GB: valid ones, and ones with a planted
 * violation. A violation may still be explained by operations that were under way, so a history with one may be valid:
 * what counts is that there is an answer.
 */
import { linearizable } from '../../src/checkers/linearizable/index.ts'
import { serializable, snapshotIsolation } from '../../src/checkers/transactions/isolation.ts'
import { kafka } from '../../src/checkers/objects/index.ts'
import { History, parseHistory, printHistory } from '../../src/history/index.ts'
import { blindWrites } from './blind-writes.ts'
import { kafkaEvents } from './kafka-histories.ts'
import { linesOf } from './lines.ts'
import { objectHistory } from './object-histories.ts'
import { OBJECTS } from './objects.ts'
import { compared, processorMs, showMs, type Row } from './row.ts'
import { transactionHistory } from './transaction-histories.ts'

const OPERATIONS = 2000
const LIMIT_MS = 10_000
/** Wall time that is allowed for it: on a shared machine a core is not always there. */
const WALL_MS = 3 * LIMIT_MS

export function decidedObjects(
  name: string,
  histories: number,
  violation: boolean,
  plantedAt?: readonly [from: number, to: number],
): Row {
  const { what, clients, unknownPpm, model, make } = OBJECTS[name]
  const verdicts: Record<string, number> = { valid: 0, invalid: 0, unknown: 0 }
  let slowestMs = 0
  let decided = 0
  for (let seed = 1; seed <= histories; seed++) {
    const options = {
      seed,
      operations: OPERATIONS,
      clients,
      unknownPpm,
      violation,
      ...(plantedAt && { plantedAt }),
    }
    const history = objectHistory(make(), options)
    let verdict = 'unknown'
    const ms = processorMs(() => {
      verdict = linearizable(history, model, { timeoutWallMs: WALL_MS, memoryMb: 1024 }).verdict
    })
    verdicts[verdict]++
    slowestMs = Math.max(slowestMs, ms)
    if (verdict !== 'unknown' && ms <= LIMIT_MS) decided++
  }
  const least = Math.ceil(histories * (violation ? 0.9 : 1))
  return {
    what: `${what}, ${clients} clients, ${unknownPpm / 10_000} % unknown, ${violation ? 'violated' : 'valid'}${plantedAt ? ' early' : ''}`,
    ours: `${decided} of ${histories} decided`,
    peer: `limit ${showMs(LIMIT_MS)}`,
    ratio: null,
    bar: `≥ ${least} of ${histories}`,
    met: decided >= least && (violation || verdicts.invalid === 0),
    note: `${verdicts.valid} valid, ${verdicts.invalid} invalid; slowest ${showMs(slowestMs)}`,
  }
}

export function blindWritesBench(
  level: 'serializable' | 'snapshot-isolation',
  transactions: number,
  limitMs: number,
): Row {
  const history = History.from(blindWrites({ seed: 1, transactions, keys: 3, clients: 20 }))
  const check = level === 'serializable' ? serializable : snapshotIsolation
  let verdict = ''
  const ours = processorMs(() => (verdict = check(history, { timeoutWallMs: limitMs * 3 }).verdict))
  return {
    what: `${level}, ${transactions.toLocaleString('en')} transactions, 3 keys`,
    ours: showMs(ours),
    peer: `limit ${showMs(limitMs)}`,
    ratio: ours / limitMs,
    bar: '≤ 1',
    met: ours <= limitMs && verdict === 'valid',
    note: verdict,
  }
}

/** The same transactions as EDN and as lines of JSON. */
export function ednBench(transactions: number): Row {
  const lines = linesOf((visit) => transactionHistory({ seed: 1, transactions, writes: 'append' }, visit))
  const chunks: Buffer[] = []
  for (const text of printHistory(parseHistory(lines), 'jepsen-edn')) chunks.push(Buffer.from(text))
  const edn = Buffer.concat(chunks)
  const read = (bytes: Buffer): number =>
    processorMs(() => {
      if (parseHistory(bytes).length !== transactions) throw new Error('transactions are missing')
    })
  const peer = Math.min(read(lines), read(lines))
  const ours = Math.min(read(edn), read(edn))
  const what = `history.edn, ${transactions.toLocaleString('en')} transactions`
  const note = `${Math.round(edn.length / 1e6)} MB against ${Math.round(lines.length / 1e6)} MB`
  return compared({ what, ours, peer, peerName: 'as JSON lines', bar: 2, note })
}

export function kafkaBench(operations: number): Row {
  const limitMs = (3000 * operations) / 100_000
  const history = History.from(kafkaEvents({ seed: 1, operations, clients: 10, keys: 10 }))
  let verdict = ''
  const ours = processorMs(() => (verdict = kafka(history).verdict))
  return {
    what: `kafka, ${operations.toLocaleString('en')} operations, 10 clients, 10 keys`,
    ours: showMs(ours),
    peer: `limit ${showMs(limitMs)}`,
    ratio: ours / limitMs,
    bar: '≤ 1',
    met: ours <= limitMs && verdict === 'valid',
    note: verdict,
  }
}
