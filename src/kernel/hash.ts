/**
 * The running hash of a run: every step, every choice and every byte sent or written feeds it. Two runs of one seed are
 * the same run exactly if their hashes agree after every step. Not cryptographic: it must be cheap, order-sensitive and
 * identical everywhere. Stacks, paths and log text stay out, so that a log line added to a program changes nothing.
 */
import { imul } from './arithmetic.ts'

/** The bytes in hexadecimal: every run has a digest, and V8 writes numbers in other bases slowly. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export class RunHash {
  private a = 0x2545f491
  private b = 0x6c078965

  /** Mixes in one integer (its low 32 bits). */
  add(value: number): void {
    const a = imul(this.a ^ value, 0x9e3779b1)
    this.a = (a << 15) | (a >>> 17)
    this.b = (imul(this.b, 5) + this.a + 0xe6546b64) | 0
  }

  /** Mixes in an integer up to 2^53. */
  addWide(value: number): void {
    this.add(value | 0)
    this.add((value / 0x1_0000_0000) | 0)
  }

  /** Mixes in bytes, four at a time. */
  addBytes(bytes: Uint8Array): void {
    const end = bytes.length & ~3
    let h = this.a ^ bytes.length
    let i = 0
    for (; i < end; i += 4) {
      h = imul(h ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)), 0x85ebca6b)
      h ^= h >>> 15
    }
    for (; i < bytes.length; i++) h = imul(h ^ bytes[i], 0x01000193)
    this.add(h)
  }

  /** 32 bits of the state, for comparison step by step. */
  get value(): number {
    return (this.a ^ imul(this.b ^ (this.b >>> 16), 0xc2b2ae35)) >>> 0
  }

  /** The whole state as 16 hexadecimal digits. */
  digest(): string {
    return hex32(this.a) + hex32(this.b)
  }
}

function hex32(word: number): string {
  return HEX[word >>> 24] + HEX[(word >>> 16) & 255] + HEX[(word >>> 8) & 255] + HEX[word & 255]
}
