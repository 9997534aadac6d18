/**
 * Decides whether edges can be chosen so that a graph stays acyclic: each *choice* has two sides, each side a list of
 * edges, and one side of every choice must be taken. This is what serializability and snapshot isolation of register
 * histories come down to, and it is NP-complete.
 *
 * A conflict-driven clause-learning search (Marques-Silva and Sakallah 1996; Moskewicz et al. 2001) with acyclicity as
 * its theory, as in Cobra (OSDI 2020) and PolySI (VLDB 2023), which use a general SAT solver for it: a cycle is a
 * clause that says that its choices cannot all stay. Choices are tried first in the direction of the current
 * topological order, which for a history of a correct system is right nearly always.
 */
import { AcyclicGraph, KNOWN } from './acyclic-graph.ts'

/** Edges of side s of choice c are `from[i]`, `to[i]` for i from `start[2c + s]` to `start[2c + s + 1]`. */
export interface Choices {
  readonly count: number
  readonly start: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
}

export interface SolverBudget {
  readonly conflicts: number
  readonly work: number
}

export type Solution =
  | { readonly outcome: 'possible'; readonly place: Int32Array; readonly conflicts: number }
  /** `core`: choices of the last conflict, in which nothing was left to decide. */
  | { readonly outcome: 'impossible'; readonly core: readonly number[]; readonly conflicts: number }
  | { readonly outcome: 'unknown'; readonly conflicts: number }

/** A literal is `2 * choice + side`; its negation takes the other side. */
export class OrderSolver {
  readonly #choices: Choices
  readonly #graph: AcyclicGraph
  readonly #budget: SolverBudget
  /** Per choice the side taken, -1 for none. */
  readonly #side: Int8Array
  readonly #level: Int32Array
  readonly #reason: (readonly number[] | null)[]
  readonly #trail: number[] = []
  /** Size of the graph before each literal of the trail. */
  readonly #graphSize: number[] = []
  readonly #levelStart: number[] = []
  readonly #watches: (number[][] | undefined)[]
  readonly #activity: Float64Array
  #bump = 1
  readonly #heap: number[]
  readonly #heapPlace: Int32Array
  #propagated = 0
  #conflicts = 0

  constructor(
    order: Int32Array,
    known: readonly (readonly [number, number])[],
    choices: Choices,
    budget: SolverBudget,
  ) {
    this.#choices = choices
    this.#budget = budget
    this.#graph = new AcyclicGraph(order)
    for (const [from, to] of known) this.#graph.add(from, to, KNOWN)
    const { count } = choices
    this.#side = new Int8Array(count).fill(-1)
    this.#level = new Int32Array(count)
    this.#reason = Array.from({ length: count }, () => null)
    this.#watches = Array.from({ length: count * 2 }, () => undefined)
    this.#activity = new Float64Array(count)
    this.#heap = Array.from({ length: count }, (_, c) => c)
    this.#heapPlace = Int32Array.from(this.#heap)
  }

  solve(): Solution {
    let restartIn = 100
    for (;;) {
      const conflict = this.#propagate()
      if (conflict !== null) {
        this.#conflicts++
        if (this.#levelStart.length === 0) {
          const core = [...new Set(conflict.map((literal) => literal >> 1))]
          return { outcome: 'impossible', core, conflicts: this.#conflicts }
        }
        if (this.#conflicts > this.#budget.conflicts || this.#graph.work > this.#budget.work) {
          return { outcome: 'unknown', conflicts: this.#conflicts }
        }
        this.#learn(conflict)
        if (--restartIn <= 0) {
          restartIn = 100 + this.#conflicts / 4
          this.#backtrack(0)
        }
        continue
      }
      const choice = this.#next()
      if (choice < 0) return { outcome: 'possible', place: this.#graph.place, conflicts: this.#conflicts }
      if (this.#graph.work > this.#budget.work) return { outcome: 'unknown', conflicts: this.#conflicts }
      this.#levelStart.push(this.#trail.length)
      this.#take(choice * 2 + this.#direction(choice), null)
    }
  }

  /** The side whose first edge goes along the order. */
  #direction(choice: number): number {
    const { start, from, to } = this.#choices
    const { place } = this.#graph
    const first = start[choice * 2]
    return place[from[first]] < place[to[first]] ? 0 : 1
  }

  #take(literal: number, reason: readonly number[] | null): void {
    const choice = literal >> 1
    this.#side[choice] = literal & 1
    this.#level[choice] = this.#levelStart.length
    this.#reason[choice] = reason
    this.#trail.push(literal)
  }

  /** Whether a literal is true (1), false (0) or open (-1). */
  #value(literal: number): number {
    const side = this.#side[literal >> 1]
    return side < 0 ? -1 : side === (literal & 1) ? 1 : 0
  }

  /** Draws all consequences; on a conflict, a clause of which every literal is false. */
  #propagate(): readonly number[] | null {
    const { start, from, to } = this.#choices
    while (this.#propagated < this.#trail.length) {
      const literal = this.#trail[this.#propagated++]
      this.#graphSize.push(this.#graph.size)
      for (let e = start[literal]; e < start[literal + 1]; e++) {
        const cycle = this.#graph.add(from[e], to[e], literal)
        if (cycle === null) continue
        return [...new Set([literal, ...cycle])].map((tag) => tag ^ 1)
      }
      const conflict = this.#visitWatches(literal ^ 1)
      if (conflict !== null) return conflict
    }
    return null
  }

  /** Clauses that watch a literal which has become false. */
  #visitWatches(literal: number): readonly number[] | null {
    const clauses = this.#watches[literal]
    if (clauses === undefined) return null
    let kept = 0
    for (let i = 0; i < clauses.length; i++) {
      const clause = clauses[i]
      if (clause[0] === literal) {
        clause[0] = clause[1]
        clause[1] = literal
      }
      if (this.#value(clause[0]) === 1 || !this.#moveWatch(clause)) clauses[kept++] = clause
      else continue
      if (this.#value(clause[0]) === 1) continue
      if (this.#value(clause[0]) === 0) {
        while (++i < clauses.length) clauses[kept++] = clauses[i]
        clauses.length = kept
        return clause
      }
      this.#take(clause[0], clause)
    }
    clauses.length = kept
    return null
  }

  /** Lets a clause watch another literal than its second; false when there is none. */
  #moveWatch(clause: number[]): boolean {
    for (let k = 2; k < clause.length; k++) {
      if (this.#value(clause[k]) === 0) continue
      const other = clause[k]
      clause[k] = clause[1]
      clause[1] = other
      this.#watch(other, clause)
      return true
    }
    return false
  }

  #watch(literal: number, clause: number[]): void {
    const clauses = this.#watches[literal]
    if (clauses === undefined) this.#watches[literal] = [clause]
    else clauses.push(clause)
  }

  /** From a conflict the clause of its first unique implication point; goes back to where it decides something. */
  #learn(conflict: readonly number[]): void {
    const level = this.#levelStart.length
    const seen = new Set<number>()
    const learned: number[] = []
    let open = 0
    let clause: readonly number[] = conflict
    let at = this.#trail.length
    let pivot = -1
    do {
      for (const literal of clause) {
        const choice = literal >> 1
        if (literal === pivot || seen.has(choice) || this.#level[choice] === 0) continue
        seen.add(choice)
        this.#raise(choice)
        if (this.#level[choice] === level) open++
        else learned.push(literal)
      }
      do pivot = this.#trail[--at]
      while (!seen.has(pivot >> 1))
      clause = this.#reason[pivot >> 1] ?? []
      open--
    } while (open > 0)
    let back = 0
    for (const literal of learned) back = Math.max(back, this.#level[literal >> 1])
    const asserting = pivot ^ 1
    // The second watched literal must be one of the level returned to.
    learned.sort((a, b) => this.#level[b >> 1] - this.#level[a >> 1])
    const full = [asserting, ...learned]
    this.#bump *= 1.05
    this.#backtrack(back)
    if (full.length > 1) {
      this.#watch(full[0], full)
      this.#watch(full[1], full)
    }
    this.#take(asserting, full)
  }

  #backtrack(level: number): void {
    if (this.#levelStart.length <= level) return
    const size = this.#levelStart[level]
    for (let i = this.#trail.length - 1; i >= size; i--) {
      const choice = this.#trail[i] >> 1
      this.#side[choice] = -1
      if (this.#heapPlace[choice] < 0) this.#insert(choice)
    }
    if (this.#graphSize.length > size) this.#graph.shrink(this.#graphSize[size])
    this.#trail.length = size
    this.#graphSize.length = Math.min(this.#graphSize.length, size)
    this.#propagated = Math.min(this.#propagated, size)
    this.#levelStart.length = level
  }

  /** The open choice that took part in conflicts most, lately; -1 when none is open. */
  #next(): number {
    while (this.#heap.length > 0) {
      const choice = this.#heap[0]
      const last = this.#heap.pop()!
      this.#heapPlace[choice] = -1
      if (this.#heap.length > 0) {
        this.#heap[0] = last
        this.#heapPlace[last] = 0
        this.#sink(0)
      }
      if (this.#side[choice] < 0) return choice
    }
    return -1
  }

  #raise(choice: number): void {
    this.#activity[choice] += this.#bump
    if (this.#activity[choice] > 1e100) {
      for (let c = 0; c < this.#activity.length; c++) this.#activity[c] *= 1e-100
      this.#bump *= 1e-100
    }
    if (this.#heapPlace[choice] >= 0) this.#rise(this.#heapPlace[choice])
  }

  #insert(choice: number): void {
    this.#heapPlace[choice] = this.#heap.push(choice) - 1
    this.#rise(this.#heapPlace[choice])
  }

  #rise(at: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(at: number): void {
    for (;;) {
      let best = at
      const left = 2 * at + 1
      if (left < this.#heap.length && this.#before(left, best)) best = left
      if (left + 1 < this.#heap.length && this.#before(left + 1, best)) best = left + 1
      if (best === at) return
      this.#swap(at, best)
      at = best
    }
  }

  #before(a: number, b: number): boolean {
    const difference = this.#activity[this.#heap[a]] - this.#activity[this.#heap[b]]
    return difference === 0 ? this.#heap[a] < this.#heap[b] : difference > 0
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap
    const first = heap[a]
    heap[a] = heap[b]
    heap[b] = first
    this.#heapPlace[heap[a]] = a
    this.#heapPlace[heap[b]] = b
  }
}
