/**
 * The general search for a linearization, for any model: Wing and Gong's with Lowe's memory of configurations and his
 * just-in-time rule (a call is linearized only when some return leaves no other way), over the space of `space.ts`.
 *
 * Three orders share one memory and one budget, in turns. *Deep* goes on from the furthest configuration, last come
 * first: it finds a linearization quickly where there are many. *Wide* finishes the earliest level first: it forgets
 * nothing behind it, so it proves that there is none. *Leaping* takes up a configuration anywhere between and follows it
 * as far as it leads: it gets out of the hole in which a wrong choice long ago leaves the deep order, where unknown
 * calls were spent too early. What one order has seen, the others need not look at again.
 *
 * What is not tried, with the reason why nothing is lost:
 * - a read that is legal now is taken now: it changes nothing, and it can only get harder later;
 * - of equal open calls the one that returns first goes first: the others can take its later place;
 * - an optional call that is not followed at once by one that could tell the difference: without it all else is as it was;
 * - an optional call that would not change the state, or whose completed twin is open and would do the same;
 * - a configuration in which the model says that an open read can never become legal;
 * - a configuration dominated by a known one (`configurations.ts`).
 */
import {
  BEFORE,
  BITS,
  Configurations,
  CURSOR,
  DEAD,
  LEVEL,
  OPEN_NEXT,
  PARENT,
  STATE,
  STEP,
} from './configurations.ts'
import type { Budget } from '../budget.ts'
import { OptionalGroups } from './optional-groups.ts'
import { NO_STATE } from './transitions.ts'
import type { Space } from './space.ts'

export type SearchState = 'running' | 'valid' | 'invalid'

const NO_GROUPS = new Int32Array(0)
const SLICE = 2048
/** Steps between two counts of memory; the budget decides how often it looks at the clock. */
const CHECK_EVERY = 32

export class Search {
  readonly space: Space
  readonly configurations: Configurations
  readonly #optional: OptionalGroups
  state: SearchState = 'running'
  /** The furthest level reached: everything that returned before it can be linearized. */
  furthest = 0
  /** Whether a configuration was given up before its end, because an open read had become impossible. */
  gaveUp = false
  /** Steps made so far. */
  steps = 0
  readonly #budget: Budget
  #heldBytes = 0
  /** Per level: the last configuration still to be continued, or -1. */
  readonly #open: Int32Array
  #deepest = 0
  #shallowest = 0
  #lastRow = -1
  #lastStep = 0
  #turn = 0
  #lastPushed = 0
  #random = 1

  constructor(space: Space, budget: Budget) {
    this.space = space
    this.#budget = budget
    this.configurations = new Configurations(space)
    this.#optional = new OptionalGroups(space)
    this.#open = new Int32Array(space.levels + 1).fill(-1)
    const { scratch } = this.configurations
    scratch[PARENT] = -1
    scratch[BEFORE] = -1
    if (normalize(space, this.configurations)) this.state = 'valid'
    else this.#push(this.configurations.add())
  }

  get bytes(): number {
    const { space, configurations } = this
    return (
      configurations.bytes +
      space.transitions.bytes +
      space.bytes +
      this.#open.byteLength +
      this.#optional.bytes
    )
  }

  /** Tells the budget how much is held now. */
  #count(): void {
    const { bytes } = this
    this.#budget.hold(bytes - this.#heldBytes)
    this.#heldBytes = bytes
  }

  /** Gives back what the search holds, when it is not going on. */
  release(): void {
    this.#budget.release(this.#heldBytes)
    this.#heldBytes = 0
  }

  /** Goes on for about this many steps, or until the budget is spent. */
  run(steps: number): SearchState {
    const end = this.steps + steps
    while (this.state === 'running' && this.steps < end) {
      const order = this.#turn % 3
      const slice = Math.min(
        end,
        this.steps + (this.#turn === 0 ? Math.max(SLICE, this.space.levels * 4) : SLICE),
      )
      this.#turn++
      while (this.state === 'running' && this.steps < slice) {
        const stop = Math.min(slice, this.steps + CHECK_EVERY)
        if (order === 0) this.#goDeep(stop)
        else if (order === 1) this.#goWide(stop)
        else this.#leap(stop)
        this.#count()
        if (this.#budget.isSpent()) return this.state
      }
    }
    return this.state
  }

  #goDeep(stop: number): void {
    while (this.steps < stop) {
      while (this.#deepest >= 0 && this.#open[this.#deepest] < 0) this.#deepest--
      if (this.#deepest < 0) {
        this.state = 'invalid'
        return
      }
      if (this.#step(this.#deepest)) return
    }
  }

  #goWide(stop: number): void {
    const { levels } = this.space
    while (this.steps < stop) {
      while (this.#shallowest < levels && this.#open[this.#shallowest] < 0) this.#shallowest++
      if (this.#shallowest === levels) {
        this.state = 'invalid'
        return
      }
      if (this.#step(this.#shallowest)) return
    }
  }

  /** Takes up a configuration somewhere in the middle and follows it as far as it leads, again and again. */
  #leap(stop: number): void {
    while (this.steps < stop) {
      this.#random = (Math.imul(this.#random, 1664525) + 1013904223) | 0
      const span = this.#deepest - this.#shallowest + 1
      let level = this.#shallowest + Math.floor(((this.#random >>> 0) / 4294967296) * Math.max(1, span))
      while (level >= this.#shallowest && this.#open[level] < 0) level--
      if (level < this.#shallowest) {
        this.#goDeep(this.steps + 1)
        if (this.state !== 'running') return
        continue
      }
      // Follow the newest configuration: every step that adds one is a step on.
      for (let before = -1; before !== this.configurations.count && this.steps < stop;) {
        before = this.configurations.count
        if (this.#step(level)) return
        level = this.#lastPushed
      }
    }
  }

  #push(row: number): void {
    const chunk = this.configurations.chunk(row)
    const base = this.configurations.base(row)
    const level = chunk[base + LEVEL]
    chunk[base + OPEN_NEXT] = this.#open[level]
    this.#open[level] = row
    this.#lastPushed = level
    if (level > this.#deepest) this.#deepest = level
    if (level > this.furthest) this.furthest = level
  }

  /** Continues the last configuration of a level by one call, or drops it when nothing is left to try. True when done. */
  #step(level: number): boolean {
    const { space, configurations } = this
    const row = this.#open[level]
    const chunk = configurations.chunk(row)
    const base = configurations.base(row)
    let cursor = chunk[base + CURSOR]
    const openStart = space.openStart[level]
    const openCount = space.openStart[level + 1] - openStart
    const optional =
      space.groups === 0 ? NO_GROUPS : this.#optional.candidates(chunk[base + STATE], chunk[base + BEFORE])
    const candidates = openCount + optional.length
    this.steps++
    while (cursor >= 0 && cursor < candidates) {
      const at = cursor++
      const known =
        at < openCount
          ? this.#takeRequired(row, chunk, base, openStart, at)
          : this.#takeOptional(row, chunk, base, level, optional[at - openCount])
      if (!known) continue
      const { scratch } = configurations
      if (normalize(space, configurations)) {
        this.#lastRow = row
        this.#lastStep = scratch[STEP]
        this.furthest = space.levels
        this.state = 'valid'
        return true
      }
      if (scratch[BEFORE] >= 0 && !this.#isObservable()) continue
      if (space.overwriters !== null && isHopeless(space, configurations)) {
        this.gaveUp = true
        continue
      }
      const child = configurations.add()
      if (child < 0) continue
      if (chunk[base + CURSOR] !== DEAD) chunk[base + CURSOR] = cursor
      this.#push(child)
      return false
    }
    this.#open[level] = chunk[base + OPEN_NEXT]
    return false
  }

  /** Puts the configuration after an open call into the scratch row; false when there is none worth trying. */
  #takeRequired(row: number, chunk: Int32Array, base: number, openStart: number, at: number): boolean {
    const { space, configurations } = this
    const { open, slot, isRead, callClass } = space
    const call = open[openStart + at]
    if (isRead[call] === 1) return false
    const bit = slot[call]
    if ((chunk[base + BITS + (bit >>> 5)] & (1 << (bit & 31))) !== 0) return false
    const cls = callClass[call]
    for (let i = 0; i < at; i++) {
      const earlier = open[openStart + i]
      if (callClass[earlier] !== cls) continue
      const other = slot[earlier]
      if ((chunk[base + BITS + (other >>> 5)] & (1 << (other & 31))) === 0) return false
    }
    const next = space.transitions.next(chunk[base + STATE], cls)
    if (next === NO_STATE) return false
    const before = chunk[base + BEFORE]
    if (before >= 0 && space.transitions.next(before, cls) === next) return false
    configurations.load(row)
    const { scratch } = configurations
    scratch[BITS + (bit >>> 5)] |= 1 << (bit & 31)
    scratch[BEFORE] = -1
    scratch[STATE] = next
    scratch[PARENT] = row
    scratch[STEP] = call
    scratch[CURSOR] = 0
    return true
  }

  #takeOptional(row: number, chunk: Int32Array, base: number, level: number, group: number): boolean {
    const { space, configurations } = this
    const word = configurations.usedStart + (group >>> 2)
    const shift = (group & 3) << 3
    const member = space.memberStart[group] + ((chunk[base + word] >>> shift) & 127)
    if (member === space.memberStart[group + 1] || space.availableFrom[member] > level) return false
    const state = chunk[base + STATE]
    const next = space.transitions.next(state, space.groupClass[group])
    const { open, openStart, twinGroup, callClass, slot } = space
    for (let i = openStart[level]; i < openStart[level + 1]; i++) {
      const call = open[i]
      if (twinGroup[call] !== group) continue
      const bit = slot[call]
      const taken = (chunk[base + BITS + (bit >>> 5)] & (1 << (bit & 31))) !== 0
      if (!taken && space.transitions.next(state, callClass[call]) === next) return false
    }
    configurations.load(row)
    const { scratch } = configurations
    scratch[word] += 1 << shift
    scratch[BEFORE] = state
    scratch[STATE] = next
    scratch[PARENT] = row
    scratch[STEP] = ~group
    scratch[CURSOR] = 0
    return true
  }

  /** Whether any next call could tell the scratch row's state from the one before its optional call. */
  #isObservable(): boolean {
    const { transitions, open, openStart, slot, callClass, isRead, memberStart, availableFrom } = this.space
    const { scratch, usedStart } = this.configurations
    const state = scratch[STATE]
    const before = scratch[BEFORE]
    const level = scratch[LEVEL]
    for (let i = openStart[level]; i < openStart[level + 1]; i++) {
      const call = open[i]
      if (isRead[call] === 1 || (scratch[BITS + (slot[call] >>> 5)] & (1 << (slot[call] & 31))) !== 0)
        continue
      const next = transitions.next(state, callClass[call])
      if (next !== NO_STATE && next !== transitions.next(before, callClass[call])) return true
    }
    for (const group of this.#optional.candidates(state, before)) {
      const member = memberStart[group] + ((scratch[usedStart + (group >>> 2)] >>> ((group & 3) << 3)) & 127)
      if (member < memberStart[group + 1] && availableFrom[member] <= level) return true
    }
    return false
  }

  /** Calls in the order of a linearization: of everything when valid, else of what `row` stands for. */
  order(row = this.#lastRow): number[] {
    const steps: number[] = []
    if (this.state === 'valid' && row === this.#lastRow && row >= 0) steps.push(this.#lastStep)
    for (let at = row; at > 0;) {
      const chunk = this.configurations.chunk(at)
      const base = this.configurations.base(at)
      steps.push(chunk[base + STEP])
      at = chunk[base + PARENT]
    }
    return replay(this.space, steps.reverse())
  }

  /** Rows at the furthest level: the last legal configurations of a history that is not linearizable. */
  lastRows(limit: number): number[] {
    const rows: number[] = []
    for (let row = this.configurations.count - 1; row >= 0 && rows.length < limit; row--) {
      const level = this.configurations.chunk(row)[this.configurations.base(row) + LEVEL]
      if (level === this.furthest) rows.push(row)
    }
    return rows
  }
}

/**
 * Takes every read that is legal and passes every return that is done, in the scratch row. True when no level is
 * left. `log` gets the reads in the order in which they were taken.
 */
function normalize(space: Space, configurations: Configurations, log?: number[]): boolean {
  const { open, openStart, slot, isRead, callClass, transitions, levels, returning } = space
  const { scratch, readStart } = configurations
  const state = scratch[STATE]
  let level = scratch[LEVEL]
  for (; level < levels; level++) {
    if (readStart !== configurations.usedStart) {
      for (let i = openStart[level]; i < openStart[level + 1]; i++) {
        const call = open[i]
        if (isRead[call] === 0) continue
        const word = readStart + (slot[call] >>> 5)
        const bit = 1 << (slot[call] & 31)
        if ((scratch[word] & bit) === 0 && transitions.next(state, callClass[call]) !== NO_STATE) {
          scratch[word] |= bit
          scratch[BEFORE] = -1
          log?.push(call)
        }
      }
    }
    const done = returning[level]
    const word = (isRead[done] === 1 ? readStart : BITS) + (slot[done] >>> 5)
    const bit = 1 << (slot[done] & 31)
    if ((scratch[word] & bit) === 0) break
    scratch[word] &= ~bit
  }
  scratch[LEVEL] = level
  return level === levels
}

/** Whether an open read can never become legal after the scratch row: no open or later call can undo what makes it so. */
function isHopeless(space: Space, configurations: Configurations): boolean {
  const { open, openStart, slot, isRead, callClass, transitions } = space
  const { scratch, readStart } = configurations
  const level = scratch[LEVEL]
  for (let i = openStart[level]; i < openStart[level + 1]; i++) {
    const call = open[i]
    if (isRead[call] === 0 || (scratch[readStart + (slot[call] >>> 5)] & (1 << (slot[call] & 31))) !== 0)
      continue
    if (transitions.leadsTo(scratch[STATE], callClass[call])) continue
    if (!canBeUndone(space, scratch, call)) return true
  }
  return false
}

function canBeUndone(space: Space, scratch: Int32Array, read: number): boolean {
  const { slot, callClass, transitions, returnLevel, openLevel, levels } = space
  const level = scratch[LEVEL]
  for (const call of space.overwriters!) {
    if (openLevel[call] > returnLevel[read] || returnLevel[call] < level) continue
    const required = returnLevel[call] < levels
    const taken =
      required &&
      openLevel[call] <= level &&
      (scratch[BITS + (slot[call] >>> 5)] & (1 << (slot[call] & 31))) !== 0
    if (taken) continue
    const after = transitions.next(scratch[STATE], callClass[call])
    // What cannot overwrite now may do so from another state, and that is not looked into.
    if (after === NO_STATE || after === scratch[STATE] || transitions.leadsTo(after, callClass[read]))
      return true
  }
  return false
}

/** The full order of calls, reads included, that a sequence of steps from the beginning stands for. */
function replay(space: Space, steps: readonly number[]): number[] {
  const configurations = new Configurations(space)
  const { scratch } = configurations
  const order: number[] = []
  const used = new Int32Array(space.groups)
  normalize(space, configurations, order)
  for (const step of steps) {
    const group = ~step
    const call = step >= 0 ? step : space.members[space.memberStart[group] + used[group]++]
    order.push(call)
    if (step >= 0) scratch[BITS + (space.slot[call] >>> 5)] |= 1 << (space.slot[call] & 31)
    scratch[STATE] = space.transitions.next(scratch[STATE], space.callClass[call])
    normalize(space, configurations, order)
  }
  return order
}
