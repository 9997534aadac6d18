/**
 * The dependency graph: who must come before whom, and why. Edges are collected as (from, to, kind) and frozen into
 * compressed rows. Several kinds may link the same two transactions.
 *
 * `linkAll` joins every reader of a version to every transaction that overwrote it. That is a product, and a key that
 * many read and many blindly overwrite would make it quadratic; from a certain size on it goes through *relay*
 * vertices, which have numbers above the transactions and stand for nothing by themselves.
 */
import { copyInt32, copyUint8, int32, uint8 } from '../../workspace.ts'

export const WW = 1
export const WR = 2
export const RW = 4
export const PROCESS = 8
export const REALTIME = 16
/** Predicate forms: the dependency goes through a predicate read. */
export const WRP = 64
export const RWP = 128

export const KIND_NAMES: ReadonlyMap<number, string> = new Map([
  [WW, 'ww'],
  [WR, 'wr'],
  [RW, 'rw'],
  [PROCESS, 'process'],
  [REALTIME, 'realtime'],
  [WRP, 'wrp'],
  [RWP, 'rwp'],
])

/** Edges of vertex v are at `offset[v]` to `offset[v + 1]`. */
export interface Rows {
  readonly vertices: number
  readonly offset: Int32Array
  readonly target: Int32Array
  readonly kind: Uint8Array
}

/** Products up to this many edges are stored as they are. */
const PRODUCT = 256

export class GraphBuilder {
  readonly transactions: number
  #vertices: number
  #size = 0
  #selfLinks = 0
  #from: Int32Array
  #to: Int32Array
  #kind: Uint8Array

  constructor(transactions: number, expectedEdges = 1024) {
    this.transactions = transactions
    this.#vertices = transactions
    this.#from = int32(expectedEdges)
    this.#to = int32(expectedEdges)
    this.#kind = uint8(expectedEdges)
  }

  get size(): number {
    return this.#size
  }

  /** Dependencies of a transaction on itself: no edges, but something was inferred. */
  get selfLinks(): number {
    return this.#selfLinks
  }

  link(from: number, to: number, kind: number): void {
    if (from === to) {
      this.#selfLinks++
      return
    }
    const at = this.#size++
    if (at === this.#from.length) this.#grow()
    this.#from[at] = from
    this.#to[at] = to
    this.#kind[at] = kind
  }

  /** Further vertices; answers the number of the first. */
  addVertices(count: number): number {
    this.#vertices += count
    return this.#vertices - count
  }

  /** Every one of `from` before every one of `to`, except itself. Both without repetition. */
  linkAll(from: ArrayLike<number>, to: ArrayLike<number>, kind: number): void {
    if (from.length * to.length > PRODUCT && to.length > 2) {
      this.#relay(from, to, kind)
      return
    }
    for (let i = 0; i < from.length; i++) for (let j = 0; j < to.length; j++) this.link(from[i], to[j], kind)
  }

  /**
   * Two chains of relays over `to`: one leads to a member and all later ones, the other to a member and all earlier
   * ones. A `from` that is itself member i enters after i on the first and before i on the second, so that it reaches
   * all others and not itself.
   */
  #relay(from: ArrayLike<number>, to: ArrayLike<number>, kind: number): void {
    const count = to.length
    const later = this.#vertices
    const earlier = later + count
    this.#vertices += 2 * count
    const place = new Map<number, number>()
    for (let i = 0; i < count; i++) {
      place.set(to[i], i)
      this.link(later + i, to[i], kind)
      this.link(earlier + i, to[i], kind)
      if (i > 0) {
        this.link(later + i - 1, later + i, kind)
        this.link(earlier + i, earlier + i - 1, kind)
      }
    }
    for (let i = 0; i < from.length; i++) {
      const self = place.get(from[i])
      if (self === undefined) {
        this.link(from[i], later, kind)
        continue
      }
      if (self + 1 < count) this.link(from[i], later + self + 1, kind)
      if (self > 0) this.link(from[i], earlier + self - 1, kind)
    }
  }

  rows(): Rows {
    const vertices = this.#vertices
    const offset = int32(vertices + 1)
    const size = this.#size
    const from = this.#from
    for (let i = 0; i < size; i++) offset[from[i] + 1]++
    for (let v = 0; v < vertices; v++) offset[v + 1] += offset[v]
    const target = int32(size)
    const kind = uint8(size)
    const next = copyInt32(offset.subarray(0, vertices))
    for (let i = 0; i < size; i++) {
      const at = next[from[i]]++
      target[at] = this.#to[i]
      kind[at] = this.#kind[i]
    }
    return { vertices, offset, target, kind }
  }

  #grow(): void {
    const capacity = Math.max(1024, this.#from.length * 2)
    this.#from = copyInt32(this.#from, capacity)
    this.#to = copyInt32(this.#to, capacity)
    this.#kind = copyUint8(this.#kind, capacity)
  }
}
