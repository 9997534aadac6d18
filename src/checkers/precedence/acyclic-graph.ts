/**
 * A graph that stays acyclic while edges come and go: a topological order is kept and repaired when an edge goes
 * against it (Pearce and Kelly 2006). Adding an edge that would close a cycle is refused, with the cycle. Edges are
 * removed in the reverse order of their addition, as a search that takes back its decisions does; removing needs no
 * repair.
 *
 * Edges are numbered in order of addition. Those that leave a vertex, and those that enter it, are lists threaded
 * through columns, latest first: 20 bytes an edge, so that a million transactions need no object each.
 */
import { copyInt32, int32 } from '../workspace.ts'

/** Tag of an edge that was there from the beginning. */
export const KNOWN = -1

/** Ends a list of edges. */
const NONE = -1

export class AcyclicGraph {
  /** Place of each vertex in the order. */
  readonly place: Int32Array
  /** The vertex at each place. */
  readonly order: Int32Array
  /** Edges followed so far; a measure of work. */
  work = 0
  #size = 0
  #from: Int32Array
  #to: Int32Array
  #tag: Int32Array
  /** Per edge: the next older one that leaves the same vertex, and that enters the same vertex. */
  #nextOut: Int32Array
  #nextIn: Int32Array
  /** Per vertex: the latest edge that leaves it, and that enters it. */
  readonly #out: Int32Array
  readonly #in: Int32Array
  readonly #mark: Int32Array
  readonly #parent: Int32Array
  readonly #parentTag: Int32Array
  #round = 0

  /** `order` is a topological order of the edges that will be added first as known. */
  constructor(order: Int32Array, expectedEdges = 64) {
    const vertices = order.length
    this.order = copyInt32(order)
    this.place = int32(vertices)
    for (let i = 0; i < vertices; i++) this.place[order[i]] = i
    this.#from = int32(expectedEdges)
    this.#to = int32(expectedEdges)
    this.#tag = int32(expectedEdges)
    this.#nextOut = int32(expectedEdges)
    this.#nextIn = int32(expectedEdges)
    this.#out = int32(vertices, NONE)
    this.#in = int32(vertices, NONE)
    this.#mark = int32(vertices)
    this.#parent = int32(vertices)
    this.#parentTag = int32(vertices)
  }

  get size(): number {
    return this.#size
  }

  /** Adds an edge; on a cycle adds nothing and answers the tags of the path that leads back. */
  add(from: number, to: number, tag: number): number[] | null {
    if (from === to) return []
    if (this.place[from] > this.place[to]) {
      const cycle = this.#makeRoom(from, to)
      if (cycle !== null) return cycle
    }
    if (this.#size === this.#from.length) this.#grow()
    const edge = this.#size++
    this.#from[edge] = from
    this.#to[edge] = to
    this.#tag[edge] = tag
    this.#nextOut[edge] = this.#out[from]
    this.#nextIn[edge] = this.#in[to]
    this.#out[from] = edge
    this.#in[to] = edge
    return null
  }

  /** Takes back the latest edges until `size` are left. */
  shrink(size: number): void {
    while (this.#size > size) {
      const edge = --this.#size
      this.#out[this.#from[edge]] = this.#nextOut[edge]
      this.#in[this.#to[edge]] = this.#nextIn[edge]
    }
  }

  /** Moves what `to` reaches behind what reaches `from`, within the part of the order between them. */
  #makeRoom(from: number, to: number): number[] | null {
    const { place } = this
    const upper = place[from]
    const lower = place[to]
    const round = ++this.#round
    const mark = this.#mark
    const forward: number[] = [to]
    mark[to] = round
    for (let head = 0; head < forward.length; head++) {
      const v = forward[head]
      this.work++
      for (let edge = this.#out[v]; edge !== NONE; edge = this.#nextOut[edge]) {
        this.work++
        const w = this.#to[edge]
        if (place[w] > upper || mark[w] === round) continue
        mark[w] = round
        this.#parent[w] = v
        this.#parentTag[w] = this.#tag[edge]
        if (w === from) return this.#tags(to, from)
        forward.push(w)
      }
    }
    const backward: number[] = [from]
    mark[from] = round
    for (let head = 0; head < backward.length; head++) {
      this.work++
      for (let edge = this.#in[backward[head]]; edge !== NONE; edge = this.#nextIn[edge]) {
        this.work++
        const w = this.#from[edge]
        if (place[w] < lower || mark[w] === round) continue
        mark[w] = round
        backward.push(w)
      }
    }
    const byPlace = (a: number, b: number): number => place[a] - place[b]
    const moved = [...backward.sort(byPlace), ...forward.sort(byPlace)]
    const places = moved.map((v) => place[v]).sort((a, b) => a - b)
    for (let i = 0; i < moved.length; i++) {
      place[moved[i]] = places[i]
      this.order[places[i]] = moved[i]
    }
    return null
  }

  #tags(to: number, from: number): number[] {
    const tags: number[] = []
    for (let v = from; v !== to; v = this.#parent[v])
      if (this.#parentTag[v] !== KNOWN) tags.push(this.#parentTag[v])
    return tags
  }

  #grow(): void {
    const capacity = Math.max(64, this.#size * 2)
    this.#from = copyInt32(this.#from, capacity)
    this.#to = copyInt32(this.#to, capacity)
    this.#tag = copyInt32(this.#tag, capacity)
    this.#nextOut = copyInt32(this.#nextOut, capacity)
    this.#nextIn = copyInt32(this.#nextIn, capacity)
  }
}
