/**
 * Keys as Elle's generators draw them: a few are active, the later ones exponentially more often, and one that was
 * written often enough is replaced by a new one. Written values are 1, 2, 3, … per key.
 */
import { fraction, type Decisions } from '../decisions.ts'

export class KeyPool {
  readonly #active: number[]
  readonly #writes = new Map<number, number>()
  readonly #mostWrites: number
  readonly #decisions: Decisions
  #next: number

  constructor(count: number, mostWrites: number, decisions: Decisions) {
    this.#active = Array.from({ length: count }, (_, key) => key)
    this.#next = count
    this.#mostWrites = mostWrites
    this.#decisions = decisions
  }

  /** How many keys there were so far: they are 0, 1, 2, … */
  get count(): number {
    return this.#next
  }

  key(): number {
    return this.#active[this.#slot()]
  }

  /** A key and the next value to write to it. */
  write(): [key: number, value: number] {
    const slot = this.#slot()
    const key = this.#active[slot]
    const value = (this.#writes.get(key) ?? 0) + 1
    if (value < this.#mostWrites) this.#writes.set(key, value)
    else {
      this.#writes.delete(key)
      this.#active[slot] = this.#next++
    }
    return [key, value]
  }

  /** Slot i is twice as likely as slot i − 1. */
  #slot(): number {
    const { length } = this.#active
    const drawn = fraction(this.#decisions, 'keys') * (2 ** length - 1) + 1
    return Math.min(length - 1, Math.floor(Math.log2(drawn)))
  }
}
