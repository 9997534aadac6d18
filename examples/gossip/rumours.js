/**
 * News that still has to be spread, piggy-backed on whatever is sent. Each rumour is sent a limited number of times,
 * `factor · ceil(log10(n + 1))`, the least sent first: enough for everyone to hear of it with high probability. A newer
 * rumour about the same thing takes the place of an older one. What gossip misses, anti-entropy repairs.
 */
import { mutant } from '../mutants.js'

export class Rumours {
  /** @type {Map<string, { rumour: object, bytes: number, sent: number }>} */
  #queue = new Map()
  #factor

  /** @param {number} factor */
  constructor(factor) {
    this.#factor = factor
  }

  /** @param {string} about @param {object} rumour */
  add(about, rumour) {
    this.#queue.delete(about)
    this.#queue.set(about, { rumour, bytes: JSON.stringify(rumour).length + 1, sent: 0 })
  }

  get isEmpty() {
    return this.#queue.size === 0
  }

  /** The rumours that fit into a number of bytes; they count as sent. @param {number} bytes @param {number} size */
  take(bytes, size) {
    const limit = mutant('rumours-sent-once') ? 1 : this.#factor * Math.ceil(Math.log10(size + 1))
    const byLeastSent = [...this.#queue].sort(([, a], [, b]) => a.sent - b.sent)
    const taken = []
    for (const [about, entry] of byLeastSent) {
      if (entry.bytes > bytes) continue
      bytes -= entry.bytes
      taken.push(entry.rumour)
      entry.sent++
      if (entry.sent >= limit) this.#queue.delete(about)
    }
    return taken
  }
}
