/**
 * The order of each key's writes that session guarantees demand, and whether it contradicts itself. A read saw the last
 * write that it knows of its key, so everything else of that key that it knows comes before; and a session's writes come after
 * what it wrote (monotonic writes) or saw (writes follow reads) of that key.
 *
 * What a node knows of a session is a beginning of its writes or reads. An auxiliary vertex for each beginning keeps the graph
 * linear: it comes after every write in it, and before the write that must follow them all.
 */
import type { Budget } from '../budget.ts'
import { INITIAL, type RegisterGraph } from './register-graph.ts'
import type { SessionGuarantee } from './session-guarantees.ts'
import type { Knowledge, Sessions } from './session-knowledge.ts'

/** One write stands before another: for a reader that saw the latter and knows the former, or in a session. */
export interface OrderStep {
  readonly from: number
  readonly to: number
  readonly reader: number | null
}

export type Contradiction =
  | { readonly kind: 'cycle'; readonly steps: readonly OrderStep[] }
  /** A read of the initial value by a node that must know a write of the key. */
  | { readonly kind: 'initial'; readonly reader: number; readonly known: number }

/** The writes of one key that a session made, or saw, in order and each once. */
interface Beginning {
  /** Place of each among the session's writes, or reads. */
  readonly places: number[]
  readonly writes: number[]
  /** Auxiliary vertex of the first; the others follow. */
  vertex: number
}

export function contradiction(
  graph: RegisterGraph,
  sessions: Sessions,
  knowledge: Knowledge,
  guarantees: readonly SessionGuarantee[],
  budget: Budget,
): Contradiction | null {
  const made = beginnings(graph, sessions.writes, (node) => node)
  const seen = beginnings(graph, sessions.reads, (node) => graph.source[node])
  const order = new WriteOrder(graph.count, [...made.values(), ...seen.values()])
  for (let node = 0; node < graph.count; node++) {
    budget.ask()
    const key = graph.key[node]
    if (graph.isWrite[node] === 1) {
      const session = sessions.owner[node]
      if (guarantees.includes('monotonic-writes'))
        order.after(node, made.get(nameOf(session, key)), sessions.writesBefore[node], null)
      if (guarantees.includes('writes-follow-reads'))
        order.after(node, seen.get(nameOf(session, key)), sessions.readsBefore[node], null)
      continue
    }
    const source = graph.source[node]
    for (let session = 0; session < graph.sessions; session++) {
      const known = [
        [made.get(nameOf(session, key)), knowledge.writesOf(node, session)],
        [seen.get(nameOf(session, key)), knowledge.readsOf(node, session)],
      ] as const
      for (const [beginning, count] of known) {
        if (beginning === undefined || count === 0 || beginning.places[0] >= count) continue
        if (source === INITIAL) return { kind: 'initial', reader: node, known: beginning.writes[0] }
        order.after(source, beginning, count, node)
      }
    }
  }
  const steps = order.cycle()
  return steps === null ? null : { kind: 'cycle', steps }
}

function nameOf(session: number, key: number): string {
  return `${session},${key}`
}

function beginnings(
  graph: RegisterGraph,
  lists: readonly (readonly number[])[],
  writeOf: (node: number) => number,
): Map<string, Beginning> {
  const all = new Map<string, Beginning>()
  const known = new Set<string>()
  lists.forEach((nodes, session) => {
    nodes.forEach((node, place) => {
      const write = writeOf(node)
      const once = `${session},${write}`
      if (write === INITIAL || known.has(once)) return
      known.add(once)
      const name = nameOf(session, graph.key[node])
      const beginning = all.get(name)
      if (beginning === undefined) all.set(name, { places: [place], writes: [write], vertex: -1 })
      else {
        beginning.places.push(place)
        beginning.writes.push(write)
      }
    })
  })
  return all
}

class WriteOrder {
  /** Vertices below this are nodes of the graph, the others are auxiliary. */
  readonly #nodes: number
  readonly #vertices: number
  readonly #from: number[] = []
  readonly #to: number[] = []
  readonly #reader: (number | null)[] = []
  /** Per target and beginning how far it was already put before the target: more of the same adds nothing. */
  readonly #done = new Map<string, number>()

  constructor(nodes: number, all: readonly Beginning[]) {
    this.#nodes = nodes
    let vertices = nodes
    for (const beginning of all) {
      beginning.vertex = vertices
      vertices += beginning.writes.length
      beginning.writes.forEach((write, i) => {
        this.#link(write, beginning.vertex + i, null)
        if (i > 0) this.#link(beginning.vertex + i - 1, beginning.vertex + i, null)
      })
    }
    this.#vertices = vertices
  }

  /** The writes of a beginning whose place is below `count` come before a write, but for the write itself. */
  after(write: number, beginning: Beginning | undefined, count: number, reader: number | null): void {
    if (beginning === undefined) return
    const length = below(beginning.places, count)
    const name = `${write},${beginning.vertex}`
    const done = this.#done.get(name) ?? 0
    if (length <= done) return
    this.#done.set(name, length)
    const own = beginning.writes.indexOf(write)
    if (own < 0 || own >= length) {
      this.#link(beginning.vertex + length - 1, write, reader)
      return
    }
    if (own > 0) this.#link(beginning.vertex + own - 1, write, reader)
    for (let i = own + 1; i < length; i++) this.#link(beginning.writes[i], write, reader)
  }

  #link(from: number, to: number, reader: number | null): void {
    this.#from.push(from)
    this.#to.push(to)
    this.#reader.push(reader)
  }

  /** A cycle as steps between writes, or null. Depth first; an edge to a vertex that is still open closes a cycle. */
  cycle(): OrderStep[] | null {
    const { offset, edge } = this.#byOrigin()
    const state = new Uint8Array(this.#vertices)
    const next = Int32Array.from(offset)
    for (let start = 0; start < this.#vertices; start++) {
      if (state[start] !== 0) continue
      const path = [start]
      const taken: number[] = []
      state[start] = 1
      while (path.length > 0) {
        const top = path[path.length - 1]
        if (next[top] === offset[top + 1]) {
          state[top] = 2
          path.pop()
          taken.pop()
          continue
        }
        const e = edge[next[top]++]
        const to = this.#to[e]
        if (state[to] === 1) return this.#stepsOf([...taken.slice(path.indexOf(to)), e])
        if (state[to] === 2) continue
        state[to] = 1
        taken.push(e)
        path.push(to)
      }
    }
    return null
  }

  #byOrigin(): { offset: Int32Array; edge: Int32Array } {
    const offset = new Int32Array(this.#vertices + 1)
    for (const from of this.#from) offset[from + 1]++
    for (let v = 0; v < this.#vertices; v++) offset[v + 1] += offset[v]
    const next = Int32Array.from(offset)
    const edge = new Int32Array(this.#from.length)
    this.#from.forEach((from, e) => (edge[next[from]++] = e))
    return { offset, edge }
  }

  /** The cycle without its auxiliary vertices; there is a write in it, since auxiliary vertices only lead on. */
  #stepsOf(cycle: readonly number[]): OrderStep[] {
    const isWrite = (vertex: number): boolean => vertex < this.#nodes
    const start = cycle.findIndex((e) => isWrite(this.#from[e]))
    const steps: OrderStep[] = []
    let from = -1
    for (const e of [...cycle.slice(start), ...cycle.slice(0, start)]) {
      if (isWrite(this.#from[e])) from = this.#from[e]
      if (isWrite(this.#to[e])) steps.push({ from, to: this.#to[e], reader: this.#reader[e] })
    }
    return steps
  }
}

/** How many of ascending numbers are below a bound. */
function below(ascending: readonly number[], bound: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ascending[middle] < bound) low = middle + 1
    else high = middle
  }
  return low
}
