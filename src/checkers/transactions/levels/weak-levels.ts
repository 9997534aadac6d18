/**
 * Read committed, item cut isolation (read committed with repeatable reads of a key; Adya's repeatable read, PL-2.99,
 * is far stronger), read atomic and causal consistency, decided by saturation: each level says when a
 * write that a transaction could see must come before the one it read (Biswas and Enea), and the level holds exactly
 * when these demands, session order and reads-from have no cycle.
 *
 * Not every such pair needs an edge. As in AWDIT (Møldrup and Pavlogiannis, PLDI 2025): of the writers of a key in
 * one session only the latest visible one is linked, and for each transaction read from, the smaller one of its writes
 * and the reader's reads is walked. Read committed and read atomic cost O(n^1.5), causal O(n · sessions).
 */
import type { Budget } from '../../budget.ts'
import { GraphBuilder, PROCESS, WR, WW } from '../cycles/graph.ts'
import { INITIAL, type ReadsFrom } from './reads-from.ts'

/** What a demand costs, with its edge. */
const DEMAND_BYTES = 64

export type WeakLevel = 'read-committed' | 'item-cut-isolation' | 'read-atomic' | 'causal'

/** Why one writer comes before another: a transaction that could see the first read the key from the second. */
export interface Demand {
  readonly earlier: number
  /** INITIAL when the initial state was read although the earlier one was visible. */
  readonly later: number
  readonly reader: number
  readonly key: number
}

/** `violations`: demands that nothing can meet; `demands`: edges that must join session order and reads-from. */
export interface Saturation {
  readonly demands: readonly Demand[]
  readonly violations: readonly Demand[]
}

/** Session order and reads-from, which hold at every level. */
export function baseGraph(history: ReadsFrom): GraphBuilder {
  const graph = new GraphBuilder(history.count, history.count + history.readKey.length + 1)
  for (let t = 0; t < history.count; t++) {
    if (history.previous[t] >= 0) graph.link(history.previous[t], t, PROCESS)
    let last = INITIAL
    for (let r = history.readStart[t]; r < history.readStart[t + 1]; r++) {
      const source = history.readSource[r]
      if (source !== INITIAL && source !== last) graph.link(source, t, WR)
      last = source
    }
  }
  return graph
}

/** The demands of a level; `order` is a topological order of the base graph. */
export function saturate(
  history: ReadsFrom,
  level: WeakLevel,
  order: Int32Array,
  budget: Budget,
): Saturation {
  const demands: Demand[] = []
  const violations: Demand[] = []
  const demand = (earlier: number, later: number, reader: number, key: number): void => {
    budget.ask()
    if (earlier === later || earlier === reader) return
    budget.hold(DEMAND_BYTES)
    ;(later === INITIAL ? violations : demands).push({ earlier, later, reader, key })
  }
  if (level === 'causal') causal(history, order, demand, budget)
  else {
    directlyRead(history, level === 'read-atomic', demand, budget)
    if (level === 'item-cut-isolation') twoSources(history, demand)
    if (level === 'read-atomic') lastInSession(history, demand)
  }
  return { demands, violations }
}

type Demanding = (earlier: number, later: number, reader: number, key: number) => void

/**
 * Writers that the reader read something from. For read committed only what it read before the read in question
 * counts, so its reads are walked in order; for read atomic any.
 */
function directlyRead(history: ReadsFrom, anyOrder: boolean, demand: Demanding, budget: Budget): void {
  const { count, readStart, readKey, readSource, writeStart, writeKey } = history
  const writes = keySets(history)
  // Reads of the transaction at hand, by key.
  const readsOf = new Map<number, number[]>()
  for (let t = 0; t < count; t++) {
    budget.ask()
    const begin = readStart[t]
    const end = readStart[t + 1]
    if (end - begin < 2) continue
    readsOf.clear()
    const firstRead = new Map<number, number>()
    for (let r = begin; r < end; r++) {
      const list = readsOf.get(readKey[r])
      if (list === undefined) readsOf.set(readKey[r], [r])
      else list.push(r)
      if (readSource[r] !== INITIAL && !firstRead.has(readSource[r])) firstRead.set(readSource[r], r)
    }
    for (const [source, seenAt] of firstRead) {
      const link = (key: number): void => {
        for (const r of readsOf.get(key) ?? [])
          if (anyOrder || r > seenAt) demand(source, readSource[r], t, key)
      }
      if (writeStart[source + 1] - writeStart[source] <= readsOf.size) {
        for (let w = writeStart[source]; w < writeStart[source + 1]; w++) link(writeKey[w])
      } else {
        const written = writes(source)
        for (const key of readsOf.keys()) if (written.has(key)) link(key)
      }
    }
  }
}

/** The keys of a transaction as a set, made when first asked for. */
function keySets({ writeStart, writeKey }: ReadsFrom): (t: number) => ReadonlySet<number> {
  const sets = new Map<number, ReadonlySet<number>>()
  return (t) => {
    let set = sets.get(t)
    if (set === undefined) sets.set(t, (set = new Set(writeKey.subarray(writeStart[t], writeStart[t + 1]))))
    return set
  }
}

/** A key that one transaction read from two others: each would have to be the later one. */
function twoSources({ count, readStart, readKey, readSource }: ReadsFrom, demand: Demanding): void {
  const first = new Map<number, number>()
  for (let t = 0; t < count; t++) {
    first.clear()
    for (let r = readStart[t]; r < readStart[t + 1]; r++) {
      const source = first.get(readKey[r])
      if (source === undefined) first.set(readKey[r], readSource[r])
      else if (source !== readSource[r]) {
        if (source !== INITIAL) demand(source, readSource[r], t, readKey[r])
        if (readSource[r] !== INITIAL) demand(readSource[r], source, t, readKey[r])
      }
    }
  }
}

/** The latest earlier transaction of the reader's session that wrote the key. */
function lastInSession(history: ReadsFrom, demand: Demanding): void {
  const { count, session, acknowledged, readStart, readKey, readSource, writeStart, writeKey } = history
  const lastWriter = new Map<number, Map<number, number>>()
  for (let t = 0; t < count; t++) {
    if (acknowledged[t] === 0) continue
    let writers = lastWriter.get(session[t])
    if (writers === undefined) lastWriter.set(session[t], (writers = new Map()))
    for (let r = readStart[t]; r < readStart[t + 1]; r++) {
      const earlier = writers.get(readKey[r])
      if (earlier !== undefined) demand(earlier, readSource[r], t, readKey[r])
    }
    for (let w = writeStart[t]; w < writeStart[t + 1]; w++) writers.set(writeKey[w], t)
  }
}

/** In each session the latest writer of the key that happened before the reader, by vector clocks. */
function causal(history: ReadsFrom, order: Int32Array, demand: Demanding, budget: Budget): void {
  const { count, session, sessions, place, previous, readStart, readKey, readSource, writeStart, writeKey } =
    history
  // Per key and session its writers in session order.
  const writers = new Map<number, Map<number, number[]>>()
  for (let t = 0; t < count; t++) {
    for (let w = writeStart[t]; w < writeStart[t + 1]; w++) {
      let ofKey = writers.get(writeKey[w])
      if (ofKey === undefined) writers.set(writeKey[w], (ofKey = new Map()))
      const list = ofKey.get(session[t])
      if (list === undefined) ofKey.set(session[t], [t])
      else list.push(t)
    }
  }
  // clock[t][s]: how many transactions of session s happened before t.
  const clock = new Int32Array(count * sessions)
  const join = (t: number, before: number): void => {
    const at = t * sessions
    const from = before * sessions
    for (let s = 0; s < sessions; s++) if (clock[from + s] > clock[at + s]) clock[at + s] = clock[from + s]
    const own = at + session[before]
    clock[own] = Math.max(clock[own], place[before] + 1)
  }
  for (const t of order) {
    budget.ask()
    if (previous[t] >= 0) join(t, previous[t])
    let last = INITIAL
    for (let r = readStart[t]; r < readStart[t + 1]; r++) {
      if (readSource[r] !== INITIAL && readSource[r] !== last) join(t, readSource[r])
      last = readSource[r]
    }
    for (let r = readStart[t]; r < readStart[t + 1]; r++) {
      for (const [s, list] of writers.get(readKey[r]) ?? []) {
        const earlier = latestBefore(list, place, clock[t * sessions + s])
        if (earlier >= 0) demand(earlier, readSource[r], t, readKey[r])
      }
    }
  }
}

/** The last of a session's transactions whose place is below a limit, or -1. */
function latestBefore(list: readonly number[], place: Int32Array, limit: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (place[list[middle]] < limit) low = middle + 1
    else high = middle
  }
  return low === 0 ? -1 : list[low - 1]
}

/** Adds the demands to the base graph. */
export function linkDemands(graph: GraphBuilder, demands: readonly Demand[]): void {
  for (const { earlier, later } of demands) graph.link(earlier, later, WW)
}
