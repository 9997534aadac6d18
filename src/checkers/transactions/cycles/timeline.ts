/**
 * Real-time order between transactions: a before b when a was known to be over before b was asked for. All pairs
 * would be quadratic. For finding components the order is a chain of *moments*, one per completion, in time order: a
 * transaction leads to the moment of its completion, a moment to the next one and to the transactions invoked before
 * the next one. That is linear, whatever the concurrency, and the edges need not be stored.
 *
 * Inside a component, where cycles are searched, the transitive reduction is written out: about as many edges per
 * transaction as there were others running.
 *
 * Only a committed transaction is over when it completes: an unknown one may still happen later. A transaction
 * without recorded invocation has no predecessor.
 */
import { FAIL, OK, type MicroOperations } from '../micro-operations.ts'
import { int32 } from '../../workspace.ts'

export interface Timeline {
  /** Number of moments. */
  readonly length: number
  /** Moment of a transaction's completion, or -1; indexed by vertex of the graph. */
  readonly slot: Int32Array
  /** Transactions invoked after moment m and before the next are `invoked[first[m]]` to `invoked[first[m + 1]]`. */
  readonly first: Int32Array
  readonly invoked: Int32Array
  /** Transactions invoked after some completion, those that failed included. */
  readonly followers: number
}

export function timeline(txns: MicroOperations, vertices: number): Timeline {
  const { history } = txns
  const events = history.events()
  const transactionAt = int32(history.length, -1)
  for (let t = 0; t < txns.count; t++) transactionAt[txns.position[t]] = t
  const slot = int32(vertices, -1)
  const invoked = int32(txns.count)
  const first = int32(txns.count + 1)
  let moments = 0
  let size = 0
  let followers = 0
  for (let e = 0; e < events.length; e++) {
    const event = events[e]
    const position = event % 2 === 0 ? event / 2 : (event - 1) / 2
    const t = transactionAt[position]
    if (t < 0) continue
    if (event % 2 === 0) {
      if (moments === 0) continue
      followers++
      if (txns.type[t] !== FAIL) invoked[size++] = t
    } else if (txns.type[t] === OK) {
      slot[t] = moments
      first[moments++] = size
    }
  }
  first[moments] = size
  return {
    length: moments,
    slot,
    first: first.subarray(0, moments + 1),
    invoked: invoked.subarray(0, size),
    followers,
  }
}

/**
 * The transitive reduction among some transactions, given in ascending order: calls `link(a, b)` for pairs with
 * none of them between.
 */
export function realtimeReduction(
  txns: MicroOperations,
  members: readonly number[],
  link: (from: number, to: number) => void,
): void {
  const { invokeIndex, completeIndex } = txns.history
  const events: number[] = []
  for (const t of members) {
    const position = txns.position[t]
    if (txns.type[t] === FAIL) continue
    if (invokeIndex[position] >= 0) events.push(invokeIndex[position] * 2, t)
    if (txns.type[t] === OK && completeIndex[position] >= 0) events.push(completeIndex[position] * 2 + 1, t)
  }
  const order = Array.from({ length: events.length / 2 }, (_, i) => i * 2).sort(
    (a, b) => events[a] - events[b],
  )
  // Completed transactions of which no later one is known to have begun after them and completed.
  let frontier: number[] = []
  for (const at of order) {
    const t = events[at + 1]
    if (events[at] % 2 === 0) {
      for (const before of frontier) link(before, t)
    } else {
      const began = invokeIndex[txns.position[t]]
      if (began >= 0) frontier = frontier.filter((before) => completeIndex[txns.position[before]] > began)
      frontier.push(t)
    }
  }
}

/** Committed transactions of one process in order: calls `link` for each and the next. */
export function processOrder(txns: MicroOperations, link: (from: number, to: number) => void): void {
  const { history } = txns
  const events = history.events()
  const transactionAt = int32(history.length, -1)
  for (let t = 0; t < txns.count; t++) transactionAt[txns.position[t]] = t
  const last = int32(history.processes.length, -1)
  for (let e = 0; e < events.length; e++) {
    if (events[e] % 2 === 0) continue
    const position = (events[e] - 1) / 2
    const t = transactionAt[position]
    if (t < 0 || txns.type[t] !== OK) continue
    const process = history.process[position]
    if (history.processes[process] === null) continue
    if (last[process] >= 0) link(last[process], t)
    last[process] = t
  }
}
