/**
 * The space that the search walks: the calls of one object, numbered, with everything about time worked out before.
 *
 * A *required* call completed with ok: it took effect between its invocation and its return. An *optional* call has
 * an unknown outcome: it took effect some time after its invocation, or never. Failed calls are not here.
 *
 * Required calls sorted by return give the *levels*. A configuration at level l has linearized every call that
 * returned before the l-th return, not the one that returns there, and some of those that are open at that moment.
 * So the set of linearized calls is a level and one bit per open call (a *slot*, reused after the call returned),
 * however long the history: what Wing and Gong's linked list and Lowe's bitset over the whole history say takes one or
 * two words here, and there is nothing to lift out or to put back.
 *
 * Optional calls of equal behaviour are interchangeable, since none of them has a deadline: only how many of each
 * class were used matters, and the earliest invoked are used first. They can be neither observed nor missed one by
 * one, so they do not double the search.
 */
import { INFO, OK, type History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { Interner } from '../../history/value.ts'
import type { Model } from './model.ts'
import { Transitions } from './transitions.ts'

/** More uses of one class than fit in a packed count go into a further class. */
const MAX_COUNT = 127

export interface Space {
  readonly model: Model
  readonly history: History
  readonly transitions: Transitions
  /** Calls in order of invocation, required and optional, as positions in the history. */
  readonly position: Int32Array
  readonly callClass: Int32Array
  /** Slot of a required call: reads and the others count separately. -1 for optional calls. */
  readonly slot: Int32Array
  readonly isRead: Uint8Array
  readonly levels: number
  /** The call that returns at each level. */
  readonly returning: Int32Array
  /** Required calls open at level l: `open[openStart[l] … openStart[l + 1]]`, by return; the first is `returning[l]`. */
  readonly openStart: Int32Array
  readonly open: Int32Array
  readonly readSlots: number
  readonly otherSlots: number
  /** Groups of interchangeable optional calls, each with the transition class of its members. */
  readonly groups: number
  readonly groupClass: Int32Array
  /** Members of group g, by invocation: `members[memberStart[g] … memberStart[g + 1]]`, and the level from which each is open. */
  readonly memberStart: Int32Array
  readonly members: Int32Array
  readonly availableFrom: Int32Array
  /** Group with the same function, key and input as a call's, or -1: using the call first is as good. */
  readonly twinGroup: Int32Array
  /** Level at which a required call returns; the number of levels for an optional one. */
  readonly returnLevel: Int32Array
  /** Level from which a call is open. */
  readonly openLevel: Int32Array
  /** Calls that may undo what others did; null when the model does not say what cannot be undone. */
  readonly overwriters: Int32Array | null
  /** Calls left out before the search because nothing could depend on them. */
  readonly dropped: number
  readonly bytes: number
}

/** Null if listing the open calls of each level would alone take more than `memoryBytes`. */
export function buildSpace(
  history: History,
  positions: ArrayLike<number>,
  model: Model,
  memoryBytes = Number.POSITIVE_INFINITY,
): Space | null {
  const kept = keptPositions(history, positions, model)
  const n = kept.length
  const classes = classify(history, kept, model)
  const isOptional = new Uint8Array(n)
  for (let i = 0; i < n; i++) isOptional[i] = history.type[kept[i]] === INFO ? 1 : 0
  const returning = byReturn(history, kept, isOptional)
  const levels = returning.length

  const isRead = new Uint8Array(n)
  const slot = new Int32Array(n).fill(-1)
  const openStart = new Int32Array(levels + 1)
  let open = new Int32Array(Math.max(16, levels * 4))
  let filled = 0
  const openLevel = new Int32Array(n).fill(levels)
  const slots = { read: new SlotPool(), other: new SlotPool() }
  const current: number[] = []
  const rank = new Int32Array(n).fill(levels)
  returning.forEach((call, level) => (rank[call] = level))
  let next = 0
  for (let level = 0; level < levels; level++) {
    const end = history.completeIndex[kept[returning[level]]]
    for (; next < n && history.invokeIndex[kept[next]] < end; next++) {
      openLevel[next] = level
      if (isOptional[next] === 0) {
        isRead[next] = classes.readOnly[classes.of[next]]
        slot[next] = (isRead[next] === 1 ? slots.read : slots.other).take()
        insertByRank(current, next, rank)
      }
    }
    if ((filled + current.length) * 8 > memoryBytes) return null
    if (filled + current.length > open.length) open = grown(open, filled + current.length)
    for (const call of current) open[filled++] = call
    openStart[level + 1] = filled
    const done = current.shift()!
    ;(isRead[done] === 1 ? slots.read : slots.other).give(slot[done])
  }

  const groups = groupOptional(n, isOptional, classes.of, openLevel)
  const twinGroup = twins(n, isOptional, classes, groups)
  return {
    model,
    history,
    transitions: new Transitions(model, classes.representatives),
    position: kept,
    callClass: classes.of,
    slot,
    isRead,
    levels,
    returning,
    openStart,
    open,
    readSlots: slots.read.size,
    otherSlots: slots.other.size,
    ...groups,
    twinGroup,
    returnLevel: rank,
    openLevel,
    overwriters: overwritingCalls(model, classes),
    dropped: positions.length - n,
    bytes: open.byteLength + n * 40,
  }
}

/** Positions of the calls that matter, in order of invocation. */
function keptPositions(history: History, positions: ArrayLike<number>, model: Model): Int32Array {
  const { type, invokeIndex } = history
  const kept: number[] = []
  let unknown = 0
  let sorted = true
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]
    if (type[position] === OK || type[position] === INFO) {
      if (kept.length > 0 && invokeIndex[kept[kept.length - 1]] > invokeIndex[position]) sorted = false
      kept.push(position)
      if (type[position] === INFO) unknown++
    }
  }
  if (!sorted) kept.sort((a, b) => invokeIndex[a] - invokeIndex[b] || a - b)
  if (unknown === 0) return Int32Array.from(kept)
  const operations = kept.map((position) => history.operation(position))
  const unobservable = model.unobservable?.(operations)
  return Int32Array.from(
    kept.filter((_, i) => {
      const operation = operations[i]
      if (operation.type !== 'info') return true
      return model.readOnly?.(operation) !== true && unobservable?.has(operation.id) !== true
    }),
  )
}

export interface Classes {
  readonly of: Int32Array
  readonly representatives: readonly Operation[]
  /** Per class: leaves the state alone. */
  readonly readOnly: Uint8Array
  /** Per class: number of (function, key, input, process). */
  readonly effect: readonly number[]
}

/** Groups calls of equal behaviour: same function, key, input, outcome and, unless the model is anonymous, process. */
export function classify(history: History, kept: Int32Array, model: Model): Classes {
  const of = new Int32Array(kept.length)
  const representatives: Operation[] = []
  const effect: number[] = []
  const values = new Interner()
  const effects = new Map<string, number>()
  const classes = new Map<string, number>()
  for (let i = 0; i < kept.length; i++) {
    const position = kept[i]
    const process = model.anonymous === true ? '' : history.process[position]
    const what = `${history.f[position]},${history.key[position]},${values.number(history.input[position])},${process}`
    const outcome = history.type[position] === INFO ? '?' : values.number(history.output[position])
    const key = `${what},${outcome}`
    let cls = classes.get(key)
    if (cls === undefined) {
      cls = representatives.length
      classes.set(key, cls)
      representatives.push(history.operation(position))
      let number = effects.get(what)
      if (number === undefined) effects.set(what, (number = effects.size))
      effect.push(number)
    }
    of[i] = cls
  }
  const readOnly = Uint8Array.from(representatives, (operation) =>
    model.readOnly?.(operation) === true ? 1 : 0,
  )
  return { of, representatives, readOnly, effect }
}

function byReturn(history: History, kept: Int32Array, isOptional: Uint8Array): Int32Array {
  const n = kept.length
  const sorted = new Float64Array(n)
  let count = 0
  for (let i = 0; i < n; i++) {
    if (isOptional[i] === 0) sorted[count++] = history.completeIndex[kept[i]] * n + i
  }
  return Int32Array.from(sorted.subarray(0, count).sort(), (packed) => packed % n)
}

function insertByRank(list: number[], call: number, rank: Int32Array): void {
  let at = list.length
  while (at > 0 && rank[list[at - 1]] > rank[call]) at--
  list.splice(at, 0, call)
}

function grown(array: Int32Array, atLeast: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(array.length * 2, atLeast))
  larger.set(array)
  return larger
}

class SlotPool {
  size = 0
  readonly #free: number[] = []
  take(): number {
    return this.#free.pop() ?? this.size++
  }
  give(slot: number): void {
    this.#free.push(slot)
  }
}

type Groups = Pick<Space, 'groups' | 'groupClass' | 'memberStart' | 'members' | 'availableFrom'>

function groupOptional(n: number, isOptional: Uint8Array, of: Int32Array, level: Int32Array): Groups {
  const byClass = new Map<number, number[]>()
  const lists: number[][] = []
  for (let i = 0; i < n; i++) {
    if (isOptional[i] === 0) continue
    let list = byClass.get(of[i])
    if (list === undefined || list.length === MAX_COUNT) {
      lists.push((list = []))
      byClass.set(of[i], list)
    }
    list.push(i)
  }
  const memberStart = new Int32Array(lists.length + 1)
  lists.forEach((list, g) => (memberStart[g + 1] = memberStart[g] + list.length))
  const members = Int32Array.from(lists.flat())
  return {
    groups: lists.length,
    groupClass: Int32Array.from(lists, (list) => of[list[0]]),
    memberStart,
    members,
    availableFrom: members.map((call) => level[call]),
  }
}

function twins(n: number, isOptional: Uint8Array, classes: Classes, groups: Groups): Int32Array {
  const groupOfEffect = new Map<number, number>()
  for (let g = 0; g < groups.groups; g++) groupOfEffect.set(classes.effect[groups.groupClass[g]], g)
  const twin = new Int32Array(n).fill(-1)
  for (let i = 0; i < n; i++) {
    if (isOptional[i] === 0) twin[i] = groupOfEffect.get(classes.effect[classes.of[i]]) ?? -1
  }
  return twin
}

function overwritingCalls(model: Model, { of, representatives, readOnly }: Classes): Int32Array | null {
  if (model.leadsTo === undefined) return null
  const overwrites = representatives.map((operation) => model.overwrites?.(operation) ?? true)
  return Int32Array.from(of.keys()).filter((call) => readOnly[of[call]] === 0 && overwrites[of[call]])
}
