/**
 * The running hash after every step, and the comparison of two runs by it: the first step after which they differ is
 * where they parted, since the hash runs over everything that happened before. In a file each step takes three letters,
 * eighteen bits of its hash: a difference is missed at its own step once in 260,000 times, and then seen one later.
 */
import { floor, min } from './arithmetic.ts'
import { UsageError } from './errors.ts'
import type { Kernel } from './kernel.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const LETTERS = 3
const KEPT_BITS = 0x3ffff

export class HashLog {
  private hashes = new Uint32Array(4096)
  private count = 0

  /** A log of the kernel's steps from now on. */
  static of(kernel: Kernel): HashLog {
    const log = new HashLog()
    kernel.afterStep.push(() => log.add(kernel.hash.value))
    return log
  }

  add(hash: number): void {
    if (this.count === this.hashes.length) {
      const grown = new Uint32Array(this.hashes.length * 2)
      grown.set(this.hashes)
      this.hashes = grown
    }
    this.hashes[this.count++] = hash
  }

  get length(): number {
    return this.count
  }

  /** A copy that may be sent to another thread. */
  values(): Uint32Array {
    return this.hashes.slice(0, this.count)
  }
}

/** The first step, counted from 1, after which two runs differ; null if they are the same run. */
export function firstDifference(a: Uint32Array, b: Uint32Array): number | null {
  const common = min(a.length, b.length)
  for (let i = 0; i < common; i++) if (((a[i] ^ b[i]) & KEPT_BITS) !== 0) return i + 1
  return a.length === b.length ? null : common + 1
}

export function encodeHashes(hashes: Uint32Array): string {
  const parts: string[] = []
  for (const hash of hashes)
    parts.push(ALPHABET[(hash >>> 12) & 63] + ALPHABET[(hash >>> 6) & 63] + ALPHABET[hash & 63])
  return parts.join('')
}

export function decodeHashes(text: string): Uint32Array {
  if (text.length % LETTERS !== 0) throw corrupt(`its length ${text.length} is no multiple of ${LETTERS}`)
  const hashes = new Uint32Array(text.length / LETTERS)
  for (let i = 0; i < text.length; i++) {
    const digit = ALPHABET.indexOf(text[i])
    if (digit < 0) throw corrupt(`it has the letter ${JSON.stringify(text[i])}`)
    const at = floor(i / LETTERS)
    hashes[at] = hashes[at] * 64 + digit
  }
  return hashes
}

function corrupt(reason: string): UsageError {
  return new UsageError('ERR_WAVETANK_TRACE_CORRUPT', `the trace's log of hashes is damaged: ${reason}`)
}
