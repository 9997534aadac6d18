/**
 * Counts what the network carried: sent and received, between all, with a client, and between servers. Services count
 * as servers. A message that was sent and not received was lost.
 */
import { isClient, type Message } from '../protocol/envelope.ts'

interface Counts {
  sends: number
  receives: number
}

export class Journal {
  readonly #clients: Counts = { sends: 0, receives: 0 }
  readonly #servers: Counts = { sends: 0, receives: 0 }

  sent(message: Message): void {
    this.#of(message).sends++
  }

  received(message: Message): void {
    this.#of(message).receives++
  }

  #of({ src, dest }: Message): Counts {
    return isClient(src) || isClient(dest) ? this.#clients : this.#servers
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
