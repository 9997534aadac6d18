/**
 * An order on the nodes of a register graph, kept as vector clocks: for each node and session, how many nodes of that
 * session come before it or are it. Since sessions are chains, `a` comes before `b` exactly when b's clock for a's session
 * has passed a. Edges may be added and the clocks be worked out again; a cycle is reported as one.
 */
import type { Budget } from '../budget.ts'
import type { RegisterGraph } from './register-graph.ts'

/** Clocks of more entries than these are refused: 1 GB. */
export const MAX_CLOCK_ENTRIES = 1 << 28

/** What a search on clocks holds: those that it works out, and those before them. */
export function clockBytes({ count, sessions }: RegisterGraph): number {
  return count * sessions * 2 * Int32Array.BYTES_PER_ELEMENT
}

export class Precedence {
  readonly #graph: RegisterGraph
  readonly #budget: Budget
  readonly #edges: number[][]
  #clocks: Int32Array
  /** A cycle, as nodes, if there is one; the clocks then mean nothing. */
  cycle: readonly number[] | null = null

  constructor(graph: RegisterGraph, budget: Budget) {
    this.#graph = graph
    this.#budget = budget
    this.#edges = Array.from({ length: graph.count }, () => [])
    this.#clocks = new Int32Array(0)
    for (let node = 0; node < graph.count; node++) {
      if (graph.previous[node] >= 0) this.#edges[graph.previous[node]].push(node)
    }
  }

  add(from: number, to: number): void {
    this.#edges[from].push(to)
  }

  /** Works the clocks out; false when there is a cycle. */
  settle(): boolean {
    const { count, session, place, sessions } = this.#graph
    const waiting = new Int32Array(count)
    for (const targets of this.#edges) for (const to of targets) waiting[to]++
    const ready: number[] = []
    for (let node = 0; node < count; node++) if (waiting[node] === 0) ready.push(node)
    const clocks = new Int32Array(count * sessions)
    let done = 0
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      done++
      this.#budget.ask()
      const own = node * sessions + session[node]
      if (clocks[own] < place[node] + 1) clocks[own] = place[node] + 1
      for (const to of this.#edges[node]) {
        for (let s = 0; s < sessions; s++) {
          const seen = clocks[node * sessions + s]
          if (seen > clocks[to * sessions + s]) clocks[to * sessions + s] = seen
        }
        if (--waiting[to] === 0) ready.push(to)
      }
    }
    this.#clocks = clocks
    this.cycle = done === count ? null : this.#shortestCycle(waiting)
    return this.cycle === null
  }

  before(a: number, b: number): boolean {
    return a !== b && this.passed(b, this.#graph.session[a]) > this.#graph.place[a]
  }

  /** How many nodes of a session come before a node, or are it. */
  passed(node: number, session: number): number {
    return this.#clocks[node * this.#graph.sessions + session]
  }

  /** A shortest cycle through the first node that is left over when all else is sorted. */
  #shortestCycle(waiting: Int32Array): number[] {
    let best: number[] = []
    let tried = 0
    for (let start = 0; start < waiting.length && tried < 64; start++) {
      if (waiting[start] <= 0) continue
      const found = this.#cycleThrough(start, waiting)
      if (found === null) continue
      tried++
      if (best.length === 0 || found.length < best.length) best = found
    }
    return best
  }

  #cycleThrough(start: number, waiting: Int32Array): number[] | null {
    const parent = new Map<number, number>([[start, -1]])
    const queue = [start]
    for (let head = 0; head < queue.length; head++) {
      const node = queue[head]
      this.#budget.ask()
      for (const to of this.#edges[node]) {
        if (waiting[to] <= 0) continue
        if (to === start) {
          const cycle: number[] = []
          for (let at = node; at >= 0; at = parent.get(at)!) cycle.push(at)
          return cycle.reverse()
        }
        if (!parent.has(to)) {
          parent.set(to, node)
          queue.push(to)
        }
      }
    }
    return null
  }
}

/** Writes of a key, per session in session order, to find the last one that a node has passed. */
export class WritesByKey {
  readonly #lists = new Map<number, Map<number, number[]>>()
  readonly #graph: RegisterGraph

  constructor(graph: RegisterGraph) {
    this.#graph = graph
    for (let node = 0; node < graph.count; node++) {
      if (graph.isWrite[node] === 0) continue
      let sessions = this.#lists.get(graph.key[node])
      if (sessions === undefined) this.#lists.set(graph.key[node], (sessions = new Map()))
      const list = sessions.get(graph.session[node])
      if (list === undefined) sessions.set(graph.session[node], [node])
      else list.push(node)
    }
  }

  /** The last write of each session to the node's key that comes before the node. */
  *latestBefore(node: number, order: Precedence): Generator<number> {
    const sessions = this.#lists.get(this.#graph.key[node])
    if (sessions === undefined) return
    for (const [session, list] of sessions) {
      const passed = order.passed(node, session)
      let low = 0
      let high = list.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (this.#graph.place[list[middle]] < passed) low = middle + 1
        else high = middle
      }
      if (low > 0 && list[low - 1] !== node) yield list[low - 1]
      else if (low > 1) yield list[low - 2]
    }
  }
}
