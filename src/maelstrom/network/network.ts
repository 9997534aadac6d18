/**
 * The simulated network between nodes, services and clients. Every receiver has a queue by deadline; the latency of a
 * message is drawn when it is sent, in whole milliseconds, and is 0 to and from clients. A partition drops a message at
 * the moment in which it would be received. Order is kept among messages of one deadline only.
 *
 * A receiver takes one message at a time, as Maelstrom's does: the one with the earliest deadline, for which it then
 * waits the whole milliseconds that are left. What comes meanwhile waits behind it, a client's request too. So requests
 * take milliseconds at a node that is sent messages with latency, and a hop takes a little less than its latency.
 */
import { exponential, type Decisions } from '../decisions.ts'
import type { Machine } from '../machine.ts'
import { isClient, type Message } from '../protocol/envelope.ts'
import { Journal } from './journal.ts'
import { MessageQueue, type QueuedMessage } from './message-queue.ts'

export type LatencyDistribution = 'constant' | 'uniform' | 'exponential'

export interface NetworkOptions {
  readonly machine: Machine
  readonly decisions: Decisions
  readonly latencyMs: number
  readonly distribution: LatencyDistribution
  readonly onSend?: (message: Message) => void
  readonly onReceive?: (message: Message) => void
}

/** What receives messages. */
interface Receiver {
  readonly queue: MessageQueue
  deliver: ((message: Message, id: number) => void) | null
  /** The message that is next, whatever comes meanwhile. */
  taken: QueuedMessage | null
  /** True while messages are being handed over: a message that arrives meanwhile waits for its turn. */
  draining: boolean
  /** Ends the wait for the message that is taken; null: there is none. */
  cancel: (() => void) | null
}

const EMPTY: Omit<Receiver, 'queue'> = { deliver: null, taken: null, draining: false, cancel: null }

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

  /** From now on this receiver gets its messages. */
  attach(id: string, deliver: (message: Message, id: number) => void): void {
    let receiver = this.#receivers.get(id)
    if (receiver === undefined) {
      receiver = { ...EMPTY, queue: new MessageQueue() }
      this.#receivers.set(id, receiver)
    }
    receiver.deliver = deliver
  }

  /** The receiver is gone: what is on its way, and what is sent until it is attached again, is lost. */
  detach(id: string): void {
    const receiver = this.#receivers.get(id)
    if (receiver === undefined) return
    receiver.cancel?.()
    receiver.deliver = null
    this.#receivers.set(id, { ...EMPTY, queue: new MessageQueue() })
  }

  /** False if there is no such receiver, and never was. */
  send(message: Message): boolean {
    const receiver = this.#receivers.get(message.dest)
    const id = this.#nextId++
    this.journal.sent(id, message)
    this.#options.onSend?.(message)
    if (receiver === undefined) return false
    if (receiver.deliver === null) return true
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
    if (this.#options.latencyMs === 0 || isClient(src) || isClient(dest)) return 0
    return this.#drawMs() * 1000
  }

  #drawMs(): number {
    const { latencyMs, distribution, decisions } = this.#options
    if (distribution === 'constant') return latencyMs
    return distribution === 'uniform'
      ? decisions.below(Math.max(1, Math.ceil(2 * latencyMs)), 'latency')
      : Math.floor(exponential(decisions, latencyMs, 'latency'))
  }

  /** Hands over what is due, in turn; for what is not, it calls itself again. */
  #drain(id: string, receiver: Receiver): void {
    if (receiver.draining || receiver.cancel !== null || this.#closed) return
    receiver.draining = true
    while (receiver.deliver !== null) {
      if (receiver.taken === null) {
        if (receiver.queue.size === 0) break
        receiver.taken = receiver.queue.pop()
        if (this.#waits(id, receiver, receiver.taken.deadlineUs)) break
      }
      const { message, id: messageId } = receiver.taken
      receiver.taken = null
      if (this.#cut.get(id)?.has(message.src) === true) {
        this.dropped++
        continue
      }
      this.journal.received(messageId, message)
      this.#options.onReceive?.(message)
      receiver.deliver(message, messageId)
    }
    receiver.draining = false
  }

  /**
   * Whether the receiver has to wait for the message that it took. A thread that took it some microseconds after it was
   * sent, and sleeps for whole milliseconds, sleeps one less than the latency.
   */
  #waits(id: string, receiver: Receiver, deadlineUs: number): boolean {
    const { machine } = this.#options
    const waitMs = Math.ceil((deadlineUs - machine.nowUs()) / 1000) - 1
    if (waitMs <= 0) return false
    receiver.cancel = machine.after(waitMs, () => {
      receiver.cancel = null
      this.#drain(id, receiver)
    })
    return true
  }
}
