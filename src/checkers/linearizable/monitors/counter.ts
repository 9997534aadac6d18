/**
 * Linearizability of a counter that only grows (or only shrinks), by walking through its events with the set of all
 * states in which it can be.
 *
 * Additions commute, so where an addition stands matters only to reads: which of the open additions took effect before
 * a read is a question of sums. A state is the set of open additions that took effect and the sum of those of
 * unknown outcome that did; a read that is open and saw less than the counter shows is lost, so no read needs a mark
 * of its own. States go on as late as they can (Lowe's just-in-time rule): when an addition returns, or a read does. Of
 * open additions of the same amount, the one that returns first goes first. What later reads saw is a bound: the
 * counter never shows more than any read that is not over yet.
 *
 * Additions of unknown outcome make this a question of subset sums. So the first walk follows only their sum, as if
 * they could add any amount up to all that began: it has few states, and if none is left, there is no linearization.
 * Where its path needs unknown additions, further walks follow which of them took effect, first with few states at a
 * time, then with more.
 */
import { INFO, NEVER, OK, type History } from '../../../history/history.ts'
import { isAmount } from '../../amount.ts'
import type { Budget } from '../../budget.ts'
import type { Model } from '../model.ts'
import type { MonitorAnswer } from './answer.ts'
import { contradiction } from './register-calls.ts'

const METHOD = 'monitor of a counter by its sums'
/** Additions that may be open at once: one bit each. */
const MAX_OPEN = 30
const STATE_BYTES = 150

export interface CounterForm {
  readonly initial: number
  readonly addAndGet: boolean
}

export function monitorCounter(
  history: History,
  positions: Int32Array,
  model: Model<any>,
  form: CounterForm,
  budget: Budget,
): MonitorAnswer | null {
  const calls = counterCalls(history, positions, form)
  if (calls === null) return null
  if (typeof calls === 'number')
    return { method: METHOD, anomaly: contradiction(history, model, [calls]), witness: null }
  for (const breadth of BREADTHS) {
    const walk = new CounterWalk(history, calls, breadth, budget)
    const outcome = walk.run()
    if (outcome === 'spent') return null
    if (outcome === 'done') {
      const order = walk.order()
      if (order === null) continue
      return { method: METHOD, anomaly: null, witness: Float64Array.from(order, (at) => history.id[at]) }
    }
    // A walk that left states out proves nothing.
    if (!walk.complete) continue
    return { method: METHOD, anomaly: contradiction(history, model, outcome.stuck), witness: null }
  }
  return null
}

/** `any`: unknown additions add any amount. A number: which of them took effect is followed, in at most that number of states. */
type Breadth = 'any' | number
const BREADTHS: readonly Breadth[] = ['any', 50, 400, 3000, Number.POSITIVE_INFINITY]
/** Unknown additions that a state takes at once between two reads; more in the last walk only. */
const FEW_UNKNOWN = 2
/** How many unknown additions of each amount took effect is one number: this many amounts, each up to this often. */
const MAX_AMOUNTS = 10
const MAX_PER_AMOUNT = 31

interface CounterCalls {
  readonly kept: readonly number[]
  /** Amount of an addition, above zero; absent for reads, and for additions of nothing. */
  readonly amount: ReadonlyMap<number, number>
  /** What a read saw, relative to the beginning; absent for additions of nothing, which see nothing. */
  readonly seen: ReadonlyMap<number, number>
}

/** Null: not a history for this monitor. A number: a read that no counter of integers answers. */
function counterCalls(
  history: History,
  positions: Int32Array,
  { initial, addAndGet }: CounterForm,
): CounterCalls | number | null {
  const { type, f, functions, input, output } = history
  const kept: number[] = []
  const amount = new Map<number, number>()
  const seen = new Map<number, number>()
  let sign = 0
  let total = Math.abs(initial)
  if (!Number.isSafeInteger(initial)) return null
  for (const at of positions) {
    if (type[at] !== OK && type[at] !== INFO) continue
    const name = functions[f[at]]
    if (name === 'read') {
      if (type[at] === INFO) continue
      const value = output[at]
      if (typeof value === 'bigint') return null
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return at
      kept.push(at)
      seen.set(at, value - initial)
      continue
    }
    if (addAndGet && type[at] === OK && isAmount(output[at])) return null
    const given = isAmount(input[at]) ? input[at] : 1
    if (typeof given === 'bigint') return null
    const delta = name === 'decrement' ? -given : given
    total += Math.abs(delta)
    // Neither amounts nor their sums may be rounded.
    if (!Number.isSafeInteger(delta) || !Number.isSafeInteger(total)) return null
    if (delta === 0) {
      if (type[at] === OK) kept.push(at)
      continue
    }
    if (sign !== 0 && Math.sign(delta) !== sign) return null
    sign = Math.sign(delta)
    kept.push(at)
    amount.set(at, Math.abs(delta))
  }
  if (sign < 0) for (const [at, value] of seen) seen.set(at, -value)
  return { kept, amount, seen }
}

/** A state of the counter, and how it came about. */
interface State {
  /** Open additions that took effect. */
  readonly mask: number
  /** Sum of unknown additions that took effect. */
  readonly unknown: number
  /** How many of each amount, packed; 0 where that is not followed. */
  readonly used: number
  readonly value: number
  readonly parent: State | null
  /** The addition at whose return it came about, if it took effect only then; else -1. */
  readonly last: number
  /** The open additions of that moment, by bit: what the mask has more than the parent's took effect. */
  readonly slots: readonly number[]
}

/** Open and unknown additions of one amount at one moment. */
interface Class {
  readonly amount: number
  /** Bits of open ones, those that return first in front. */
  readonly bits: readonly number[]
  /** Place in `State.used` as a factor, and how many unknown ones began. */
  readonly factor: number
  readonly unknown: number
}

class CounterWalk {
  /** Whether no state was left out. */
  complete = true
  readonly #history: History
  readonly #calls: CounterCalls
  readonly #breadth: Breadth
  readonly #budget: Budget
  readonly #slot = new Map<number, number>()
  #slots: readonly number[] = []
  readonly #freeSlots: number[] = []
  /** What open reads saw, ascending. */
  readonly #openReads: number[] = []
  /** Unknown additions that began so far, by amount; `State.used` counts in the order of the amounts. */
  readonly #unknown = new Map<number, number[]>()
  /** The most that unknown additions which began so far can add. */
  #mostUnknown = 0
  #classes: readonly Class[] = []
  #states: readonly State[] = []
  #event = 0
  /** The least that a read saw which has not begun yet, per event. */
  #bound = new Float64Array(0)
  #heldBytes = 0

  constructor(history: History, calls: CounterCalls, breadth: Breadth, budget: Budget) {
    this.#history = history
    this.#calls = calls
    this.#breadth = breadth
    this.#budget = budget
  }

  run(): 'done' | 'spent' | { readonly stuck: readonly number[] } {
    try {
      return this.#run()
    } finally {
      this.#budget.release(this.#heldBytes)
    }
  }

  #run(): 'done' | 'spent' | { readonly stuck: readonly number[] } {
    const events = this.#events()
    this.#states = [{ mask: 0, unknown: 0, used: 0, value: 0, parent: null, last: -1, slots: [] }]
    for (this.#event = 0; this.#event < events.length; this.#event++) {
      const { at, returns } = events[this.#event]
      const { amount, seen } = this.#calls
      if (!returns) {
        if (!this.#begin(at)) return 'spent'
      } else if (amount.has(at)) this.#endAddition(at)
      else if (seen.has(at)) this.#endRead(seen.get(at)!)
      if (this.#states.length === 0) return { stuck: this.#blame(at) }
      this.#narrow()
      if (this.#budget.isSpent()) return 'spent'
    }
    return 'done'
  }

  /** Who is stuck: the operation at whose return no state was left, and the later read that saw least. */
  #blame(at: number): number[] {
    const bound = this.#bound[this.#event]
    const { kept, seen } = this.#calls
    const { invokeIndex } = this.#history
    const later = kept.find((read) => seen.get(read) === bound && invokeIndex[read] > invokeIndex[at])
    return later === undefined || later === at ? [at] : [at, later]
  }

  #events(): { readonly at: number; readonly index: number; readonly returns: boolean }[] {
    const { type, invokeIndex, completeIndex } = this.#history
    const events = this.#calls.kept.flatMap((at) =>
      type[at] === OK
        ? [
            { at, index: invokeIndex[at], returns: false },
            { at, index: completeIndex[at], returns: true },
          ]
        : [{ at, index: invokeIndex[at], returns: false }],
    )
    events.sort((a, b) => a.index - b.index)
    this.#bound = new Float64Array(events.length + 1).fill(Number.POSITIVE_INFINITY)
    for (let e = events.length - 1; e >= 0; e--) {
      const { at, returns } = events[e]
      const value = returns ? undefined : this.#calls.seen.get(at)
      this.#bound[e] = Math.min(this.#bound[e + 1], value ?? Number.POSITIVE_INFINITY)
    }
    return events
  }

  /** False when more is open at once, or more is unknown, than can be followed. */
  #begin(at: number): boolean {
    const { amount, seen } = this.#calls
    const delta = amount.get(at)
    if (delta === undefined) {
      const value = seen.get(at)
      if (value === undefined) return true
      this.#openReads.push(value)
      this.#openReads.sort((a, b) => a - b)
      this.#states = this.#states.filter((state) => state.value <= value)
      return true
    }
    if (this.#history.type[at] === INFO) {
      const same = this.#unknown.get(delta)
      if (same === undefined) this.#unknown.set(delta, [at])
      else same.push(at)
      this.#mostUnknown += delta
      this.#classify()
      const few = this.#unknown.size <= MAX_AMOUNTS && (same?.length ?? 1) <= MAX_PER_AMOUNT
      return few || this.#breadth === 'any'
    }
    const slot = this.#freeSlots.pop() ?? this.#slots.length
    if (slot >= MAX_OPEN) return false
    this.#slot.set(at, slot)
    this.#slots = slot < this.#slots.length ? this.#slots.with(slot, at) : [...this.#slots, at]
    this.#classify()
    return true
  }

  #classify(): void {
    const { completeIndex } = this.#history
    const byAmount = new Map<number, number[]>()
    for (const amount of this.#unknown.keys()) byAmount.set(amount, [])
    for (const at of this.#slot.keys()) {
      const amount = this.#calls.amount.get(at)!
      const list = byAmount.get(amount)
      if (list === undefined) byAmount.set(amount, [at])
      else list.push(at)
    }
    const amounts = [...this.#unknown.keys()]
    const classes = [...byAmount].map(([amount, members]): Class => ({
      amount,
      bits: members.sort((a, b) => completeIndex[a] - completeIndex[b]).map((at) => 1 << this.#slot.get(at)!),
      factor: this.#unknown.has(amount) ? (MAX_PER_AMOUNT + 1) ** amounts.indexOf(amount) : 0,
      unknown: this.#unknown.get(amount)?.length ?? 0,
    }))
    this.#classes = classes.sort((a, b) => b.amount - a.amount)
  }

  #endAddition(at: number): void {
    const slot = this.#slot.get(at)!
    const bit = 1 << slot
    const delta = this.#calls.amount.get(at)!
    const after = new States(this.#breadth)
    // States that have not made the addition make it now, before the next read or after some.
    let waiting: readonly State[] = this.#states
    while (waiting.length > 0) {
      const next = new States(this.#breadth)
      for (const state of waiting) {
        if ((state.mask & bit) !== 0) {
          this.#keep(after, { ...state, mask: state.mask & ~bit, parent: state, last: -1 })
          continue
        }
        const read = this.#nextRead(state.value)
        const value = state.value + delta
        if (value <= Math.min(read, this.#bound[this.#event]))
          this.#keep(after, { ...state, value, parent: state, last: at })
        if (read !== Number.POSITIVE_INFINITY) this.#reach(state, read, bit, next)
      }
      waiting = next.list()
    }
    this.#slot.delete(at)
    this.#freeSlots.push(slot)
    this.#classify()
    this.#states = after.list()
  }

  #endRead(seen: number): void {
    const after = new States(this.#breadth)
    let waiting: readonly State[] = this.#states
    while (waiting.length > 0) {
      const next = new States(this.#breadth)
      for (const state of waiting) {
        if (state.value >= seen) this.#keep(after, state)
        else this.#reach(state, this.#nextRead(state.value), 0, next)
      }
      waiting = next.list()
    }
    this.#openReads.splice(this.#openReads.indexOf(seen), 1)
    this.#states = after.list()
  }

  /** The least that an open read saw which is still to come. */
  #nextRead(value: number): number {
    for (const seen of this.#openReads) if (seen > value) return seen
    return Number.POSITIVE_INFINITY
  }

  #keep(states: States, state: State): void {
    if (!states.add(state)) return
    this.#heldBytes += STATE_BYTES
    this.#budget.hold(STATE_BYTES)
  }

  /** Leaves out states, those that used most unknown additions first. */
  #narrow(): void {
    if (this.#breadth === 'any' || this.#states.length <= this.#breadth) return
    this.complete = false
    this.#states = this.#states.toSorted((a, b) => a.unknown - b.unknown).slice(0, this.#breadth)
  }

  /** All ways to get from a state to a value by open additions other than `without` and unknown ones. */
  #reach(state: State, target: number, without: number, into: States): void {
    if (target > this.#bound[this.#event]) return
    const taken = state.mask | without
    const free = this.#classes.map(({ bits }) => bits.filter((bit) => (taken & bit) === 0))
    if (this.#breadth === 'any') this.#reachByAny(state, target, free, into)
    else this.#reachByKnown(state, target, free, into)
  }

  #reachByAny(state: State, target: number, free: readonly (readonly number[])[], into: States): void {
    const classes = this.#classes
    const mostUnknown = this.#mostUnknown - state.unknown
    const choose = (c: number, left: number, mask: number, least: number): void => {
      if (c === classes.length) {
        // What an open addition could have added need not come from an unknown one: see `States`.
        if (left > mostUnknown || left >= least) return
        const unknown = state.unknown + left
        const slots = this.#slots
        this.#keep(into, { mask, unknown, used: 0, value: target, parent: state, last: -1, slots })
        return
      }
      const { amount } = classes[c]
      const bits = free[c]
      const most = Math.min(bits.length, Math.floor(left / amount))
      for (let count = 0, more = mask; count <= most; more |= bits[count++]) {
        choose(c + 1, left - count * amount, more, count < bits.length ? Math.min(least, amount) : least)
      }
    }
    choose(0, target - state.value, state.mask, Number.POSITIVE_INFINITY)
  }

  #reachByKnown(state: State, target: number, free: readonly (readonly number[])[], into: States): void {
    const classes = this.#classes
    const usedOf = (c: number): number => Math.floor(state.used / classes[c].factor) % (MAX_PER_AMOUNT + 1)
    const unknownFree = classes.map(({ unknown }, c) => (unknown === 0 ? 0 : unknown - usedOf(c)))
    /** The most that the classes from c on can add. */
    const rest = new Float64Array(classes.length + 1)
    for (let c = classes.length - 1; c >= 0; c--)
      rest[c] = rest[c + 1] + (free[c].length + unknownFree[c]) * classes[c].amount
    const mostUnknowns = this.#breadth === Number.POSITIVE_INFINITY ? this.#breadth : FEW_UNKNOWN
    const choose = (
      c: number,
      left: number,
      mask: number,
      used: number,
      sum: number,
      unknowns: number,
    ): void => {
      if (left === 0) {
        const unknown = state.unknown + sum
        const slots = this.#slots
        this.#keep(into, { mask, unknown, used, value: target, parent: state, last: -1, slots })
        return
      }
      if (left > rest[c]) return
      const { amount, factor } = classes[c]
      const bits = free[c]
      const most = Math.min(bits.length + unknownFree[c], Math.floor(left / amount))
      for (let count = 0, more = mask; count <= most; count++) {
        // A known addition of the amount goes first: an unknown one has no end.
        const extra = Math.max(0, count - bits.length)
        if (unknowns + extra > mostUnknowns) {
          this.complete = false
          break
        }
        choose(
          c + 1,
          left - count * amount,
          more,
          used + extra * factor,
          sum + extra * amount,
          unknowns + extra,
        )
        if (count < bits.length) more |= bits[count]
      }
    }
    choose(0, target - state.value, state.mask, state.used, 0, 0)
  }

  /** A linearization; null when the path needs unknown additions and which ones was not followed. */
  order(): number[] | null {
    const least = this.#states.reduce((a, b) => (b.unknown < a.unknown ? b : a))
    if (least.unknown > 0 && this.#breadth === 'any') return null
    const path: State[] = []
    for (let state: State | null = least; state !== null; state = state.parent) path.push(state)
    return this.#withReads(path.reverse())
  }

  /** Reads stand where the counter first shows what they saw. */
  #withReads(path: readonly State[]): number[] {
    const { seen, kept, amount } = this.#calls
    const { invokeIndex } = this.#history
    const byValue = new Map<number, number[]>()
    for (const at of kept) {
      const value = seen.get(at)
      if (value === undefined) continue
      const list = byValue.get(value)
      if (list === undefined) byValue.set(value, [at])
      else list.push(at)
    }
    const order: number[] = []
    let value = Number.NaN
    for (const state of path) {
      order.push(...this.#tookEffect(state))
      if (state.value === value) continue
      value = state.value
      order.push(...(byValue.get(value) ?? []).sort((a, b) => invokeIndex[a] - invokeIndex[b]))
    }
    return this.#withIdle(
      order,
      kept.filter((at) => !seen.has(at) && !amount.has(at)),
    )
  }

  /** Additions that took effect between a state's parent and the state. */
  #tookEffect({ parent, mask, used, slots, last }: State): number[] {
    if (parent === null) return []
    const taken = slots.filter((_, slot) => (mask & ~parent.mask & (1 << slot)) !== 0)
    let more = used
    let fewer = parent.used
    for (const same of this.#unknown.values()) {
      taken.push(...same.slice(fewer % (MAX_PER_AMOUNT + 1), more % (MAX_PER_AMOUNT + 1)))
      more = Math.floor(more / (MAX_PER_AMOUNT + 1))
      fewer = Math.floor(fewer / (MAX_PER_AMOUNT + 1))
    }
    return last < 0 ? taken : [...taken, last]
  }

  /** Additions of nothing can stand anywhere in their time: each right after the last that returned before it began. */
  #withIdle(order: readonly number[], idle: readonly number[]): number[] {
    const { invokeIndex, completeIndex, type } = this.#history
    const result = [...order]
    for (const at of idle.toSorted((a, b) => invokeIndex[a] - invokeIndex[b])) {
      let place = 0
      result.forEach((other, i) => {
        const end = type[other] === INFO ? NEVER : completeIndex[other]
        if (end < invokeIndex[at]) place = i + 1
      })
      result.splice(place, 0, at)
    }
    return result
  }
}

/**
 * States of one moment. Where unknown additions add any amount, a state *covers* another with the same value in which
 * fewer known additions took effect and more came from unknown ones: whatever the other does next with a known
 * addition, this one can do with as much from unknown ones, since those have no end. Covered states are left out.
 */
class States {
  readonly #covers: boolean
  /** By value where states cover each other, else by mask. */
  readonly #groups = new Map<number, State[]>()

  constructor(breadth: Breadth) {
    this.#covers = breadth === 'any'
  }

  add(state: State): boolean {
    const key = this.#covers ? state.value : state.mask
    const group = this.#groups.get(key)
    if (group === undefined) {
      this.#groups.set(key, [state])
      return true
    }
    if (this.#covers) {
      for (const { mask } of group) if ((state.mask & ~mask) === 0) return false
      let kept = 0
      for (const other of group) if ((other.mask & ~state.mask) !== 0) group[kept++] = other
      group.length = kept
    } else {
      for (const { used, value } of group) if (used === state.used && value === state.value) return false
    }
    group.push(state)
    return true
  }

  list(): State[] {
    return [...this.#groups.values()].flat()
  }
}
