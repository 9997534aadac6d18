/**
 * One direction of a stream connection: the sender's unacknowledged packets and its view of the receiver's window, the
 * wire, and the receiver's reassembly. The target gets exactly the bytes that the source sent, in order, or a prefix of
 * them.
 *
 * The simulator knows what is lost, so it does only the work that shows. Packets on the wire are a queue behind *one*
 * kernel event. Acknowledgements are records with the time at which they reach the sender, who reads them when it needs
 * room; they become events only for a sender that waits. A retransmission timer runs only after a packet or an
 * acknowledgement was lost, and then follows Linux: 200 ms and the round trip, doubled up to 120 s, 15 times (924.6 s on
 * a fast link), 1 s and 6 times for SYN (127 s), and after three packets past a gap the first lost one is sent again at
 * once. Congestion control, Nagle's algorithm and delayed acknowledgements are left out.
 */
import type { Actor } from '../../kernel/actor.ts'
import { max, min } from '../../kernel/arithmetic.ts'
import { KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Fifo } from './fifo.ts'
import { DEFERRED, LOST, type Link, type LinkChoices } from './link.ts'
import { NO_BYTES, Packet, packetWords, type PacketKind } from './packet.ts'
import { Reassembly, type Reception } from './reassembly.ts'

/** The most bytes in one packet: what libuv reads at once. */
export const SEGMENT_LIMIT = 65_536

const SYN_TIMEOUT_US = 1_000_000
const SYN_RETRIES = 6
const MIN_TIMEOUT_US = 200_000
const MAX_TIMEOUT_US = 120_000_000
const RETRIES = 15
const DUPLICATE_ACKS = 3

/** The two hosts' sides of a flow. */
export interface FlowEnds {
  readonly sourceActor: Actor
  readonly targetActor: Actor
  /** Whether the source's host still has the memory that this connection is in. */
  readonly sourceRemembers: () => boolean
  /** Whether the target's host has power. */
  readonly targetUp: () => boolean
  /** The next packet in order, or one outside the order. */
  readonly receive: (packet: Packet) => Reception
  /** Acknowledgements made room for a source that was waiting for it. */
  readonly roomFreed: () => void
  /** Nothing was acknowledged for too long. */
  readonly gaveUp: () => void
  /** A packet came for a connection that the target does not know: it answers with a reset, which may get lost. */
  readonly refuse: () => boolean
  /** The target will not hear from the source any more and does not know it: the reset that said so got lost. */
  readonly resetLost: () => void
}

interface Ack {
  readonly time: number
  readonly packets: number
  readonly bytes: number
  readonly window: number
}

export class TcpFlow {
  /** Bytes that the receiving process took out of its buffer. */
  consumedBytes = 0
  /** The source waits for room in the window or in its own buffer. */
  blocked = false
  /** Bytes accepted from the process and not yet on the wire. */
  unsentBytes = 0
  private readonly kernel: Kernel
  private readonly link: Link
  private readonly back: Link
  private readonly choices: LinkChoices
  private readonly ends: FlowEnds
  private readonly bufferBytes: number
  // The sender.
  private readonly unsent = new Fifo<{ bytes: Uint8Array; attachment: unknown }>()
  private finQueued = false
  /** When the source last received something from the target; kept by the flow the other way. */
  lastReceivedTime = 0
  private sentBytes = 0
  private sentPackets = 0
  private ackedBytes = 0
  private ackedPackets = 0
  private windowBytes: number
  private readonly acks = new Fifo<Ack>()
  private lastAckTime = 0
  private readonly ackEvent: KernelEvent
  private lost: Packet[] = []
  private retries = 0
  /** The path was impaired, or a reset got lost, since the target last answered: word of room may never come by itself. */
  private isInDoubt = false
  private lastSentTime = 0
  private readonly timeoutEvent: KernelEvent
  private abandoned = false
  // The wire.
  private readonly wire = new Fifo<Packet>()
  private readonly wireEvent: KernelEvent
  private lastArrival = 0
  // The receiver.
  private readonly incoming: Reassembly
  private ackWaitsForHeal = false
  private accepting = false
  /** A middlebox has forgotten the connection and lets its packets vanish; it counts them. */
  swallowed: { packets: number } | null = null
  /** Bytes that say nothing from run to run (TLS) count in units, so that their exact length moves no virtual time. */
  opaque = false

  constructor(
    kernel: Kernel,
    link: Link,
    back: Link,
    choices: LinkChoices,
    ends: FlowEnds,
    receiveBufferBytes: number,
  ) {
    this.kernel = kernel
    this.link = link
    this.back = back
    this.choices = choices
    this.ends = ends
    this.incoming = new Reassembly(ends.receive)
    this.bufferBytes = receiveBufferBytes
    this.windowBytes = receiveBufferBytes
    this.wireEvent = new KernelEvent('segment', ends.targetActor, () => this.arrive())
    this.ackEvent = new KernelEvent('ack', ends.sourceActor, () => this.acknowledged())
    this.timeoutEvent = new KernelEvent('retransmit', ends.sourceActor, () => this.timedOut())
  }

  /** Bytes that occupy the send buffer: not yet sent, or sent and not known to have arrived. */
  heldBytes(): number {
    return this.unsentBytes + this.sentBytes - this.ackedBytes
  }

  /** Sends a packet without bytes: SYN, SYN-ACK, the handshake's last ACK. */
  sendControl(kind: PacketKind): void {
    this.transmit(new Packet(this.kernel, kind, this.sentPackets++, NO_BYTES, null))
  }

  /** Takes over bytes and sends them as the window allows. */
  send(bytes: Uint8Array, attachment: unknown): void {
    const { length } = bytes
    this.unsentBytes += length
    const fits = length <= SEGMENT_LIMIT && length <= this.windowBytes - this.sentBytes
    if (fits && this.unsent.length === 0) {
      this.sendPiece(bytes, attachment)
      return
    }
    this.unsent.push({ bytes, attachment })
    if (this.unsent.length === 1) this.pump()
  }

  /** FIN after everything that is queued. */
  finish(): void {
    if (this.finQueued) return
    this.finQueued = true
    if (this.unsent.length === 0) this.sendControl('fin')
  }

  /** Sends a reset, which is never sent again, and forgets everything else. False: it got lost. */
  reset(): boolean {
    const packet = new Packet(this.kernel, 'rst', -1, NO_BYTES, null)
    const arrival = this.swallows() ? LOST : this.link.send(0, this.choices)
    // A segment that was held back is not lost as well: the loss would have no effect.
    if (arrival === DEFERRED)
      this.link.whenHealed(() => this.toWire(packet, this.kernel.now + this.link.minimumLatencyUs))
    else if (arrival !== LOST) this.toWire(packet, arrival)
    else this.ends.resetLost()
    this.abandon()
    return arrival !== LOST
  }

  /** The source is no more: what is on the wire arrives, nothing is sent again. */
  abandon(): void {
    this.abandoned = true
    this.blocked = false
    this.unsent.clear()
    this.unsentBytes = 0
    this.lost = []
    this.kernel.cancel(this.timeoutEvent)
    this.kernel.cancel(this.ackEvent)
  }

  /** Asks to hear of room: see {@link FlowEnds.roomFreed}. */
  waitForRoom(): void {
    if (this.abandoned) return
    this.blocked = true
    this.armAck()
    if (this.isInDoubt) this.armTimeout()
  }

  /** The target may be silent for good: from now on a source that waits for room asks for it (zero-window probes). */
  doubt(): void {
    this.isInDoubt = true
    if (this.blocked) this.armTimeout()
  }

  /** The process read outside of an arrival: tell a sender that may be waiting for window. */
  read(): void {
    if (this.accepting) return
    if (this.blocked || this.windowBytes - this.sentBytes < this.bufferBytes >> 1) this.acknowledge()
  }

  /** Whether a packet sent now would get there and its acknowledgement back. */
  get pathIsWhole(): boolean {
    return this.link.passes && this.back.passes && this.ends.targetUp()
  }

  /** Whether it is on the path that a link was cut out of; with null, that a host without power is at the end of. */
  suffersFrom(link: Link | null): boolean {
    return link === null ? !this.pathIsWhole : link === this.link || link === this.back
  }

  get isRetransmitting(): boolean {
    return this.timeoutEvent.slot >= 0
  }

  /** The last time at which something was sent or arrived. */
  get lastActivity(): number {
    return max(this.lastSentTime, this.lastReceivedTime)
  }

  /** Sends a packet that says nothing: who knows the connection acknowledges it, who does not resets it. False: it got lost. */
  probe(): boolean {
    const arrival = this.swallows() ? LOST : this.link.send(0, this.choices)
    if (arrival >= 0) this.toWire(new Packet(this.kernel, 'probe', -1, NO_BYTES, null), arrival)
    return arrival !== LOST
  }

  /** Applies the acknowledgements that have reached the sender by now. */
  applyAcks(): void {
    for (;;) {
      const ack = this.acks.first()
      if (ack === undefined || ack.time > this.kernel.now) return
      this.acks.shift()
      this.retries = 0
      this.ackedPackets = ack.packets
      this.ackedBytes = ack.bytes
      this.windowBytes = ack.window
    }
  }

  private pump(): void {
    for (;;) {
      const next = this.unsent.first()
      if (next === undefined) break
      const { length } = next.bytes
      let room = this.windowBytes - this.sentBytes
      if (room < length) {
        this.applyAcks()
        room = this.windowBytes - this.sentBytes
        if (room <= 0 && length > 0) {
          this.waitForRoom()
          return
        }
      }
      const size = min(length, room, SEGMENT_LIMIT)
      this.sendPiece(size === length ? next.bytes : next.bytes.subarray(0, size), next.attachment)
      if (size === length) this.unsent.shift()
      else this.unsent.replaceFirst({ bytes: next.bytes.subarray(size), attachment: null })
    }
    if (this.finQueued) this.sendControl('fin')
  }

  /** A piece goes in one segment or, by choice, in two. */
  private sendPiece(bytes: Uint8Array, attachment: unknown): void {
    const size = this.link.segment(bytes.length, this.choices)
    this.unsentBytes -= bytes.length
    this.sendData(size === bytes.length ? bytes : bytes.subarray(0, size), attachment)
    if (size < bytes.length) this.sendData(bytes.subarray(size), null)
  }

  private sendData(bytes: Uint8Array, attachment: unknown): void {
    this.sentBytes += bytes.length
    const sent = this.link.damage(bytes, this.choices)
    this.transmit(new Packet(this.kernel, 'data', this.sentPackets++, sent, attachment))
  }

  private transmit(packet: Packet): void {
    this.lastSentTime = this.kernel.now
    if (this.swallows()) {
      this.lose(packet)
      return
    }
    const { length } = packet.bytes
    const arrival = this.link.send(
      this.opaque ? (length + OPAQUE_UNIT - 1) & -OPAQUE_UNIT : length,
      this.choices,
    )
    if (arrival >= 0) this.toWire(packet, arrival)
    else if (arrival === DEFERRED) this.link.whenHealed(() => this.transmit(packet))
    else this.lose(packet)
  }

  private swallows(): boolean {
    if (this.swallowed === null) return false
    this.swallowed.packets++
    return true
  }

  private toWire(packet: Packet, arrival: number): void {
    if (arrival < this.lastArrival) arrival = this.lastArrival
    this.lastArrival = arrival
    packet.arrival = arrival
    this.wire.push(packet)
    if (this.wire.length === 1) this.armWire(packet)
  }

  private armWire(packet: Packet): void {
    this.kernel.arm(this.wireEvent, packet.arrival, this.link.config.latenessUs)
    if (!this.kernel.worded) return
    this.wireEvent.origin = packet.origin
    this.wireEvent.detail = `${packetWords(packet, this.opaque)} ${this.link.from} → ${this.link.to}`
  }

  private arrive(): void {
    const packet = this.wire.shift()!
    const next = this.wire.first()
    if (next !== undefined) {
      this.armWire(next)
      this.wireEvent.cause = next.cause
      this.wireEvent.task = next.task
    }
    if (this.ends.targetUp()) this.accept(packet)
    else if (packet.kind !== 'rst') this.unanswered(packet)
  }

  /** The packet did not make it, or its answer will not: it will be sent again. */
  private unanswered(packet: Packet): void {
    if (packet.number >= 0) this.lose(packet)
    else this.armTimeout()
  }

  private accept(packet: Packet): void {
    const { expected } = this.incoming
    if (packet.number > expected) {
      this.keepEarly(packet)
      return
    }
    this.accepting = true
    let reception: Reception = 'taken'
    if (packet.number < 0) reception = this.ends.receive(packet)
    else if (packet.number === expected) reception = this.incoming.takeInOrder(packet)
    this.accepting = false
    if (packet.kind === 'rst') return
    if (reception === 'taken' && packet.kind === 'probe') this.isInDoubt = false
    if (reception === 'taken') this.acknowledge()
    else if (reception === 'dropped' || !this.ends.refuse()) this.unanswered(packet)
  }

  /** Packets past a gap are as many acknowledgements of what came before it: the third asks for the lost one. */
  private keepEarly(packet: Packet): void {
    const asks = this.incoming.keepEarly(packet) === DUPLICATE_ACKS
    if (asks && this.lost.length > 0 && this.back.passes) {
      this.kernel.arm(this.timeoutEvent, this.kernel.now + this.back.minimumLatencyUs)
    }
  }

  /** Tells the sender what has come and how much more may come. */
  private acknowledge(): void {
    const { back, kernel } = this
    if (!back.passes) {
      if (!back.defersOnly) {
        back.loseAcknowledgement()
        this.armTimeout()
      } else if (!this.ackWaitsForHeal) {
        this.ackWaitsForHeal = true
        back.whenHealed(() => {
          this.ackWaitsForHeal = false
          this.acknowledge()
        })
      }
      return
    }
    if (this.acks.length >= ACKS_KEPT) this.applyAcks()
    let time = kernel.now + back.minimumLatencyUs
    if (time < this.lastAckTime) time = this.lastAckTime
    this.lastAckTime = time
    this.acks.push({
      time,
      packets: this.incoming.expected,
      bytes: this.incoming.receivedBytes,
      window: this.consumedBytes + this.bufferBytes,
    })
    if (this.blocked) this.armAck()
  }

  private armAck(): void {
    const ack = this.acks.first()
    if (ack !== undefined && this.ackEvent.slot < 0) this.kernel.arm(this.ackEvent, ack.time)
  }

  private acknowledged(): void {
    if (this.isForgotten()) return
    this.blocked = false
    this.applyAcks()
    if (this.unsent.length > 0) this.pump()
    this.ends.roomFreed()
  }

  private lose(packet: Packet): void {
    if (this.abandoned) return
    this.lost.push(packet)
    this.armTimeout()
  }

  private armTimeout(): void {
    if (this.abandoned || this.timeoutEvent.slot >= 0) return
    this.applyAcks()
    const first = this.inHandshake
      ? SYN_TIMEOUT_US
      : MIN_TIMEOUT_US + this.link.minimumLatencyUs + this.back.minimumLatencyUs
    this.kernel.arm(this.timeoutEvent, this.lastSentTime + min(MAX_TIMEOUT_US, first * 2 ** this.retries))
  }

  /** Nothing but a SYN or SYN-ACK was sent. */
  private get inHandshake(): boolean {
    return this.sentPackets === 1 && this.ackedPackets === 0
  }

  /** Power was lost since: the kernel that would have sent again is no more. */
  private isForgotten(): boolean {
    if (this.ends.sourceRemembers()) return false
    this.abandon()
    return true
  }

  private timedOut(): void {
    if (this.isForgotten()) return
    this.applyAcks()
    if (this.lost.length === 0 && this.ackedPackets === this.sentPackets && !this.blocked) return
    if (this.retries >= (this.inHandshake ? SYN_RETRIES : RETRIES)) {
      this.abandon()
      this.ends.gaveUp()
      return
    }
    this.retries++
    if (this.lost.length === 0) {
      this.transmitProbe()
      return
    }
    const again = this.lost.sort((a, b) => a.number - b.number)
    this.lost = []
    for (const packet of again) {
      if (this.lost.length > 0) this.lost.push(packet)
      else this.transmit(packet)
    }
  }

  /** Everything arrived, but no acknowledgement came back: something already known is sent again. */
  private transmitProbe(): void {
    this.lastSentTime = this.kernel.now
    const arrival = this.swallows() ? LOST : this.link.send(0, this.choices)
    if (arrival === DEFERRED) this.link.whenHealed(() => this.transmitProbe())
    else if (arrival === LOST) this.armTimeout()
    else this.toWire(new Packet(this.kernel, 'probe', -1, NO_BYTES, null), arrival)
  }
}

const ACKS_KEPT = 16
const OPAQUE_UNIT = 4_096
