/**
 * Linearizability of a FIFO queue whose values are all different, in linear time on event indexes. Besides the
 * violations that `container-values.ts` finds, there are two (Henzinger, Sezgin and Vafeiadis, CONCUR 2013): a value
 * overtakes one that was in before it, or an empty answer came while something was certainly inside.
 */
import { NEVER, type History } from '../../../history/history.ts'
import { InternalError } from '../../../kernel/errors.ts'
import { show } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { MonitorAnswer } from './answer.ts'
import { impossibleEmpty, orderBySegments, type Segment } from './container-order.ts'
import type { Budget } from '../../budget.ts'
import { containerOperations, type ContainerValues } from './container-values.ts'
import { decideByPairings } from './pairings.ts'
import { decideWithUnknown } from './unknown-removals.ts'

const METHOD = 'monitor of a queue, O(n) where values are unique'

export function monitorQueue(history: History, positions: Int32Array, budget: Budget): MonitorAnswer | null {
  const operations = containerOperations(history, positions, { insert: 'enqueue', remove: 'dequeue' })
  if (operations === null) return null
  if (operations.anomaly !== null) return { method: METHOD, anomaly: operations.anomaly, witness: null }
  const decide = (values: ContainerValues, witness: boolean): MonitorAnswer | null =>
    decideWithUnknown(
      values,
      (known) => decideQueue(known, history.eventCount, witness),
      (stays, leaves) => values.insertReturn[stays] < values.insertInvoke[leaves],
    )
  return decideByPairings(operations, { takes: 'oldest', decide }, budget)
}

function decideQueue(values: ContainerValues, eventCount: number, needsWitness: boolean): MonitorAnswer {
  const anomaly = overtaking(values, eventCount) ?? impossibleEmpty(values, eventCount)
  if (anomaly !== null || !needsWitness) return { method: METHOD, anomaly, witness: null }
  const witness = orderBySegments(values, eventCount, (segment) => firstInFirstOut(values, segment))
  return { method: METHOD, anomaly: null, witness }
}

/** Values a and b such that a was in before b began to go in, but b was out before a client began to take a out. */
function overtaking(values: ContainerValues, eventCount: number): Anomaly | null {
  const { insertInvoke, insertReturn, removeInvoke, removeReturn } = values
  const returned = new Int32Array(eventCount).fill(-1)
  const invoked = new Int32Array(eventCount).fill(-1)
  for (let i = 0; i < values.count; i++) {
    if (insertReturn[i] !== NEVER) returned[insertReturn[i]] = i
    if (insertInvoke[i] >= 0) invoked[insertInvoke[i]] = i
  }
  let latest = -1
  for (let event = 0; event < eventCount; event++) {
    const a = returned[event]
    if (a >= 0 && (latest < 0 || removeInvoke[a] > removeInvoke[latest])) latest = a
    const b = invoked[event]
    if (b >= 0 && latest >= 0 && removeReturn[b] < removeInvoke[latest]) return overtaken(values, latest, b)
  }
  return null
}

/**
 * Values in an order in which they can both go in and come out, then their operations as early as that order allows.
 * A value may be next when no other that is left must go in, or come out, before it.
 */
function firstInFirstOut(values: ContainerValues, { values: members, from }: Segment): number[] {
  const { insertInvoke, insertReturn, removeInvoke, removeReturn, insertId, removeId } = values
  const over = (i: number): number => Math.min(insertReturn[i], removeReturn[i])
  const byInsert = new Waiting(members, (i) => insertInvoke[i], over)
  const byRemove = new Waiting(
    members,
    (i) => removeInvoke[i],
    (i) => removeReturn[i],
  )
  const entered = new Map<number, number>()
  const moments: { id: number; gap: number; kind: 0 | 1; place: number }[] = []
  let inGap = from
  let outGap = from
  let place = 0
  const take = (i: number): void => {
    byInsert.remove(i)
    byRemove.remove(i)
    inGap = Math.max(inGap, insertInvoke[i] + 1)
    moments.push({ id: insertId[i], gap: inGap, kind: 0, place: place++ })
    if (removeId[i] < 0) return
    outGap = Math.max(outGap, removeInvoke[i] + 1, inGap)
    moments.push({ id: removeId[i], gap: outGap, kind: 1, place: place++ })
  }
  const eligible = (i: number): void => {
    const half = (entered.get(i) ?? 0) + 1
    entered.set(i, half)
    if (half === 2) ready.push(i)
  }
  const ready: number[] = []
  for (let left = members.length; left > 0;) {
    byInsert.release(eligible)
    byRemove.release(eligible)
    if (ready.length === 0) throw new InternalError('monitorQueue: values that are in order have no first')
    for (let i = ready.pop(); i !== undefined; i = ready.pop(), left--) take(i)
  }
  moments.sort((a, b) => a.gap - b.gap || a.kind - b.kind || a.place - b.place)
  return moments.map(({ id }) => id)
}

/** Values that wait until no other that is left must come before them: their begin is before every end. */
class Waiting {
  readonly #byBegin: readonly number[]
  readonly #byEnd: readonly number[]
  readonly #begin: (i: number) => number
  readonly #end: (i: number) => number
  readonly #gone = new Set<number>()
  #released = 0
  #first = 0

  constructor(members: readonly number[], begin: (i: number) => number, end: (i: number) => number) {
    this.#byBegin = members.toSorted((a, b) => begin(a) - begin(b))
    this.#byEnd = members.toSorted((a, b) => end(a) - end(b))
    this.#begin = begin
    this.#end = end
  }

  remove(i: number): void {
    this.#gone.add(i)
  }

  release(eligible: (i: number) => void): void {
    while (this.#first < this.#byEnd.length && this.#gone.has(this.#byEnd[this.#first])) this.#first++
    const limit = this.#first < this.#byEnd.length ? this.#end(this.#byEnd[this.#first]) : NEVER
    for (; this.#released < this.#byBegin.length; this.#released++) {
      const i = this.#byBegin[this.#released]
      // Values that stay inside come last, when nothing that leaves is left.
      if (this.#begin(i) >= limit && limit !== NEVER) return
      eligible(i)
    }
  }
}

function overtaken({ value, insertId, removeId }: ContainerValues, a: number, b: number): Anomaly {
  const fate =
    removeId[a] < 0 ? 'never came out' : `came out only with operation ${removeId[a]}, which began later`
  return {
    type: 'out-of-order',
    message: `${show(value[a])} was in (operation ${insertId[a]}) before ${show(value[b])} (operation ${insertId[b]}) began to go in, but ${show(value[b])} was out with operation ${removeId[b]}, while ${show(value[a])} ${fate}`,
    operations: [insertId[a], insertId[b], removeId[b], removeId[a]].filter((id) => id >= 0),
    details: { values: [value[a], value[b]] },
  }
}
