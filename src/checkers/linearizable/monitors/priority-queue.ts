/**
 * Linearizability of a priority queue whose values are all different, in O(n log n), in the manner of Lee and Mathur's
 * decrease-and-conquer (OOPSLA 2025): values are looked at from the smallest up. A value can come out at a moment at
 * which no smaller one is certainly inside; if its removal has such a moment after its insertion began, the larger
 * value can be added to any linearization of the smaller ones, split at that moment.
 *
 * Moments are the gaps between events. Gaps once covered by a smaller value stay covered, so a forest of "next free
 * gap" answers each question in almost constant time.
 */
import { NEVER, type History } from '../../../history/history.ts'
import { compareValues, show } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { MonitorAnswer } from './answer.ts'
import { containerValues, impossibleEmpty, type ContainerValues } from './container-values.ts'

const METHOD = 'monitor of a priority queue with unique values, O(n log n)'

export function monitorPriorityQueue(history: History, positions: Int32Array): MonitorAnswer | null {
  const values = containerValues(history, positions, { insert: 'insert', remove: 'delete-min' })
  if (values === null) return null
  if (values.anomaly !== null) return { method: METHOD, anomaly: values.anomaly, witness: null }
  const anomaly = jumped(values, history.eventCount) ?? impossibleEmpty(values, history.eventCount)
  if (anomaly !== null && values.unknownRemovals > 0) return null
  return { method: METHOD, anomaly, witness: null }
}

function jumped(values: ContainerValues, eventCount: number): Anomaly | null {
  const { insertInvoke, insertReturn, removeInvoke, removeReturn } = values
  const order = Array.from({ length: values.count }, (_, i) => i)
  order.sort((a, b) => compareValues(values.value[a], values.value[b]))
  const free = new FreeGaps(eventCount + 2)
  for (const i of order) {
    if (removeReturn[i] !== NEVER) {
      const earliest = Math.max(insertInvoke[i], removeInvoke[i]) + 1
      if (free.next(earliest) > removeReturn[i]) return tooEarly(values, i)
    }
    if (insertReturn[i] !== NEVER) free.cover(insertReturn[i] + 1, Math.min(removeInvoke[i], eventCount))
  }
  return null
}

/** Disjoint sets over gaps: each covered gap points towards the next free one. */
class FreeGaps {
  readonly #next: Int32Array
  constructor(size: number) {
    this.#next = new Int32Array(size + 1)
    for (let i = 0; i <= size; i++) this.#next[i] = i
  }

  next(gap: number): number {
    const next = this.#next
    let root = gap
    while (next[root] !== root) root = next[root]
    for (let at = gap; next[at] !== root;) {
      const following = next[at]
      next[at] = root
      at = following
    }
    return root
  }

  cover(from: number, to: number): void {
    for (let gap = this.next(from); gap <= to; gap = this.next(gap + 1)) this.#next[gap] = gap + 1
  }
}

function tooEarly({ value, insertId, removeId }: ContainerValues, i: number): Anomaly {
  return {
    type: 'out-of-order',
    message: `operation ${removeId[i]} took out ${show(value[i])}, but at each moment at which it could a smaller value was certainly inside`,
    operations: [insertId[i], removeId[i]],
    details: { value: value[i] },
  }
}
