/**
 * What the log of a key must have looked like: offsets and the values seen at them, by whoever sent or polled them.
 * Offsets may have gaps (transaction markers, aborted messages), so positions are counted without them: the *index*
 * of a value is the rank of its offset.
 *
 * A sent offset counts only for operations that certainly committed; a polled one always, since it was seen.
 */
import { INFO, OK, type History } from '../../history/history.ts'
import type { ValueKey } from '../../history/value.ts'
import type { Budget } from '../budget.ts'
import type { LogOperation, Message } from './micro-operations.ts'

export class KeyLog {
  readonly key: string
  /** Offset → the different values seen there. */
  readonly offsets = new Map<number, Map<ValueKey, Message>>()
  /** Value → the different offsets it was seen at. */
  readonly places = new Map<ValueKey, Set<number>>()
  /** Value → index of its first place, and of its only place, where it is alone. */
  #indexes: Map<ValueKey, number> | null = null
  #certain = new Map<ValueKey, number>()
  #sorted: number[] = []

  constructor(key: string) {
    this.key = key
  }

  see(message: Message, offset: number): void {
    const values = this.offsets.get(offset)
    // Most messages are seen many times, at the same place.
    if (values?.has(message.id) === true) return
    if (values === undefined) this.offsets.set(offset, new Map([[message.id, message]]))
    else values.set(message.id, message)
    const places = this.places.get(message.id)
    if (places === undefined) this.places.set(message.id, new Set([offset]))
    else places.add(offset)
    this.#indexes = null
  }

  /** Index of a value in the log, or -1 when its place is not known. Of several places, the first. */
  indexOf(id: ValueKey): number {
    return this.#rank().get(id) ?? -1
  }

  /** Index of a value that is at one place only and alone there, else -1: nothing about order follows from others. */
  certainIndexOf(id: ValueKey): number {
    this.#rank()
    return this.#certain.get(id) ?? -1
  }

  /** Values between two indexes, both excluded. */
  between(from: number, to: number): unknown[] {
    this.#rank()
    return this.#sorted.slice(from + 1, to).map((offset) => this.at(offset)[0].value)
  }

  at(offset: number): Message[] {
    return [...(this.offsets.get(offset)?.values() ?? [])]
  }

  /** All messages in order of their offsets. */
  *messages(): Generator<Message[]> {
    this.#rank()
    for (const offset of this.#sorted) yield this.at(offset)
  }

  #rank(): Map<ValueKey, number> {
    if (this.#indexes !== null) return this.#indexes
    const sorted = Float64Array.from(this.offsets.keys()).sort()
    const indexes = new Map<ValueKey, number>()
    this.#certain = new Map()
    sorted.forEach((offset, index) => {
      const values = this.offsets.get(offset)!
      for (const id of values.keys()) {
        if (!indexes.has(id)) indexes.set(id, index)
        if (values.size === 1 && this.places.get(id)!.size === 1) this.#certain.set(id, index)
      }
    })
    this.#sorted = Array.from(sorted)
    this.#indexes = indexes
    return indexes
  }
}

export type Logs = ReadonlyMap<string, KeyLog>

/** Whether an operation certainly took effect: it says so, or somebody saw a message of it. */
export function committed(
  operation: LogOperation,
  seen: ReadonlyMap<string, ReadonlySet<ValueKey>>,
): boolean {
  if (operation.type !== INFO) return operation.type === OK
  return operation.sends.some(({ key, id }) => seen.get(key)?.has(id) === true)
}

export function buildLogs(
  operations: readonly LogOperation[],
  seen: ReadonlyMap<string, ReadonlySet<ValueKey>>,
  budget: Budget,
): Map<string, KeyLog> {
  const logs = new Map<string, KeyLog>()
  const see = (message: Message) => {
    if (message.offset === null) return
    let log = logs.get(message.key)
    if (log === undefined) logs.set(message.key, (log = new KeyLog(message.key)))
    log.see(message, message.offset)
  }
  for (const operation of operations) {
    budget.ask()
    if (committed(operation, seen)) operation.sends.forEach(see)
    operation.polled.forEach(see)
  }
  return logs
}

/** Ids of operations in a history, for anomalies. */
export function idsOf(history: History, operations: readonly LogOperation[]): number[] {
  return operations.map(({ position }) => history.id[position])
}
