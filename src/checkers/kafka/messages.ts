/**
 * The messages of a history, each once. A log is polled by many clients, so most messages are seen many times at the
 * same place: all of these are one object, and what is known about messages stands in arrays by their numbers.
 */
import { valueKey, type ValueKey } from '../../history/value.ts'

export interface Message {
  readonly key: string
  readonly value: unknown
  /** Messages of one key with equal values have one number. */
  readonly number: number
  /** Null if the client does not know it. */
  readonly offset: number | null
  /** The number of this object: a value that was seen at two offsets is two of them. */
  readonly place: number
}

export class MessageTable {
  readonly #keys = new Map<string, MessagesOfKey>()
  /** How many different messages there are: pairs of key and value. */
  numbers = 0
  /** How many objects there are. */
  places = 0

  ofKey(key: string): MessagesOfKey {
    let messages = this.#keys.get(key)
    if (messages === undefined) this.#keys.set(key, (messages = new MessagesOfKey(key, this)))
    return messages
  }
}

/** The objects of one message. Most are seen at one offset; what was asked to be sent has none. */
interface Objects {
  readonly number: number
  without: Message | null
  first: Message | null
  others: Map<number, Message> | null
}

class MessagesOfKey {
  readonly #key: string
  readonly #table: MessageTable
  readonly #objects = new Map<ValueKey, Objects>()

  constructor(key: string, table: MessageTable) {
    this.#key = key
    this.#table = table
  }

  message(value: unknown, offset: number | null): Message {
    const id = valueKey(value)
    let objects = this.#objects.get(id)
    if (objects === undefined) {
      objects = { number: this.#table.numbers++, without: null, first: null, others: null }
      this.#objects.set(id, objects)
    }
    if (offset === null) return (objects.without ??= this.#object(value, objects.number, null))
    if (objects.first === null) return (objects.first = this.#object(value, objects.number, offset))
    if (objects.first.offset === offset) return objects.first
    const others = (objects.others ??= new Map())
    let other = others.get(offset)
    if (other === undefined) others.set(offset, (other = this.#object(value, objects.number, offset)))
    return other
  }

  #object(value: unknown, number: number, offset: number | null): Message {
    return { key: this.#key, value, number, offset, place: this.#table.places++ }
  }
}
