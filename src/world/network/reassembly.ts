/**
 * The receiving half of a flow: puts packets back in order. Each packet is handed on exactly once and in order, or not at
 * all; what comes before its turn is kept until the gap is filled.
 */
import type { Packet } from './packet.ts'

/** The fate of a packet at its host: taken, answered with a reset, or dropped silently. */
export type Reception = 'taken' | 'refused' | 'dropped'

export class Reassembly {
  /** The number of the packet that is next. */
  expected = 0
  /** Bytes that were handed on. */
  receivedBytes = 0
  private readonly receive: (packet: Packet) => Reception
  private early: Packet[] = []
  private sinceGap = 0

  constructor(receive: (packet: Packet) => Reception) {
    this.receive = receive
  }

  /** Keeps a packet that came before its turn; returns how many did since the gap opened. */
  keepEarly(packet: Packet): number {
    const at = this.early.findIndex((other) => other.number > packet.number)
    if (at < 0) this.early.push(packet)
    else this.early.splice(at, 0, packet)
    return ++this.sinceGap
  }

  /** Hands on the packet that is next, and those that waited for it. */
  takeInOrder(packet: Packet): Reception {
    this.sinceGap = 0
    let reception = this.take(packet)
    while (reception === 'taken' && this.early.length > 0 && this.early[0].number === this.expected) {
      reception = this.take(this.early.shift()!)
    }
    return reception
  }

  private take(packet: Packet): Reception {
    this.expected++
    this.receivedBytes += packet.bytes.length
    const reception = this.receive(packet)
    if (reception !== 'taken') {
      this.expected-- // a segment that is sent again gets an answer of its own
      this.receivedBytes -= packet.bytes.length
    }
    return reception
  }
}
