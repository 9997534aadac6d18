/**
 * Containers in which some values are put in more than once: the monitors decide where it is known which removal took
 * out which copy of a value. A *pairing* of each repeated value is guessed from the times of its operations, and the
 * monitor is asked. If it says yes, the history is linearizable. If it says no, a smallest set of repeated values is
 * looked for whose pairings alone bring about the no (by leaving values out: what is linearizable stays so when all
 * operations on a value are left out); these pairings are never tried together again. When no pairings are left, or
 * when no repeated value is needed for the no, there is no linearization.
 *
 * This is Bouajjani, Emmi, Enea and Hamza's reduction to histories with different values (ICALP 2015), which holds for
 * containers because they do not look at values, made into a search with learning. It is meant for few repetitions;
 * with many copies of a value, the general search decides.
 */
import type { Budget } from '../../budget.ts'
import type { MonitorAnswer } from './answer.ts'
import {
  containerValues,
  projected,
  type ContainerOperations,
  type ContainerValues,
  type Pairing,
} from './container-values.ts'
import { INFO } from '../../../history/history.ts'

/** Pairings of one value that are distinguished at most. */
const MAX_PAIRINGS = 720
/** Combinations of pairings that are tried for one conflict. */
const MAX_COMBINATIONS = 200_000

/** Pairings that lead to a no together: value → index into its list of pairings. */
type Conflict = ReadonlyMap<number, number>

export interface ContainerMonitor {
  /** Which copy a removal takes: the oldest, or the youngest. Only a first guess. */
  readonly takes: 'oldest' | 'youngest'
  /** What the monitor says; null where it cannot. With `witness` false no order is needed. */
  decide(values: ContainerValues, witness: boolean): MonitorAnswer | null
}

export function decideByPairings(
  operations: ContainerOperations,
  monitor: ContainerMonitor,
  budget: Budget,
): MonitorAnswer | null {
  const repeated = operations.values.flatMap(({ inserts }, number) => (inserts.length > 1 ? [number] : []))
  const only: Pairing = [0]
  const pairings = new Map<number, readonly Pairing[]>()
  for (const number of repeated) {
    const list = pairingsOf(operations, number, monitor.takes)
    if (list === null) return null
    pairings.set(number, list)
  }
  const search = new PairingSearch(pairings)
  for (;;) {
    const values = containerValues(operations, (number) => {
      const list = pairings.get(number)
      return list === undefined
        ? only.slice(0, operations.values[number].removes.length)
        : list[search.chosen(number)]
    })
    const answer = monitor.decide(values, true)
    if (answer === null || answer.anomaly === null) return answer
    const isNo = (numbers: ReadonlySet<number>): boolean => {
      const part = projected(values, (i) => !pairings.has(values.source[i]) || numbers.has(values.source[i]))
      return (monitor.decide(part, false)?.anomaly ?? null) !== null
    }
    const guilty = smallest(repeated, isNo)
    if (guilty.length === 0) {
      const part = projected(values, (i) => !pairings.has(values.source[i]))
      return monitor.decide(part, false)
    }
    const next = search.avoid(guilty, budget)
    if (next === 'none') return answer
    if (next === 'unknown' || budget.look()) return null
  }
}

/** All ways in which removals of a value can have taken its copies, the likeliest first; null when there are too many. */
function pairingsOf(
  { history, values }: ContainerOperations,
  number: number,
  takes: ContainerMonitor['takes'],
): readonly Pairing[] | null {
  const { invokeIndex, completeIndex, type } = history
  const { inserts, removes } = values[number]
  let count = 1
  for (let i = 0; i < removes.length; i++) count *= inserts.length - i
  if (count > MAX_PAIRINGS) return null
  const isPossible = (insert: number, remove: number): boolean =>
    invokeIndex[inserts[insert]] < completeIndex[removes[remove]]
  const all: Pairing[] = []
  const extend = (pairing: number[]): void => {
    if (pairing.length === removes.length) {
      all.push([...pairing])
      return
    }
    for (let insert = 0; insert < inserts.length; insert++) {
      if (pairing.includes(insert) || !isPossible(insert, pairing.length)) continue
      pairing.push(insert)
      extend(pairing)
      pairing.pop()
    }
  }
  extend([])
  const middle = (position: number): number =>
    type[position] === INFO ? invokeIndex[position] : (invokeIndex[position] + completeIndex[position]) / 2
  const likely = likeliest(inserts.map(middle), removes.map(middle), takes)
  const distance = (pairing: Pairing): number =>
    pairing.reduce((sum, insert, i) => sum + (insert === likely[i] ? 0 : 1), 0)
  return all.sort((a, b) => distance(a) - distance(b))
}

/** Which copy each removal takes if everything happens in the middle of its time. */
function likeliest(
  inserts: readonly number[],
  removes: readonly number[],
  takes: ContainerMonitor['takes'],
): number[] {
  const events = [
    ...inserts.map((at, i) => ({ at, i, isInsert: true })),
    ...removes.map((at, i) => ({ at, i, isInsert: false })),
  ].sort((a, b) => a.at - b.at)
  const inside: number[] = []
  const pairing: number[] = removes.map(() => -1)
  for (const { i, isInsert } of events) {
    if (isInsert) inside.push(i)
    else pairing[i] = (takes === 'oldest' ? inside.shift() : inside.pop()) ?? -1
  }
  return pairing
}

/** A smallest part of a list for which `holds` stays true, by halves (Junker's QuickXplain, 2004). */
function smallest(list: readonly number[], holds: (part: ReadonlySet<number>) => boolean): number[] {
  const find = (
    base: readonly number[],
    candidates: readonly number[],
    hasNew: boolean,
  ): readonly number[] => {
    if (hasNew && holds(new Set(base))) return []
    if (candidates.length === 1) return candidates
    const half = candidates.length >> 1
    const first = candidates.slice(0, half)
    const second = candidates.slice(half)
    const fromSecond = find([...base, ...first], second, first.length > 0)
    const fromFirst = find([...base, ...fromSecond], first, fromSecond.length > 0)
    return [...fromFirst, ...fromSecond]
  }
  if (list.length === 0 || holds(new Set())) return []
  return [...find([], list, false)]
}

class PairingSearch {
  readonly #pairings: ReadonlyMap<number, readonly Pairing[]>
  readonly #chosen = new Map<number, number>()
  readonly #conflicts: Conflict[] = []

  constructor(pairings: ReadonlyMap<number, readonly Pairing[]>) {
    this.#pairings = pairings
    for (const number of pairings.keys()) this.#chosen.set(number, 0)
  }

  chosen(number: number): number {
    return this.#chosen.get(number)!
  }

  /** Chooses other pairings than those of the guilty values now; `none`: there are no others. */
  avoid(guilty: readonly number[], budget: Budget): 'found' | 'none' | 'unknown' {
    this.#conflicts.push(new Map(guilty.map((number) => [number, this.chosen(number)])))
    let free = [...guilty]
    for (;;) {
      const blocking = new Set<number>()
      const outcome = this.#choose(free, blocking, budget)
      if (outcome !== 'none') return outcome
      const more = [...blocking].filter((number) => !free.includes(number))
      if (more.length === 0) return 'none'
      free = [...free, ...more]
    }
  }

  /** Other pairings of the free values alone; `blocking` gets the values whose pairings rule some out. */
  #choose(free: readonly number[], blocking: Set<number>, budget: Budget): 'found' | 'none' | 'unknown' {
    const relevant = this.#conflicts.filter((conflict) => free.some((number) => conflict.has(number)))
    const saved = free.map((number) => this.chosen(number))
    let left = MAX_COMBINATIONS
    const isAllowed = (upTo: number): boolean => {
      const open = new Set(free.slice(upTo))
      for (const conflict of relevant) {
        let clashes = true
        for (const [number, pairing] of conflict)
          if (open.has(number) || this.chosen(number) !== pairing) clashes = false
        if (!clashes) continue
        for (const number of conflict.keys()) blocking.add(number)
        return false
      }
      return true
    }
    const extend = (i: number): boolean => {
      if (i === free.length) return true
      for (let pairing = 0; pairing < this.#pairings.get(free[i])!.length; pairing++) {
        if (--left < 0) return false
        this.#chosen.set(free[i], pairing)
        if (isAllowed(i + 1) && extend(i + 1)) return true
      }
      return false
    }
    if (extend(0)) return 'found'
    free.forEach((number, i) => this.#chosen.set(number, saved[i]))
    return left < 0 || budget.look() ? 'unknown' : 'none'
  }
}
