/**
 * Linearizability of a register whose written values are all different, in linear time: Gibbons and Korach's zones
 * (SIAM J. Computing 26, 1997), on event indexes, so that nothing needs sorting.
 *
 * A value's *cluster* is its write and the reads that saw it. Its zone lies between the first return and the last
 * invocation in the cluster: *forward* when the return comes first (the register certainly held the value all through
 * the zone), *backward* otherwise. A linearization exists exactly when no read ended before its write began, no two
 * forward zones overlap, and no backward zone lies inside a forward one. The initial value is a cluster whose write
 * returned before everything.
 *
 * A write of unknown outcome that no read saw is left out; one that was read must have happened, and never returns.
 * Reads of unknown outcome say nothing.
 */
import { INFO, NEVER, OK, type History } from '../../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { MonitorAnswer } from './answer.ts'

const METHOD = 'zones of a register with unique values, O(n)'
const BEFORE_ALL = -1

export function monitorRegister(
  history: History,
  positions: Int32Array,
  initial: unknown,
  nullReadMatchesAll: boolean,
): MonitorAnswer | null {
  const clusters = cluster(history, positions, initial, nullReadMatchesAll)
  if (clusters === null) return null
  if (clusters.anomaly !== null) return { method: METHOD, anomaly: clusters.anomaly, witness: null }
  const starts = forwardZones(history, clusters)
  const anomaly = overlappingZones(history, clusters, starts)
  if (anomaly !== null) return { method: METHOD, anomaly, witness: null }
  const covering = latestZoneBefore(starts)
  const inside = backwardInside(history, clusters, covering)
  if (inside !== null) return { method: METHOD, anomaly: inside, witness: null }
  return { method: METHOD, anomaly: null, witness: order(history, positions, clusters, covering) }
}

interface Clusters {
  readonly count: number
  readonly anomaly: Anomaly | null
  /** Cluster of each of the given positions, or -1 for operations that say nothing. */
  readonly of: Int32Array
  /** Position of the write; -1 for the initial value. */
  readonly write: Int32Array
  /** First return and last invocation in the cluster, and who they are. */
  readonly firstReturn: Int32Array
  readonly lastInvoke: Int32Array
  readonly firstReturner: Int32Array
  readonly lastInvoker: Int32Array
}

/** Cluster numbers by value: an array while values are small integers, a map for the others. */
class ValueNumbers {
  readonly #small: Int32Array
  readonly #others = new Map<ValueKey, number>()
  constructor(limit: number) {
    this.#small = new Int32Array(limit).fill(-1)
  }
  get(value: unknown): number {
    if (typeof value === 'number' && value >= 0 && value < this.#small.length && Number.isInteger(value)) {
      return this.#small[value]
    }
    return this.#others.get(valueKey(value ?? null)) ?? -1
  }
  set(value: unknown, number: number): void {
    if (typeof value === 'number' && value >= 0 && value < this.#small.length && Number.isInteger(value)) {
      this.#small[value] = number
    } else this.#others.set(valueKey(value ?? null), number)
  }
}

function cluster(
  history: History,
  positions: Int32Array,
  initial: unknown,
  nullReadMatchesAll: boolean,
): Clusters | null {
  const { type, f, input, output, invokeIndex, completeIndex } = history
  const read = history.functionIndex('read')
  const writeF = history.functionIndex('write')
  const n = positions.length
  const of = new Int32Array(n).fill(-1)
  const write = new Int32Array(n + 1).fill(-1)
  const firstReturn = new Int32Array(n + 1).fill(NEVER)
  const lastInvoke = new Int32Array(n + 1).fill(BEFORE_ALL)
  const firstReturner = new Int32Array(n + 1).fill(-1)
  const lastInvoker = new Int32Array(n + 1).fill(-1)
  const numbers = new ValueNumbers(Math.max(1024, n * 2))
  numbers.set(initial, 0)
  firstReturn[0] = BEFORE_ALL
  let count = 1
  for (let i = 0; i < n; i++) {
    const position = positions[i]
    if (f[position] === read) continue
    // A cas is an observation too: not a history for this monitor, unless it surely did not happen.
    if (f[position] !== writeF) {
      if (type[position] !== OK && type[position] !== INFO) continue
      return null
    }
    if (type[position] !== OK && type[position] !== INFO) continue
    if (numbers.get(input[position]) >= 0) return null
    numbers.set(input[position], count)
    of[i] = count
    write[count] = position
    lastInvoke[count] = invokeIndex[position]
    lastInvoker[count] = position
    if (type[position] === OK) {
      firstReturn[count] = completeIndex[position]
      firstReturner[count] = position
    }
    count++
  }
  let anomaly: Anomaly | null = null
  for (let i = 0; i < n; i++) {
    const position = positions[i]
    if (f[position] !== read || type[position] !== OK) continue
    if (nullReadMatchesAll && (output[position] ?? null) === null) return null
    const number = numbers.get(output[position])
    if (number < 0) {
      anomaly ??= thinAir(history, position)
      continue
    }
    of[i] = number
    if (invokeIndex[position] > lastInvoke[number]) {
      lastInvoke[number] = invokeIndex[position]
      lastInvoker[number] = position
    }
    if (completeIndex[position] < firstReturn[number]) {
      firstReturn[number] = completeIndex[position]
      firstReturner[number] = position
    }
    const writer = write[number]
    if (writer >= 0 && completeIndex[position] < invokeIndex[writer])
      anomaly ??= future(history, position, writer)
  }
  return { count, anomaly, of, write, firstReturn, lastInvoke, firstReturner, lastInvoker }
}

/** Whether a cluster matters: an unread write of unknown outcome does not, nor does an unread initial value. */
function isIdle(clusters: Clusters, number: number): boolean {
  return number === 0 ? clusters.lastInvoke[0] === BEFORE_ALL : clusters.firstReturn[number] === NEVER
}

/** Two forward zones that overlap: neither cluster can come before the other. */
function overlappingZones(history: History, clusters: Clusters, starts: Int32Array): Anomaly | null {
  const { firstReturn, lastInvoke } = clusters
  let previous = -1
  for (let at = 0; at < starts.length; at++) {
    const number = starts[at]
    if (number < 0) continue
    if (previous >= 0 && lastInvoke[previous] > firstReturn[number])
      return overlap(history, clusters, previous, number)
    previous = number
  }
  return null
}

/** A backward zone inside a forward one. Those are disjoint here, so the last that begins before a point may cover it. */
function backwardInside(history: History, clusters: Clusters, covering: Int32Array): Anomaly | null {
  const { count, firstReturn, lastInvoke } = clusters
  for (let number = 0; number < count; number++) {
    if (isIdle(clusters, number) || firstReturn[number] < lastInvoke[number]) continue
    const zone = covering[lastInvoke[number] + 1]
    if (zone >= 0 && lastInvoke[zone] > firstReturn[number]) return overlap(history, clusters, zone, number)
  }
  return null
}

/** Forward zones by the event at which they begin, shifted by one for what began before everything. */
function forwardZones(history: History, clusters: Clusters): Int32Array {
  const { count, firstReturn, lastInvoke } = clusters
  const starts = new Int32Array(history.eventCount + 2).fill(-1)
  for (let number = 0; number < count; number++) {
    if (!isIdle(clusters, number) && firstReturn[number] < lastInvoke[number])
      starts[firstReturn[number] + 1] = number
  }
  return starts
}

/** For each event, the forward zone that began last; in place. */
function latestZoneBefore(starts: Int32Array): Int32Array {
  const covering = starts
  let latest = -1
  for (let at = 0; at < starts.length; at++) {
    if (starts[at] >= 0) latest = starts[at]
    covering[at] = latest
  }
  return covering
}

/**
 * A linearization: clusters in the order of a moment at which each held, in a cluster the write and then the reads by
 * invocation. The moment of a forward zone is its begin; that of a backward zone is its begin, or the end of the
 * forward zone around that.
 */
function order(
  history: History,
  positions: Int32Array,
  clusters: Clusters,
  covering: Int32Array,
): Float64Array {
  const { count, firstReturn, lastInvoke, of } = clusters
  // Two moments to an event: on it (odd) and, for what must wait for the end of a zone, right after it (even).
  const slots = history.eventCount * 2 + 4
  const moment = new Int32Array(count).fill(-1)
  const perMoment = new Int32Array(slots + 1)
  for (let number = 0; number < count; number++) {
    if (isIdle(clusters, number)) continue
    let at = (firstReturn[number] + 1) * 2
    if (firstReturn[number] > lastInvoke[number]) {
      const zone = covering[lastInvoke[number] + 1]
      at = (Math.max(lastInvoke[number], zone >= 0 ? lastInvoke[zone] : BEFORE_ALL) + 1) * 2 + 1
    }
    moment[number] = at
    perMoment[at + 1]++
  }
  for (let at = 0; at < slots; at++) perMoment[at + 1] += perMoment[at]
  const rank = new Int32Array(count)
  for (let number = 0; number < count; number++)
    if (moment[number] >= 0) rank[number] = perMoment[moment[number]]++
  return inRank(history, positions, clusters, moment, rank, of)
}

function inRank(
  history: History,
  positions: Int32Array,
  clusters: Clusters,
  moment: Int32Array,
  rank: Int32Array,
  of: Int32Array,
): Float64Array {
  const { count, write } = clusters
  const size = new Int32Array(count + 1)
  for (let i = 0; i < of.length; i++) if (of[i] >= 0 && moment[of[i]] >= 0) size[rank[of[i]] + 1]++
  for (let r = 0; r < count; r++) size[r + 1] += size[r]
  const witness = new Float64Array(size[count])
  for (let number = 0; number < count; number++) {
    if (moment[number] >= 0 && write[number] >= 0) witness[size[rank[number]]++] = history.id[write[number]]
  }
  for (let i = 0; i < of.length; i++) {
    const number = of[i]
    if (number >= 0 && moment[number] >= 0 && positions[i] !== write[number]) {
      witness[size[rank[number]]++] = history.id[positions[i]]
    }
  }
  return witness
}

function thinAir(history: History, position: number): Anomaly {
  return {
    type: 'thin-air-read',
    message: `operation ${history.id[position]} read ${show(history.output[position])}, which no client wrote`,
    operations: [history.id[position]],
  }
}

function future(history: History, reader: number, writer: number): Anomaly {
  return {
    type: 'read-before-write',
    message: `operation ${history.id[reader]} read ${show(history.output[reader])} and was over before operation ${history.id[writer]}, which wrote it, began`,
    operations: [history.id[reader], history.id[writer]],
  }
}

function overlap(history: History, clusters: Clusters, a: number, b: number): Anomaly {
  const members = (number: number): number[] => {
    const { write, firstReturner, lastInvoker } = clusters
    const list = [write[number], firstReturner[number], lastInvoker[number]].filter(
      (position) => position >= 0,
    )
    return [...new Set(list)].map((position) => history.id[position])
  }
  const value = (number: number): string =>
    clusters.write[number] < 0 ? 'the initial value' : show(history.input[clusters.write[number]])
  return {
    type: 'stale-read',
    message: `the register held ${value(a)} both before and after it must have held ${value(b)} (operations ${members(a).join(', ')} against ${members(b).join(', ')}), but each value was written once`,
    operations: [...members(a), ...members(b)],
    details: { values: [value(a), value(b)] },
  }
}
