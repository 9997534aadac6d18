/** What travels on a link for a stream socket. Packets are numbered, not bytes: a packet is never cut up again. */
import type { Kernel } from '../../kernel/kernel.ts'

export type PacketKind = 'syn' | 'syn-ack' | 'ack' | 'data' | 'fin' | 'rst' | 'probe'

export class Packet {
  readonly kind: PacketKind
  /** Its place in the order of the stream; −1 where it has none (resets, probes). */
  readonly number: number
  readonly bytes: Uint8Array
  /** What goes with the bytes besides bytes: a handle passed to another process of the same host. */
  readonly attachment: unknown
  /** The step that sent it, and the task that this step belonged to. */
  readonly cause: number
  readonly task: number
  /** When it arrives, and the step in which it did. */
  arrival = 0
  arrivalStep = 0

  constructor(kernel: Kernel, kind: PacketKind, number: number, bytes: Uint8Array, attachment: unknown) {
    this.kind = kind
    this.number = number
    this.bytes = bytes
    this.attachment = attachment
    this.cause = kernel.step
    this.task = kernel.task
  }
}

export const NO_BYTES = new Uint8Array(0)
