/**
 * What the log of a key must have looked like: offsets and the values that senders and pollers saw at them.
 * Offsets may have gaps (transaction markers, aborted messages), so positions are counted without them: the *index*
 * of a value is the rank of its offset.
 *
 * A sent offset counts only for operations that certainly committed; a polled one always, since it was seen.
 */
import { INFO, OK, type History } from '../../history/history.ts'
import type { Budget } from '../budget.ts'
import type { Message, MessageTable } from './messages.ts'
import type { LogOperation, Seen } from './micro-operations.ts'

/** The log of one key. */
export class KeyLog {
  readonly key: string
  /** Offset → the different messages seen there. */
  readonly offsets = new Map<number, Message[]>()
  /** Offsets in order; their ranks are indexes. */
  sorted: readonly number[] = []

  constructor(key: string) {
    this.key = key
  }

  /** Values between two indexes, both excluded. */
  between(from: number, to: number): unknown[] {
    return this.sorted.slice(from + 1, to).map((offset) => this.offsets.get(offset)![0].value)
  }
}

export interface Logs {
  readonly byKey: ReadonlyMap<string, KeyLog>
  /** By the number of a message: its index in the log of its key, of several places the first; -1 if it has none. */
  readonly index: Int32Array
  /** The same for a message that is at one place only and alone there, else -1: others say nothing about order. */
  readonly certain: Int32Array
  /** By the number of a message: at how many offsets it was seen. */
  readonly placeCount: Int32Array
}

/** Whether an operation certainly took effect: it says so, or a client saw a message of it. */
export function committed(operation: LogOperation, seen: Seen): boolean {
  if (operation.type !== INFO) return operation.type === OK
  return operation.sends.some(({ number }) => seen[number] === 1)
}

export function buildLogs(
  operations: readonly LogOperation[],
  messages: MessageTable,
  seen: Seen,
  budget: Budget,
): Logs {
  const byKey = new Map<string, KeyLog>()
  const known = new Uint8Array(messages.places)
  const placeCount = new Int32Array(messages.numbers)
  const see = (message: Message): void => {
    const { key, number, offset, place } = message
    if (known[place] === 1 || offset === null) return
    known[place] = 1
    placeCount[number]++
    let log = byKey.get(key)
    if (log === undefined) byKey.set(key, (log = new KeyLog(key)))
    const there = log.offsets.get(offset)
    if (there === undefined) log.offsets.set(offset, [message])
    else there.push(message)
  }
  for (const operation of operations) {
    budget.ask()
    if (committed(operation, seen)) for (const message of operation.sends) see(message)
    for (const message of operation.polled) see(message)
  }
  const index = new Int32Array(messages.numbers).fill(-1)
  const certain = new Int32Array(messages.numbers).fill(-1)
  for (const log of byKey.values()) {
    log.sorted = Array.from(Float64Array.from(log.offsets.keys()).sort())
    log.sorted.forEach((offset, rank) => {
      const there = log.offsets.get(offset)!
      for (const { number } of there) {
        if (index[number] < 0) index[number] = rank
        if (there.length === 1 && placeCount[number] === 1) certain[number] = rank
      }
    })
  }
  return { byKey, index, certain, placeCount }
}

/** Ids of operations in a history, for anomalies. */
export function idsOf(history: History, operations: readonly LogOperation[]): number[] {
  return operations.map(({ position }) => history.id[position])
}
