/**
 * The simulated network between nodes, services and clients. Every receiver has a queue by deadline; the latency of a
 * message is drawn when it is sent, and is 0 to and from clients. A partition drops a message at the moment in which it
 * would be received. Order is kept among messages of one deadline only.
 */
import { exponential, fraction, type Decisions } from '../decisions.ts'
import type { Machine } from '../machine.ts'
import { isClient, type Message } from '../protocol/envelope.ts'
import { Journal } from './journal.ts'
import { MessageQueue } from './message-queue.ts'

/**
 * Timers count whole milliseconds. A message is delivered at most half of one early, as it is at most about half of one
 * late: if every hop were rounded up, a message over 24 hops of 10 ms would arrive 24 ms late.
 */
const EARLY_US = 500

export type LatencyDistribution = 'constant' | 'uniform' | 'exponential'

export interface NetworkOptions {
  readonly machine: Machine
  readonly decisions: Decisions
  readonly latencyMs: number
  readonly distribution: LatencyDistribution
  readonly onSend?: (message: Message) => void
  readonly onReceive?: (message: Message) => void
}

/** Who receives messages. */
interface Receiver {
  readonly queue: MessageQueue
  deliver: ((message: Message, id: number) => void) | null
  /** True while messages are being handed over: a message that arrives meanwhile waits for its turn. */
  draining: boolean
  cancel: (() => void) | null
}

export class Network {
  readonly journal = new Journal()
  /** Messages that a partition kept from their receivers. */
  dropped = 0
  readonly #options: NetworkOptions
  readonly #receivers = new Map<string, Receiver>()
  readonly #cut = new Map<string, ReadonlySet<string>>()
  #nextId = 0
  #closed = false

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  /** From now on this receiver gets its messages, those that waited first. */
  attach(id: string, deliver: (message: Message, id: number) => void): void {
    let receiver = this.#receivers.get(id)
    if (receiver === undefined)
      this.#receivers.set(
        id,
        (receiver = { queue: new MessageQueue(), deliver: null, draining: false, cancel: null }),
      )
    receiver.deliver = deliver
    this.#drain(id, receiver)
  }

  /** Messages wait until the receiver is attached again. */
  suspend(id: string): void {
    const receiver = this.#receivers.get(id)
    if (receiver !== undefined) receiver.deliver = null
  }

  /** False if there is no such receiver, and never was. */
  send(message: Message): boolean {
    const receiver = this.#receivers.get(message.dest)
    const id = this.#nextId++
    this.journal.sent(id, message)
    this.#options.onSend?.(message)
    if (receiver === undefined) return false
    const now = this.#options.machine.nowUs()
    receiver.queue.push({ deadlineUs: now + this.#latencyUs(message), id, message })
    this.#drain(message.dest, receiver)
    return true
  }

  /** Messages from these senders do not reach the receiver. Replaces all cuts before. */
  partition(cuts: ReadonlyMap<string, ReadonlySet<string>>): void {
    this.#cut.clear()
    for (const [dest, sources] of cuts) this.#cut.set(dest, sources)
  }

  heal(): void {
    this.#cut.clear()
  }

  /** Nothing is delivered any more. */
  close(): void {
    this.#closed = true
    for (const receiver of this.#receivers.values()) receiver.cancel?.()
  }

  #latencyUs({ src, dest }: Message): number {
    const { latencyMs, distribution, decisions } = this.#options
    if (latencyMs === 0 || isClient(src) || isClient(dest)) return 0
    const meanUs = latencyMs * 1000
    if (distribution === 'constant') return meanUs
    return distribution === 'uniform'
      ? Math.round(fraction(decisions, 'latency') * 2 * meanUs)
      : Math.round(exponential(decisions, meanUs, 'latency'))
  }

  #drain(id: string, receiver: Receiver): void {
    if (receiver.draining || this.#closed) return
    receiver.draining = true
    receiver.cancel?.()
    receiver.cancel = null
    const { machine, onReceive } = this.#options
    while (receiver.deliver !== null && receiver.queue.size > 0) {
      const waitUs = receiver.queue.first.deadlineUs - machine.nowUs()
      if (waitUs > EARLY_US) {
        receiver.cancel = machine.after(Math.round(waitUs / 1000), () => this.#drain(id, receiver))
        break
      }
      const { message, id: messageId } = receiver.queue.pop()
      if (this.#cut.get(id)?.has(message.src) === true) {
        this.dropped++
        continue
      }
      this.journal.received(messageId, message)
      onReceive?.(message)
      receiver.deliver(message, messageId)
    }
    receiver.draining = false
  }
}
