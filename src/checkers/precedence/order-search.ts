/**
 * Searches a total order of vertices that satisfies *demands*: a demand is a list of alternatives, each of the form
 * "a before b" or "a before b and b before c", and one of them must hold. Linearizability of objects whose answers show
 * what happened before, serializability and snapshot isolation all come down to this; it is NP-complete.
 *
 * The search is conflict-driven clause learning (Marques-Silva and Sakallah 1996; Moskewicz et al. 2001) modulo
 * acyclicity, as in Cobra (OSDI 2020) and PolySI (VLDB 2023), with one difference that makes it small: demands are
 * found lazily. There is always a total order, the topological order of the graph of what was decided so far. A *check*
 * replays the history in that order and demands what would repair the first thing that it finds wrong; demands that
 * the order satisfies by itself are never written down, and nothing is decided for them. The order that a correct system left
 * behind needs few repairs, so few of the quadratically many pairs of operations are ever looked at.
 *
 * Sound in both directions: an order is given out only after a check that found nothing to demand, and `impossible`
 * is a refutation of demands that every admissible order satisfies.
 */
import { InternalError } from '../../kernel/errors.ts'
import { askRunning, type Budget } from '../budget.ts'
import { AcyclicGraph, KNOWN } from './acyclic-graph.ts'

/** Edges `from[i]` → `to[i]`, and an order in which all of them go forward. */
export interface KnownOrder {
  readonly order: Int32Array
  readonly from: ArrayLike<number>
  readonly to: ArrayLike<number>
}

export type OrderOutcome =
  | { readonly outcome: 'possible'; readonly order: Int32Array; readonly place: Int32Array }
  /** `core`: keys of the demands that the last conflict rests on, as far as they are known. */
  | { readonly outcome: 'impossible'; readonly core: readonly number[] }
  | { readonly outcome: 'unknown'; readonly reason: string }

/** A number that is true or false of an order; its negation is `literal ^ 1`. */
export type Literal = number

/** Bytes that a variable, and a literal of a clause, take: for the budget. */
const VARIABLE_BYTES = 120
const LITERAL_BYTES = 24
const FIRST_RESTART = 100

interface Clause {
  readonly literals: number[]
  /** Key of the demand, or -1 for what was learned or defines a variable. */
  readonly key: number
}

export class OrderSearch {
  conflicts = 0
  /** Demands made so far. */
  demands = 0
  readonly #graph: AcyclicGraph
  readonly #budget: Budget
  readonly #pairs = new Map<number, number>()
  readonly #conjunctions = new Map<string, number>()
  readonly #demanded = new Map<number, Clause>()
  /** Per variable: the two vertices, or the two literals of a conjunction as `~literal`. */
  readonly #first: number[] = []
  readonly #second: number[] = []
  /** Per variable: the side taken (0 or 1), or -1. */
  readonly #side: number[] = []
  readonly #level: number[] = []
  readonly #reason: (Clause | null)[] = []
  readonly #activity: number[] = []
  /** Per literal: clauses that watch it. */
  readonly #watches: Clause[][] = []
  readonly #trail: number[] = []
  /** Size of the graph before each literal of the trail. */
  readonly #graphSize: number[] = []
  readonly #levelStart: number[] = []
  /** Demands that the last check found broken. */
  #pending: Clause[] = []
  #next = 0
  #fresh: Clause[] = []
  #propagated = 0
  #bump = 1
  #heldBytes = 0
  #refuted = false
  #core: readonly number[] = []

  constructor({ order, from, to }: KnownOrder, budget: Budget) {
    this.#graph = new AcyclicGraph(order, from.length * 2)
    this.#budget = budget
    for (let i = 0; i < from.length; i++) {
      askRunning()
      this.#graph.add(from[i], to[i], KNOWN)
    }
  }

  get order(): Int32Array {
    return this.#graph.order
  }

  get place(): Int32Array {
    return this.#graph.place
  }

  /** The literal "a before b". */
  before(a: number, b: number): Literal {
    const [low, high] = a < b ? [a, b] : [b, a]
    const key = low * this.#graph.place.length + high
    let variable = this.#pairs.get(key)
    if (variable === undefined) {
      variable = this.#variable(low, high)
      this.#pairs.set(key, variable)
    }
    return variable * 2 + (a < b ? 0 : 1)
  }

  /** A literal that implies both. */
  both(one: Literal, other: Literal): Literal {
    const key = one < other ? `${one},${other}` : `${other},${one}`
    let variable = this.#conjunctions.get(key)
    if (variable === undefined) {
      variable = this.#variable(~one, ~other)
      this.#conjunctions.set(key, variable)
      this.#fresh.push({ literals: [variable * 2 + 1, one], key: -1 })
      this.#fresh.push({ literals: [variable * 2 + 1, other], key: -1 })
    }
    return variable * 2
  }

  /**
   * Called by a check: one of the literals must hold. `key` stands for the demand: the literals are asked for only
   * when it is made for the first time. No literal at all refutes everything.
   */
  demand(key: number, literals: () => Literal[]): void {
    let clause = this.#demanded.get(key)
    if (clause === undefined) {
      clause = { literals: [...new Set(literals())], key }
      this.#demanded.set(key, clause)
      this.demands++
      this.#fresh.push(clause)
    }
    this.#pending.push(clause)
  }

  /** Calls `check` with ever better orders until it demands nothing. */
  solve(check: (order: Int32Array, place: Int32Array) => void): OrderOutcome {
    try {
      return this.#solve(check)
    } finally {
      this.#budget.release(this.#heldBytes)
    }
  }

  #solve(check: (order: Int32Array, place: Int32Array) => void): OrderOutcome {
    let restartIn = FIRST_RESTART
    for (;;) {
      if (this.#refuted) return { outcome: 'impossible', core: this.#core }
      if (this.#budget.isSpent()) return { outcome: 'unknown', reason: this.#budget.reason! }
      const conflict = this.#propagate()
      if (conflict !== null) {
        this.#resolve(conflict)
        if (--restartIn <= 0) {
          restartIn = FIRST_RESTART + this.conflicts / 4
          this.#backtrack(0)
        }
        continue
      }
      if (this.#fresh.length > 0) {
        this.#admit(this.#fresh.pop()!)
        continue
      }
      const broken = this.#nextBroken()
      if (broken !== null) {
        this.#levelStart.push(this.#trail.length)
        this.#take(this.#cheapest(broken), null)
        continue
      }
      this.#pending = []
      this.#next = 0
      check(this.#graph.order, this.#graph.place)
      if (this.#pending.length === 0)
        return { outcome: 'possible', order: this.#graph.order, place: this.#graph.place }
      if (this.#fresh.length === 0 && !this.#pending.some((clause) => this.#isBroken(clause)))
        throw new InternalError('OrderSearch: the check demands what the order has')
    }
  }

  #variable(first: number, second: number): number {
    const variable = this.#first.push(first) - 1
    this.#second.push(second)
    this.#side.push(-1)
    this.#level.push(0)
    this.#reason.push(null)
    this.#activity.push(0)
    this.#watches.push([], [])
    this.#hold(VARIABLE_BYTES)
    return variable
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes
    this.#budget.hold(bytes)
  }

  /** Whether the order has what a literal says, decided or not. */
  #holds(literal: number): boolean {
    const variable = literal >> 1
    const first = this.#first[variable]
    const second = this.#second[variable]
    const positive =
      first >= 0
        ? this.#graph.place[first] < this.#graph.place[second]
        : this.#holds(~first) && this.#holds(~second)
    return positive === ((literal & 1) === 0)
  }

  #isBroken({ literals }: Clause): boolean {
    for (const literal of literals) if (this.#value(literal) === 1 || this.#holds(literal)) return false
    return true
  }

  #nextBroken(): Clause | null {
    for (; this.#next < this.#pending.length; this.#next++) {
      const clause = this.#pending[this.#next]
      if (this.#isBroken(clause)) return clause
    }
    return null
  }

  /** The open literal that moves vertices least; those that led to conflicts lately count as nearer. */
  #cheapest({ literals }: Clause): number {
    let best = -1
    let least = Number.POSITIVE_INFINITY
    for (const literal of literals) {
      if (this.#value(literal) !== -1) continue
      const cost = this.#cost(literal)
      if (cost < least) [least, best] = [cost, literal]
    }
    return best
  }

  /** By how many places the order is off. */
  #cost(literal: number): number {
    const variable = literal >> 1
    const first = this.#first[variable]
    const second = this.#second[variable]
    if (first < 0) return (literal & 1) === 1 ? 0 : this.#cost(~first) + this.#cost(~second)
    const { place } = this.#graph
    const ahead = (literal & 1) === 0 ? place[first] - place[second] : place[second] - place[first]
    return Math.max(0, ahead)
  }

  /** Whether a literal is true (1), false (0) or open (-1). */
  #value(literal: number): number {
    const side = this.#side[literal >> 1]
    return side < 0 ? -1 : side === (literal & 1) ? 1 : 0
  }

  #take(literal: number, reason: Clause | null): void {
    const variable = literal >> 1
    this.#side[variable] = literal & 1
    this.#level[variable] = this.#levelStart.length
    this.#reason[variable] = reason
    this.#trail.push(literal)
  }

  /** Draws all consequences; on a conflict, a clause of which every literal is false. */
  #propagate(): Clause | null {
    while (this.#propagated < this.#trail.length) {
      const literal = this.#trail[this.#propagated++]
      this.#graphSize.push(this.#graph.size)
      const variable = literal >> 1
      if (this.#first[variable] >= 0) {
        const low = this.#first[variable]
        const high = this.#second[variable]
        const cycle =
          (literal & 1) === 0 ? this.#graph.add(low, high, literal) : this.#graph.add(high, low, literal)
        if (cycle !== null)
          return { literals: [...new Set([literal, ...cycle])].map((tag) => tag ^ 1), key: -1 }
      }
      const conflict = this.#visitWatches(literal ^ 1)
      if (conflict !== null) return conflict
    }
    return null
  }

  /** Clauses that watch a literal which has become false. */
  #visitWatches(literal: number): Clause | null {
    const clauses = this.#watches[literal]
    let kept = 0
    for (let i = 0; i < clauses.length; i++) {
      const clause = clauses[i]
      const { literals } = clause
      if (literals[0] === literal) {
        literals[0] = literals[1]
        literals[1] = literal
      }
      const first = this.#value(literals[0])
      if (first !== 1 && this.#moveWatch(clause)) continue
      clauses[kept++] = clause
      if (first === 1) continue
      if (first === 0) {
        while (++i < clauses.length) clauses[kept++] = clauses[i]
        clauses.length = kept
        return clause
      }
      this.#take(literals[0], clause)
    }
    clauses.length = kept
    return null
  }

  /** Lets a clause watch another literal than its second; false when there is none. */
  #moveWatch(clause: Clause): boolean {
    const { literals } = clause
    for (let k = 2; k < literals.length; k++) {
      if (this.#value(literals[k]) === 0) continue
      const other = literals[k]
      literals[k] = literals[1]
      literals[1] = other
      this.#watches[other].push(clause)
      return true
    }
    return false
  }

  /** Adds a clause whose literals may be false already: goes back to where it would have had its say. */
  #admit(clause: Clause): void {
    const { literals } = clause
    if (literals.length === 0) {
      this.#refute(clause)
      return
    }
    // The two that were, or will be, false last come first: they are watched.
    const lateness = (literal: number): number =>
      this.#value(literal) === 0 ? this.#level[literal >> 1] : Number.POSITIVE_INFINITY
    literals.sort((a, b) => (lateness(a) === lateness(b) ? a - b : lateness(a) > lateness(b) ? -1 : 1))
    this.#add(clause)
    const second = literals.length > 1 ? lateness(literals[1]) : 0
    if (this.#value(literals[0]) === 1 || second === Number.POSITIVE_INFINITY) return
    if (this.#value(literals[0]) === -1 || lateness(literals[0]) > second) {
      this.#backtrack(second)
      if (this.#value(literals[0]) === -1) this.#take(literals[0], clause)
      return
    }
    this.#backtrack(second)
    this.#resolve(clause)
  }

  #add(clause: Clause): void {
    const { literals } = clause
    this.#hold(64 + literals.length * LITERAL_BYTES)
    if (literals.length < 2) return
    this.#watches[literals[0]].push(clause)
    this.#watches[literals[1]].push(clause)
  }

  #refute(clause: Clause): void {
    this.#refuted = true
    const keys = new Set<number>()
    const seen = new Set<number>()
    const visit = ({ key, literals }: Clause): void => {
      if (key >= 0) keys.add(key)
      for (const literal of literals) {
        const variable = literal >> 1
        if (seen.has(variable)) continue
        seen.add(variable)
        const reason = this.#reason[variable]
        if (reason !== null && this.#side[variable] >= 0) visit(reason)
      }
    }
    visit(clause)
    this.#core = [...keys]
  }

  /** Learns from a conflict the clause of its first unique implication point; goes back to where it decides something. */
  #resolve(conflict: Clause): void {
    this.conflicts++
    const level = this.#levelStart.length
    if (level === 0) {
      this.#refute(conflict)
      return
    }
    const seen = new Set<number>()
    const learned: number[] = []
    let open = 0
    let clause: Clause | null = conflict
    let at = this.#trail.length
    let pivot = -1
    do {
      for (const literal of clause?.literals ?? []) {
        const variable = literal >> 1
        if (literal === pivot || seen.has(variable) || this.#level[variable] === 0) continue
        seen.add(variable)
        this.#raise(variable)
        if (this.#level[variable] === level) open++
        else learned.push(literal)
      }
      do pivot = this.#trail[--at]
      while (!seen.has(pivot >> 1))
      clause = this.#reason[pivot >> 1]
      open--
    } while (open > 0)
    let back = 0
    for (const literal of learned) back = Math.max(back, this.#level[literal >> 1])
    // The second watched literal must be one of the level returned to.
    learned.sort((a, b) => this.#level[b >> 1] - this.#level[a >> 1])
    const full: Clause = { literals: [pivot ^ 1, ...learned], key: -1 }
    this.#bump *= 1.05
    this.#backtrack(back)
    this.#add(full)
    this.#take(pivot ^ 1, full)
  }

  #raise(variable: number): void {
    this.#activity[variable] += this.#bump
    if (this.#activity[variable] < 1e100) return
    for (let v = 0; v < this.#activity.length; v++) this.#activity[v] *= 1e-100
    this.#bump *= 1e-100
  }

  #backtrack(level: number): void {
    if (this.#levelStart.length <= level) return
    const size = this.#levelStart[level]
    for (let i = this.#trail.length - 1; i >= size; i--) this.#side[this.#trail[i] >> 1] = -1
    if (this.#graphSize.length > size) this.#graph.shrink(this.#graphSize[size])
    this.#trail.length = size
    this.#graphSize.length = Math.min(this.#graphSize.length, size)
    this.#propagated = Math.min(this.#propagated, size)
    this.#levelStart.length = level
    this.#next = 0
  }
}
