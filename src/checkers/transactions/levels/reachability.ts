/**
 * Who reaches whom in an acyclic graph, as one bit per pair of vertices: computed backwards along a topological order,
 * one OR of rows per edge. For 10,000 vertices that is 12 MB and a few hundredths of a second.
 */
import type { Rows } from '../graph.ts'

/** Beyond this many vertices the table would not pay. */
export const REACHABILITY_LIMIT = 30_000

export class Reachability {
  readonly #words: number
  readonly #bits: Int32Array

  constructor({ vertices, offset, target }: Rows, order: Int32Array) {
    const words = (vertices + 31) >>> 5
    const bits = new Int32Array(vertices * words)
    for (let i = vertices - 1; i >= 0; i--) {
      const v = order[i]
      const row = v * words
      for (let e = offset[v]; e < offset[v + 1]; e++) {
        const w = target[e]
        if (((bits[row + (w >>> 5)] >>> (w & 31)) & 1) === 1) continue
        const other = w * words
        for (let k = 0; k < words; k++) bits[row + k] |= bits[other + k]
        bits[row + (w >>> 5)] |= 1 << (w & 31)
      }
    }
    this.#words = words
    this.#bits = bits
  }

  reaches(from: number, to: number): boolean {
    return ((this.#bits[from * this.#words + (to >>> 5)] >>> (to & 31)) & 1) === 1
  }
}
