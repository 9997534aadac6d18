/**
 * Who reaches whom in an acyclic graph, as one bit per pair: computed backwards along a topological order, one OR of
 * rows per edge. Only the first vertices, the transactions, are asked about and have a column; relays and moments have
 * a row. For 10,000 transactions that is 25 MB and a tenth of a second.
 */
import type { Rows } from '../cycles/graph.ts'
import { int32 } from '../../workspace.ts'

/** Beyond this many bytes the table does not pay. */
const LIMIT_BYTES = 600_000_000

export class Reachability {
  readonly #words: number
  readonly #bits: Int32Array

  constructor({ vertices, offset, target }: Rows, order: Int32Array, columns: number) {
    const words = (columns + 31) >>> 5
    const bits = int32(vertices * words)
    for (let i = vertices - 1; i >= 0; i--) {
      const v = order[i]
      const row = v * words
      for (let e = offset[v]; e < offset[v + 1]; e++) {
        const w = target[e]
        const column = row + (w >>> 5)
        const bit = 1 << (w & 31)
        if (w < columns && (bits[column] & bit) !== 0) continue
        const other = w * words
        for (let k = 0; k < words; k++) bits[row + k] |= bits[other + k]
        if (w < columns) bits[column] |= bit
      }
    }
    this.#words = words
    this.#bits = bits
  }

  static fits(vertices: number, columns: number, leftBytes: number): boolean {
    return vertices * ((columns + 31) >>> 5) * 4 <= Math.min(LIMIT_BYTES, leftBytes)
  }

  /** `to` must have a column. */
  reaches(from: number, to: number): boolean {
    return ((this.#bits[from * this.#words + (to >>> 5)] >>> (to & 31)) & 1) === 1
  }
}
