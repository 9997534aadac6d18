/**
 * Orders that prove a container's history linearizable. Every operation gets a moment, a gap between events (gap g lies
 * right before event g); an operation may take effect in the gaps after its invocation up to its return.
 *
 * A removal that found nothing takes effect in a gap in which nothing is certainly inside. What is before such a gap
 * and what is after it are independent: no value has operations that must be on both sides.
 */
import { NEVER } from '../../../history/history.ts'
import type { Anomaly } from '../../result.ts'
import type { ContainerValues, EmptyRemoval } from './container-values.ts'

/** Values between two neighbouring gaps in which the container was seen empty. */
export interface Segment {
  readonly values: readonly number[]
  /** No operation of the segment takes effect before this gap. */
  readonly from: number
}

/** Which gaps are free: nothing is certainly inside. */
export function freeGaps(values: ContainerValues, eventCount: number): Uint8Array {
  const change = new Int32Array(eventCount + 2)
  for (let i = 0; i < values.count; i++) {
    const from = values.insertReturn[i] + 1
    const to = Math.min(values.removeInvoke[i] + 1, eventCount + 1)
    if (values.insertReturn[i] === NEVER || from >= to) continue
    change[from]++
    change[to]--
  }
  const free = new Uint8Array(eventCount + 1)
  for (let gap = 0, inside = 0; gap <= eventCount; gap++) {
    inside += change[gap]
    free[gap] = inside === 0 ? 1 : 0
  }
  return free
}

/** The first free gap of a removal that found nothing. There is one, or the history is not linearizable. */
export function gapOf({ invoke, end }: EmptyRemoval, free: Uint8Array): number {
  for (let gap = invoke + 1; gap <= end; gap++) if (free[gap] === 1) return gap
  return -1
}

/** The first removal that found nothing although at each moment of it some value was certainly inside. */
export function impossibleEmpty(values: ContainerValues, eventCount: number): Anomaly | null {
  if (values.empties.length === 0) return null
  const free = freeGaps(values, eventCount)
  const freeBefore = new Int32Array(free.length + 1)
  for (let gap = 0; gap < free.length; gap++) freeBefore[gap + 1] = freeBefore[gap] + free[gap]
  for (const { id, invoke, end } of values.empties) {
    if (freeBefore[end + 1] - freeBefore[invoke + 1] > 0) continue
    return {
      type: 'impossible-empty',
      message: `operation ${id} found nothing, but at each moment between its invocation and its return some value was certainly inside`,
      operations: [id],
    }
  }
  return null
}

/**
 * The whole order: segments, each ordered by `orderOf`, with the removals that found nothing between them.
 */
export function orderBySegments(
  values: ContainerValues,
  eventCount: number,
  orderOf: (segment: Segment) => readonly number[],
): Float64Array {
  const empties = new Map<number, EmptyRemoval[]>()
  if (values.empties.length > 0) {
    const free = freeGaps(values, eventCount)
    for (const empty of values.empties) {
      const gap = gapOf(empty, free)
      const list = empties.get(gap)
      if (list === undefined) empties.set(gap, [empty])
      else list.push(empty)
    }
  }
  const gaps = [...empties.keys()].sort((a, b) => a - b)
  const members: number[][] = Array.from({ length: gaps.length + 1 }, () => [])
  for (let i = 0; i < values.count; i++) {
    const last = Math.max(values.insertInvoke[i], values.removeInvoke[i])
    members[countBelow(gaps, last)].push(i)
  }
  const order: number[] = []
  members.forEach((list, segment) => {
    for (const { id } of segment === 0 ? [] : empties.get(gaps[segment - 1])!) order.push(id)
    for (const id of orderOf({ values: list, from: segment === 0 ? 0 : gaps[segment - 1] })) order.push(id)
  })
  return Float64Array.from(order)
}

/** How many of the sorted gaps are not after an event: the operation then begins after them. */
function countBelow(sorted: readonly number[], event: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle] <= event) low = middle + 1
    else high = middle
  }
  return low
}
