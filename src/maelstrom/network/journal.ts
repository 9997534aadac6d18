/**
 * Counts what the network carried: sent and received, between all, with a client, and between servers. Services count
 * as servers. A message that was sent and not received was lost. The first events are kept for the picture of the
 * messages; `init` and its answer are counted and not kept.
 */
import { isClient, type Message } from '../protocol/envelope.ts'

export interface JournalEvent {
  readonly kind: 'send' | 'receive'
  /** That of the message: the same when it is sent and when it is received. */
  readonly id: number
  readonly message: Message
}

export interface MessageJournal {
  readonly events: readonly JournalEvent[]
  /** How many events came after those that are kept. */
  readonly left: number
}

/** As many as Maelstrom draws. */
const MOST_EVENTS = 10_000

interface Counts {
  sends: number
  receives: number
}

export class Journal implements MessageJournal {
  readonly events: JournalEvent[] = []
  left = 0
  readonly #clients: Counts = { sends: 0, receives: 0 }
  readonly #servers: Counts = { sends: 0, receives: 0 }

  sent(id: number, message: Message): void {
    this.#of(message).sends++
    this.#keep('send', id, message)
  }

  received(id: number, message: Message): void {
    this.#of(message).receives++
    this.#keep('receive', id, message)
  }

  #of({ src, dest }: Message): Counts {
    return isClient(src) || isClient(dest) ? this.#clients : this.#servers
  }

  #keep(kind: JournalEvent['kind'], id: number, message: Message): void {
    const { type } = message.body
    if (type === 'init' || type === 'init_ok') return
    if (this.events.length < MOST_EVENTS) this.events.push({ kind, id, message })
    else this.left++
  }

  /** In Maelstrom's own words. */
  statistics(operations: number) {
    const all = {
      sends: this.#clients.sends + this.#servers.sends,
      receives: this.#clients.receives + this.#servers.receives,
    }
    const counts = ({ sends, receives }: Counts) => ({
      'send-count': sends,
      'recv-count': receives,
      'msg-count': sends,
    })
    const perOperation = ({ sends }: Counts) => (operations === 0 ? 0 : sends / operations)
    return {
      all: { ...counts(all), 'msgs-per-op': perOperation(all) },
      clients: counts(this.#clients),
      servers: { ...counts(this.#servers), 'msgs-per-op': perOperation(this.#servers) },
      'valid?': true as const,
    }
  }
}
