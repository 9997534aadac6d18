/**
 * The two generators. Both are part of the replay contract: a seed printed today must give the same run next year, so
 * neither is a dependency and both are frozen by golden vectors.
 *
 * - {@link mix}: counter-based. A value is a pure function of (seed, key, index), so one draw more or less somewhere
 *   moves nothing elsewhere. Choices come from it.
 * - {@link Entropy}: sequential (xoshiro128**, Blackman & Vigna), seeded by `mix`. The random *values* a program draws
 *   come from it: `Math.random`, UUIDs, keys.
 *
 * Only 32-bit integer arithmetic, so that every machine agrees to the last bit.
 */
import { floor, imul } from './arithmetic.ts'

/** A 64-bit key or seed as two unsigned 32-bit halves. */
export interface Key64 {
  readonly lo: number
  readonly hi: number
}

/** Avalanche of the murmur3 finaliser, on unsigned 32-bit integers. */
function avalanche(h: number): number {
  h = imul(h ^ (h >>> 16), 0x85ebca6b)
  h = imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** The counter-based generator: 32 random bits for (seed, key, index). */
export function mix(seedLo: number, seedHi: number, keyLo: number, keyHi: number, index: number): number {
  let h = avalanche(seedLo ^ imul(index | 0, 0x9e3779b1))
  h = avalanche((h + keyLo) | 0)
  h = avalanche((h ^ seedHi) + imul(keyHi, 0x7feb352d))
  return avalanche((h ^ keyHi) + index)
}

/** A string's 64-bit key: two murmur-like lanes over its UTF-16 code units. */
export function keyOf(text: string): Key64 {
  let lo = 0xdeadbeef ^ text.length
  let hi = 0x41c6ce57 ^ text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    lo = imul(lo ^ unit, 0x9e3779b1)
    hi = imul(hi ^ unit, 0x5f356495)
    lo = (lo << 13) | (lo >>> 19)
    hi = (hi << 17) | (hi >>> 15)
  }
  return { lo: avalanche(lo ^ hi), hi: avalanche(hi + imul(lo, 0x165667b1)) }
}

/** A seed, a non-negative safe integer, as two halves. */
export function seedKey(seed: number): Key64 {
  return { lo: seed >>> 0, hi: floor(seed / 0x1_0000_0000) >>> 0 }
}

/** A sequential generator of random values. Reproducible, never recorded, never shrunk. */
export class Entropy {
  private a: number
  private b: number
  private c: number
  private d: number

  constructor(seed: number, name: string) {
    const s = seedKey(seed)
    const k = keyOf(name)
    this.a = mix(s.lo, s.hi, k.lo, k.hi, 0)
    this.b = mix(s.lo, s.hi, k.lo, k.hi, 1)
    this.c = mix(s.lo, s.hi, k.lo, k.hi, 2)
    this.d = mix(s.lo, s.hi, k.lo, k.hi, 3) | 1 // never all zero
  }

  /** 32 random bits as an unsigned integer. */
  uint32(): number {
    const r = imul(this.b, 5)
    const result = imul((r << 7) | (r >>> 25), 9) >>> 0
    const t = this.b << 9
    this.c ^= this.a
    this.d ^= this.b
    this.b ^= this.c
    this.a ^= this.d
    this.c ^= t
    this.d = (this.d << 11) | (this.d >>> 21)
    return result
  }

  /** In [0, 1), with 53 random bits, as `Math.random` gives. */
  float(): number {
    return ((this.uint32() >>> 5) * 0x4000000 + (this.uint32() >>> 6)) / 0x20000000000000
  }

  fill(bytes: Uint8Array): void {
    let i = 0
    for (; i + 4 <= bytes.length; i += 4) {
      const word = this.uint32()
      bytes[i] = word
      bytes[i + 1] = word >>> 8
      bytes[i + 2] = word >>> 16
      bytes[i + 3] = word >>> 24
    }
    if (i < bytes.length) {
      let word = this.uint32()
      for (; i < bytes.length; i++, word >>>= 8) bytes[i] = word
    }
  }
}
