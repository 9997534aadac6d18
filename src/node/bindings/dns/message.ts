/**
 * DNS messages on the wire (RFC 1035, and RFC 2782, 3403, 3596, 6698, 8659 for later record types): queries written,
 * responses read. Only what a stub resolver needs: one question, the answer section, no EDNS.
 */
import { Buffer } from 'node:buffer'

export const RECORD_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  TLSA: 52,
  ANY: 255,
  CAA: 257,
} as const

export type RecordType = keyof typeof RECORD_TYPES

const INTERNET = 1
const RECURSION_DESIRED = 0x0100
const RESPONSE = 0x8000
const HEADER_BYTES = 12
const LABEL_LIMIT = 63
const NAME_LIMIT = 255

export interface Record {
  readonly type: number
  readonly ttl: number
  /** Where its data lies in the message. */
  readonly start: number
  readonly end: number
}

export interface Response {
  readonly id: number
  readonly responseCode: number
  readonly question: { readonly name: string; readonly type: number }
  readonly records: readonly Record[]
  /** Reads the data of records. */
  readonly reader: Reader
}

/** A query; null when the name is none. */
export function encodeQuery(id: number, name: string, type: RecordType): Buffer | null {
  const labels = name.replace(/\.$/, '').split('.')
  const pieces: Buffer[] = []
  let length = 1
  for (const label of name === '' || name === '.' ? [] : labels) {
    const bytes = Buffer.from(label, 'latin1')
    if (bytes.length === 0 || bytes.length > LABEL_LIMIT) return null
    length += bytes.length + 1
    pieces.push(Buffer.of(bytes.length), bytes)
  }
  if (length > NAME_LIMIT) return null
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(RECURSION_DESIRED, 2)
  header.writeUInt16BE(1, 4)
  const tail = Buffer.alloc(5)
  tail.writeUInt16BE(RECORD_TYPES[type], 1)
  tail.writeUInt16BE(INTERNET, 3)
  return Buffer.concat([header, ...pieces, tail])
}

/** Reads a response; null when it is malformed, and would be dropped. */
export function decodeResponse(bytes: Buffer): Response | null {
  try {
    const reader = new Reader(bytes)
    const id = reader.uint16()
    const flags = reader.uint16()
    const questions = reader.uint16()
    const answers = reader.uint16()
    reader.skip(4)
    if ((flags & RESPONSE) === 0 || questions !== 1) return null
    const question = { name: reader.name(), type: reader.uint16() }
    reader.skip(2)
    const records: Record[] = []
    for (let i = 0; i < answers; i++) {
      reader.name()
      const type = reader.uint16()
      reader.skip(2)
      const ttl = reader.uint32()
      const size = reader.uint16()
      const start = reader.at
      reader.skip(size)
      records.push({ type, ttl, start, end: reader.at })
    }
    return { id, responseCode: flags & 15, question, records, reader }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Reads from a message, following pointers in names. A read beyond the end throws a RangeError. */
export class Reader {
  at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  uint8(): number {
    return this.bytes.readUInt8(this.at++)
  }

  uint16(): number {
    this.at += 2
    return this.bytes.readUInt16BE(this.at - 2)
  }

  uint32(): number {
    this.at += 4
    return this.bytes.readUInt32BE(this.at - 4)
  }

  skip(size: number): void {
    this.take(size)
  }

  take(size: number): Buffer {
    if (this.at + size > this.bytes.length) throw new RangeError('a DNS message ends too early')
    this.at += size
    return this.bytes.subarray(this.at - size, this.at)
  }

  /** A string with its length before it. */
  text(): string {
    return this.take(this.uint8()).toString('latin1')
  }

  name(): string {
    const labels: string[] = []
    let back = -1
    for (let jumps = 0; ;) {
      const size = this.uint8()
      if (size === 0) break
      if ((size & 0xc0) === 0xc0) {
        if (++jumps > NAME_LIMIT) throw new RangeError('a DNS name points at itself')
        const target = ((size & 0x3f) << 8) | this.uint8()
        if (back < 0) back = this.at
        this.at = target
      } else labels.push(this.take(size).toString('latin1'))
    }
    if (back >= 0) this.at = back
    return labels.join('.')
  }
}
