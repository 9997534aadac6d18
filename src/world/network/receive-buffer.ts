/**
 * Bytes that have arrived for a process and were not read yet. A read takes all that is there, up to the amount that
 * libuv asks for at once, no matter in which pieces it came; bytes that came with a handle begin a read of their own.
 */
import type { Kernel } from '../../kernel/kernel.ts'
import { gather } from './chunks.ts'
import { Fifo } from './fifo.ts'
import type { Packet } from './packet.ts'
import { SEGMENT_LIMIT } from './tcp-flow.ts'

export interface ReadResult {
  /** A buffer of the reader's own: it may change it, or transfer it to another thread. */
  readonly bytes: Uint8Array
  readonly attachment: unknown
}

export class ReceiveBuffer {
  private readonly kernel: Kernel
  private readonly packets = new Fifo<Packet>()

  constructor(kernel: Kernel) {
    this.kernel = kernel
  }

  get isEmpty(): boolean {
    return this.packets.length === 0
  }

  get bytes(): number {
    let bytes = 0
    for (const packet of this.packets.values()) bytes += packet.bytes.length
    return bytes
  }

  push(packet: Packet): void {
    packet.arrivalStep = this.kernel.step
    this.packets.push(packet)
  }

  /** Reads once. There must be something. */
  read(): ReadResult {
    const first = this.shift()
    const { bytes, attachment } = first
    const next = this.packets.first()
    if (next !== undefined && joins(next, bytes.length)) return { bytes: this.readSeveral(bytes), attachment }
    const owned = bytes.byteLength === bytes.buffer.byteLength
    return { bytes: owned ? bytes : bytes.slice(), attachment }
  }

  private readSeveral(first: Uint8Array): Uint8Array {
    const parts = [first]
    let length = first.length
    for (
      let next = this.packets.first();
      next !== undefined && joins(next, length);
      next = this.packets.first()
    ) {
      this.shift()
      parts.push(next.bytes)
      length += next.bytes.length
    }
    return gather(parts, length)
  }

  /** Takes the first packet. One that arrived in an earlier step is a cause of the step that reads it. */
  private shift(): Packet {
    const packet = this.packets.shift()!
    const { step, trace } = this.kernel
    if (packet.arrivalStep !== step) trace.link(step, packet.arrivalStep)
    return packet
  }
}

function joins(next: Packet, length: number): boolean {
  return next.attachment === null && length + next.bytes.length <= SEGMENT_LIMIT
}
