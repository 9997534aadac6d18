/** What travels on a link for a stream socket. Packets are numbered, not bytes: a packet is never cut up again. */

export type PacketKind = 'syn' | 'syn-ack' | 'ack' | 'data' | 'fin' | 'rst' | 'probe'

export class Packet {
  readonly kind: PacketKind
  /** Its place in the order of the stream; −1 where it has none (resets, probes). */
  readonly number: number
  readonly bytes: Uint8Array
  /** What goes with the bytes besides bytes: a handle passed to another process of the same host. */
  readonly attachment: unknown
  /** The step that sent it. */
  readonly cause: number
  arrival = 0

  constructor(kind: PacketKind, number: number, bytes: Uint8Array, attachment: unknown, cause: number) {
    this.kind = kind
    this.number = number
    this.bytes = bytes
    this.attachment = attachment
    this.cause = cause
  }
}

export const NO_BYTES = new Uint8Array(0)
