/**
 * Finds, in one strongly connected component, a shortest cycle of each kind that is not implied by a worse one already
 * found there.
 *
 * Per kind: a breadth-first search from every edge that the cycle must contain, over (vertex, what the path has seen
 * so far), back to where the edge began. Components of the subgraph with only the edges allowed rule out most starts.
 * Since a path that must still see something may cross itself, a walk that does is tried again by depth-first search.
 *
 * The work is bounded by a number of edge visits, not by a clock, so the answer is the same on every machine. When the
 * bound is hit, cheap tests on subgraphs still tell which models some cycle breaks (`PL-2-cycle-exists`, …), exactly
 * as in Elle.
 */
import type { Budget } from '../../budget.ts'
import type { Component } from './component.ts'
import { cyclicComponents } from './components.ts'
import { ANTI, classifyCycle, CYCLE_KINDS, DEPENDENCY, type CycleKind } from './cycle-kinds.ts'
import { brokenModels } from './cycle-existence.ts'
import { REALTIME, RWP, WR, WRP, WW } from './graph.ts'
import { impliedAnomalies } from '../lattice.ts'

export interface FoundCycle {
  readonly type: string
  /** Vertices of the component in order; the last leads back to the first. */
  readonly vertices: readonly number[]
  /** Label of the edge from each vertex to the next. */
  readonly labels: readonly number[]
}

export interface CycleSearchResult {
  readonly cycles: readonly FoundCycle[]
  /**
   * Cycles in which an edge is taken as something else than it is best explained by: as session or real-time order
   * though data also gives it, or as ww though it is also wr. They say nothing new to a person, but may rule out a
   * model that the others do not.
   */
  readonly otherwise: readonly FoundCycle[]
  /** Kinds whose search was cut short. */
  readonly unfinished: readonly string[]
  /** `…-cycle-exists` anomalies, when a search was cut short. */
  readonly exists: readonly string[]
}

/** Edge visits that are left, shared by all components of a check. */
export interface SearchBudget {
  left: number
  /** Time and memory of the whole check. */
  readonly limits?: Budget
}

/** Edge visits for one kind in one component. */
const PER_KIND = 20_000_000
/** Steps of the depth-first search for a cycle that does not cross itself. */
const SIMPLE_STEPS = 200_000
/** Edges of a cycle whose label is tried both ways. */
const FREE_LABELS = 12
/** And how long it may get. */
const SIMPLE_LENGTH = 1000

export function searchCycles(graph: Component, budget: SearchBudget): CycleSearchResult {
  const cycles: FoundCycle[] = []
  const otherwise: FoundCycle[] = []
  const unfinished: string[] = []
  const redundant = new Set<string>()
  let present = 0
  for (const kinds of graph.kinds) present |= kinds
  const possible = CYCLE_KINDS.filter(
    ({ order, predicate }) =>
      (order === 0 || (present & order) !== 0) && (predicate !== true || (present & RWP) !== 0),
  )
  const look = (kind: CycleKind, orderFirst: boolean, into: FoundCycle[]): void => {
    if (redundant.has(kind.name)) return
    const search = new KindSearch(graph, kind, budget, orderFirst)
    const found = search.run()
    if (search.cutShort) unfinished.push(kind.name)
    if (found === null) return
    into.push(found)
    if (found.type !== kind.name) otherwise.push({ ...found, type: kind.name })
    for (const implied of impliedAnomalies([kind.name])) redundant.add(implied)
  }
  for (const kind of possible) look(kind, false, cycles)
  for (const kind of possible) if (kind.order !== 0) look(kind, true, otherwise)
  return { cycles, otherwise, unfinished, exists: unfinished.length > 0 ? brokenModels(graph) : [] }
}

/** What a path has seen: bits of its state. */
const TWICE = 1
const LAST_ANTI = 2
const ORDER = 4
const PREDICATE = 8
const STATES = 16

class KindSearch {
  cutShort = false
  readonly #graph: Component
  readonly #kind: CycleKind
  readonly #budget: SearchBudget
  #left = PER_KIND
  /** Label under which an edge may be used, or 0. */
  readonly #usable: Uint8Array
  /** 1 where an anti-dependency may also be used as the order that the kind asks for. */
  readonly #ordered: Uint8Array
  readonly #component: Int32Array
  readonly #seen: Int32Array
  readonly #parent: Int32Array
  readonly #queue: number[] = []
  #round = 0
  readonly #orderFirst: boolean

  constructor(graph: Component, kind: CycleKind, budget: SearchBudget, orderFirst: boolean) {
    this.#graph = graph
    this.#kind = kind
    this.#budget = budget
    this.#orderFirst = orderFirst
    this.#usable = usableLabels(graph, kind, orderFirst)
    this.#ordered = orderedAnti(graph, kind, orderFirst)
    this.#component = subcomponents(graph, this.#usable, this.#ordered)
    this.#seen = new Int32Array(0)
    this.#parent = new Int32Array(0)
    if (this.#component.some((c) => c >= 0)) {
      this.#seen = new Int32Array(graph.members.length * STATES)
      this.#parent = new Int32Array(graph.members.length * STATES)
    }
  }

  run(): FoundCycle | null {
    const { offset, target, members } = this.#graph
    let best: number[] | null = null
    let crossing = false
    for (let v = 0; v < members.length; v++) {
      if (this.#component[v] < 0) continue
      for (let at = offset[v]; at < offset[v + 1]; at++) {
        if (!this.#starts(at) || this.#component[target[at]] !== this.#component[v]) continue
        const path = this.#shortest(v, at, best === null ? Infinity : best.length)
        if (this.cutShort) return best === null ? null : this.#found(best)
        if (path === null) continue
        if (new Set(path).size < path.length) crossing = true
        else best = path
        if (best !== null && best.length === 2) return this.#found(best)
      }
    }
    if (best === null && crossing) best = this.#simple()
    return best === null ? null : this.#found(best)
  }

  /** Whether a cycle of this kind can be told from an edge, so that the search may begin there. */
  #starts(at: number): boolean {
    const label = this.#usable[at]
    switch (this.#kind.shape) {
      case 'writes':
        return this.#kind.order === 0 ? label !== 0 : label === this.#kind.order
      case 'reads':
        return (label & (WR | WRP)) !== 0
      default:
        return (label & ANTI) !== 0
    }
  }

  /** State after taking an edge, or -1 when the kind forbids it. */
  #step(state: number, label: number): number {
    let next = state & ~LAST_ANTI
    if ((label & ANTI) !== 0) {
      if (this.#kind.shape === 'single') return -1
      if (this.#kind.shape === 'nonadjacent') {
        if ((state & LAST_ANTI) !== 0) return -1
        next |= LAST_ANTI
      }
      next |= TWICE
      if (label === RWP && this.#kind.predicate === true) next |= PREDICATE
    } else if (label === this.#kind.order) next |= ORDER
    return next
  }

  #start(label: number): number {
    let state = 0
    if ((label & ANTI) !== 0) {
      if (this.#kind.shape === 'nonadjacent') state |= LAST_ANTI
      if (label === RWP && this.#kind.predicate === true) state |= PREDICATE
    } else if (label === this.#kind.order) state |= ORDER
    return state
  }

  #closes(state: number): boolean {
    const { shape, order, predicate } = this.#kind
    if (order !== 0 && (state & ORDER) === 0) return false
    if (predicate === true && (state & PREDICATE) === 0) return false
    if ((shape === 'nonadjacent' || shape === 'several') && (state & TWICE) === 0) return false
    return (state & LAST_ANTI) === 0
  }

  /** A shortest closed walk of less than `limit` edges that begins with this edge: its vertices. */
  #shortest(from: number, edge: number, limit: number): number[] | null {
    const { offset, target } = this.#graph
    const queue = this.#queue
    const round = ++this.#round
    const home = this.#component[from]
    const start = target[edge] * STATES + this.#start(this.#usable[edge])
    queue.length = 0
    queue.push(start)
    this.#seen[start] = round
    this.#parent[start] = -1
    let depth = 1
    let levelEnd = 1
    for (let head = 0; head < queue.length; head++) {
      if (head === levelEnd) {
        depth++
        levelEnd = queue.length
      }
      if (depth + 1 >= limit) return null
      const at = queue[head]
      const state = at % STATES
      const v = (at - state) / STATES
      const end = offset[v + 1]
      this.#left -= end - offset[v]
      this.#budget.left -= end - offset[v]
      if (this.#left < 0 || this.#budget.left < 0 || this.#budget.limits?.isSpent() === true) {
        this.cutShort = true
        return null
      }
      for (let e = offset[v]; e < end; e++) {
        const w = target[e]
        if (this.#component[w] !== home) continue
        for (let use = this.#ordered[e]; use >= 0; use--) {
          const label = use === 1 ? this.#kind.order : this.#usable[e]
          if (label === 0) continue
          const next = this.#step(state, label)
          if (next < 0) continue
          if (w === from) {
            if (this.#closes(this.#closing(next, label))) return this.#path(from, at)
            continue
          }
          const place = w * STATES + next
          if (this.#seen[place] === round) continue
          this.#seen[place] = round
          this.#parent[place] = at
          queue.push(place)
        }
      }
    }
    return null
  }

  /** The first edge of a nonadjacent cycle is an anti-dependency, so the last must not be one. */
  #closing(state: number, label: number): number {
    return this.#kind.shape === 'nonadjacent' && (label & ANTI) !== 0 ? state | LAST_ANTI : state & ~LAST_ANTI
  }

  #path(from: number, last: number): number[] {
    const path: number[] = []
    for (let at = last; at >= 0; at = this.#parent[at]) path.push(Math.floor(at / STATES))
    path.push(from)
    return path.reverse()
  }

  /** Depth-first search for a cycle that visits no vertex twice. */
  #simple(): number[] | null {
    const { offset, target, members } = this.#graph
    const left = { steps: SIMPLE_STEPS }
    const onPath = new Uint8Array(members.length)
    const path: number[] = []
    const visit = (v: number, state: number, from: number): boolean => {
      if (--left.steps < 0 || path.length > SIMPLE_LENGTH) return false
      path.push(v)
      onPath[v] = 1
      for (let e = offset[v]; e < offset[v + 1]; e++) {
        const w = target[e]
        if (this.#component[w] !== this.#component[from]) continue
        for (let use = this.#ordered[e]; use >= 0; use--) {
          const label = use === 1 ? this.#kind.order : this.#usable[e]
          const next = label === 0 ? -1 : this.#step(state, label)
          if (next < 0) continue
          if (w === from ? this.#closes(this.#closing(next, label)) : onPath[w] === 0 && visit(w, next, from))
            return true
        }
      }
      path.pop()
      onPath[v] = 0
      return false
    }
    for (let v = 0; v < members.length && left.steps > 0; v++) {
      if (this.#component[v] < 0) continue
      for (let e = offset[v]; e < offset[v + 1] && left.steps > 0; e++) {
        if (!this.#starts(e) || this.#component[target[e]] !== this.#component[v]) continue
        path.push(v)
        onPath[v] = 1
        if (visit(target[e], this.#start(this.#usable[e]), v)) return path
        onPath.fill(0)
        path.length = 0
      }
    }
    if (left.steps <= 0) this.cutShort = true
    return null
  }

  #found(path: readonly number[]): FoundCycle {
    const vertices = this.#joinRealtime(path)
    const labels = vertices.map((v, i) => {
      const e = this.#edge(v, vertices[(i + 1) % vertices.length])
      return e < 0 ? REALTIME : this.#orderFirst ? this.#usable[e] : this.#graph.label[e]
    })
    this.#chooseLabels(vertices, labels)
    return { type: classifyCycle(labels), vertices, labels }
  }

  /** An anti-dependency that is also given by the order counts as either, as it suits the kind. */
  #chooseLabels(vertices: readonly number[], labels: number[]): void {
    const free = labels.flatMap((_, i) => {
      const e = this.#edge(vertices[i], vertices[(i + 1) % vertices.length])
      return e >= 0 && this.#ordered[e] === 1 ? [i] : []
    })
    const usual = free.map((i) => labels[i])
    for (let subset = 0; subset < 1 << Math.min(free.length, FREE_LABELS); subset++) {
      free.forEach((i, bit) => (labels[i] = ((subset >> bit) & 1) === 1 ? this.#kind.order : usual[bit]))
      if (classifyCycle(labels) === this.#kind.name) return
    }
  }

  #edge(v: number, w: number): number {
    const { offset, target } = this.#graph
    for (let e = offset[v]; e < offset[v + 1]; e++) if (target[e] === w) return e
    return -1
  }

  /** Two real-time steps in a row are one, unless the outer two are also linked by data. */
  #joinRealtime(path: readonly number[]): number[] {
    const realtime = (v: number, w: number): boolean => {
      const e = this.#edge(v, w)
      return e >= 0 && this.#usable[e] === REALTIME
    }
    let vertices = [...path]
    for (let i = 0; vertices.length > 2 && i < vertices.length;) {
      const n = vertices.length
      const a = vertices[(i + n - 1) % n]
      const b = vertices[i]
      const c = vertices[(i + 1) % n]
      if (realtime(a, b) && realtime(b, c) && (this.#edge(a, c) < 0 || realtime(a, c))) {
        vertices = vertices.filter((_, j) => j !== i)
        i = Math.max(0, i - 1)
      } else i++
    }
    return vertices
  }
}

/** The label under which an edge may be used for a kind; 0 where it may not. */
function usableLabels({ kinds, label }: Component, kind: CycleKind, orderFirst: boolean): Uint8Array {
  const usable = new Uint8Array(label.length)
  const anti =
    kind.shape === 'writes' || kind.shape === 'reads' ? 0 : kind.predicate === true ? ANTI : ANTI & ~RWP
  for (let e = 0; e < label.length; e++) {
    const preferred = label[e]
    if (kind.shape === 'writes') {
      const order = orderFirst ? kinds[e] & kind.order : preferred === kind.order ? preferred : 0
      usable[e] = (kinds[e] & WW) !== 0 ? WW : order
    } else if ((preferred & (DEPENDENCY | anti)) !== 0 || (kind.order !== 0 && preferred === kind.order)) {
      usable[e] = preferred
    }
  }
  return usable
}

/** Anti-dependencies that the order of the kind gives as well: such an edge may count as either. */
function orderedAnti({ kinds, label }: Component, kind: CycleKind, orderFirst: boolean): Uint8Array {
  const ordered = new Uint8Array(label.length)
  if (!orderFirst || kind.shape === 'writes') return ordered
  for (let e = 0; e < label.length; e++) {
    if ((label[e] & ANTI) !== 0 && (kinds[e] & kind.order) !== 0) ordered[e] = 1
  }
  return ordered
}

/** Component of each vertex in the subgraph of usable edges, -1 for those on no cycle. */
function subcomponents(
  { members, offset, target }: Component,
  usable: Uint8Array,
  ordered: Uint8Array,
): Int32Array {
  const vertices = members.length
  const rowOffset = new Int32Array(vertices + 1)
  const rowTarget = new Int32Array(target.length)
  let size = 0
  for (let v = 0; v < vertices; v++) {
    for (let e = offset[v]; e < offset[v + 1]; e++)
      if ((usable[e] | ordered[e]) !== 0) rowTarget[size++] = target[e]
    rowOffset[v + 1] = size
  }
  const ids = new Int32Array(vertices).fill(-1)
  const rows = { vertices, offset: rowOffset, target: rowTarget.subarray(0, size) }
  cyclicComponents(rows, null).forEach((component, id) => {
    for (const v of component) ids[v] = id
  })
  return ids
}
