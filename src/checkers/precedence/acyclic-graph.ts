/**
 * A graph that stays acyclic while edges come and go: a topological order is kept and repaired when an edge goes
 * against it (Pearce and Kelly 2006). Adding an edge that would close a cycle is refused, with the cycle. Edges are
 * removed in the reverse order of their addition, as a search that takes back its decisions does; removing needs no
 * repair.
 */

/** Tag of an edge that was there from the beginning. */
export const KNOWN = -1

export class AcyclicGraph {
  /** Place of each vertex in the order. */
  readonly place: Int32Array
  /** The vertex at each place. */
  readonly order: Int32Array
  /** Edges followed so far; a measure of work. */
  work = 0
  readonly #out: number[][]
  readonly #outTag: number[][]
  readonly #in: number[][]
  /** Edges in order of addition: from, to. */
  readonly #added: number[] = []
  readonly #mark: Int32Array
  readonly #parent: Int32Array
  readonly #parentTag: Int32Array
  #round = 0

  /** `order` is a topological order of the edges that will be added first as known. */
  constructor(order: Int32Array) {
    const vertices = order.length
    this.order = Int32Array.from(order)
    this.place = new Int32Array(vertices)
    for (let i = 0; i < vertices; i++) this.place[order[i]] = i
    this.#out = Array.from({ length: vertices }, () => [])
    this.#outTag = Array.from({ length: vertices }, () => [])
    this.#in = Array.from({ length: vertices }, () => [])
    this.#mark = new Int32Array(vertices)
    this.#parent = new Int32Array(vertices)
    this.#parentTag = new Int32Array(vertices)
  }

  get size(): number {
    return this.#added.length / 2
  }

  /** Adds an edge; on a cycle adds nothing and answers the tags of the path that leads back. */
  add(from: number, to: number, tag: number): number[] | null {
    if (from === to) return []
    if (this.place[from] > this.place[to]) {
      const cycle = this.#makeRoom(from, to)
      if (cycle !== null) return cycle
    }
    this.#out[from].push(to)
    this.#outTag[from].push(tag)
    this.#in[to].push(from)
    this.#added.push(from, to)
    return null
  }

  /** Takes back the latest edges until `size` are left. */
  shrink(size: number): void {
    while (this.#added.length > size * 2) {
      const to = this.#added.pop()!
      const from = this.#added.pop()!
      this.#out[from].pop()
      this.#outTag[from].pop()
      this.#in[to].pop()
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
      const out = this.#out[v]
      this.work += out.length + 1
      for (let i = 0; i < out.length; i++) {
        const w = out[i]
        if (place[w] > upper || mark[w] === round) continue
        mark[w] = round
        this.#parent[w] = v
        this.#parentTag[w] = this.#outTag[v][i]
        if (w === from) return this.#tags(to, from)
        forward.push(w)
      }
    }
    const backward: number[] = [from]
    mark[from] = round
    for (let head = 0; head < backward.length; head++) {
      const incoming = this.#in[backward[head]]
      this.work += incoming.length + 1
      for (const w of incoming) {
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
}
