/** The packets of a stream socket on a link. Packets are numbered, not bytes: a packet is never cut up again. */
import { Buffer } from 'node:buffer'
import type { Kernel } from '../../kernel/kernel.ts'

export type PacketKind = 'syn' | 'syn-ack' | 'ack' | 'data' | 'fin' | 'rst' | 'probe'

export class Packet {
  readonly kind: PacketKind
  /** Its place in the order of the stream; −1 where it has none (resets, probes). */
  readonly number: number
  readonly bytes: Uint8Array
  /** A handle that goes with the bytes to another process of the same host. */
  readonly attachment: unknown
  /** The step that sent it, the task whose code did, and where in that code. */
  readonly cause: number
  readonly task: number
  readonly origin: object | null
  /** When it arrives, and the step in which it did. */
  arrival = 0
  arrivalStep = 0

  constructor(kernel: Kernel, kind: PacketKind, number: number, bytes: Uint8Array, attachment: unknown) {
    this.kind = kind
    this.number = number
    this.bytes = bytes
    this.attachment = attachment
    this.cause = kernel.step
    this.task = kernel.currentTask
    this.origin = kernel.originOf === null ? null : kernel.originOf(null)
  }
}

export const NO_BYTES = new Uint8Array(0)

const WORDS: Readonly<Record<PacketKind, string>> = {
  syn: 'connect',
  'syn-ack': 'connected',
  ack: 'accepted',
  data: 'data',
  fin: 'end',
  rst: 'reset',
  probe: 'probe',
}
const SHOWN_BYTES = 24

/** A packet for people: what it is and how its bytes begin. Encrypted bytes differ from run to run, and are not shown. */
export function packetWords({ kind, bytes }: Packet, opaque: boolean): string {
  if (kind !== 'data') return WORDS[kind]
  return opaque ? 'encrypted data' : `data ${bytesWords(bytes)}`
}

/** How some bytes begin, where they are text. */
export function bytesWords(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString('latin1')
  if (/[^\t\r\n\x20-\x7e]/.test(text)) return `(${bytes.length} bytes)`
  return JSON.stringify(bytes.length > SHOWN_BYTES ? `${text}…` : text)
}
