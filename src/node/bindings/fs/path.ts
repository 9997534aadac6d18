/**
 * Paths and names between Node's library and the disk. Linux names are bytes; the disk's are strings. Bytes that are
 * not UTF-8 become lone low surrogates (U+DC80 … U+DCFF), which no valid text has, so that every name comes back as it
 * went in. As text they show as U+FFFD, as in Node.
 */
import { Buffer } from 'node:buffer'

const REPLACEMENT = '\ufffd'
const ESCAPED = /[\udc80-\udcff]/
const ESCAPE_BASE = 0xdc00

/** A path as the library passes it: a string or its bytes. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  const view = value as Uint8Array
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength)
  const text = bytes.toString()
  return text.includes(REPLACEMENT) ? decode(bytes) : text
}

/** A name in the encoding that was asked for. */
export function encodeName(name: string, encoding: unknown): string | Buffer {
  const isEscaped = ESCAPED.test(name) && encode(name) !== null
  if (encoding === undefined || encoding === null || encoding === 'utf8' || encoding === 'utf-8') {
    return isEscaped ? encode(name)!.toString() : name
  }
  const bytes = isEscaped ? encode(name)! : Buffer.from(name)
  return encoding === 'buffer' ? bytes : bytes.toString(encoding as BufferEncoding)
}

/** Text with every byte that does not belong to a valid sequence escaped. */
function decode(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at)
    if (length === 0) text += String.fromCharCode(ESCAPE_BASE + bytes[at++])
    else {
      text += bytes.toString('utf8', at, at + length)
      at += length
    }
  }
  return text
}

/** How long the valid UTF-8 sequence at a place is; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (at + length > bytes.length) return 0
  const text = bytes.toString('utf8', at, at + length)
  return text.includes(REPLACEMENT) && Buffer.from(text).compare(bytes, at, at + length) !== 0 ? 0 : length
}

/** The bytes of a name with escapes; null if its surrogates are not ours but a pair's. */
function encode(name: string): Buffer | null {
  const parts: Buffer[] = []
  let escapes = 0
  for (const character of name) {
    const code = character.codePointAt(0)!
    if (code >= 0xdc80 && code <= 0xdcff) {
      parts.push(Buffer.of(code - ESCAPE_BASE))
      escapes++
    } else parts.push(Buffer.from(character))
  }
  return escapes === 0 ? null : Buffer.concat(parts)
}
