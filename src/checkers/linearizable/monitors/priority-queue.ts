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
import { freeGaps, gapOf, impossibleEmpty } from './container-order.ts'
import type { Budget } from '../../budget.ts'
import { containerOperations, type ContainerValues } from './container-values.ts'
import { decideByPairings } from './pairings.ts'
import { decideWithUnknown } from './unknown-removals.ts'

const METHOD = 'monitor of a priority queue, O(n log n) where values are unique'

export function monitorPriorityQueue(
  history: History,
  positions: Int32Array,
  budget: Budget,
): MonitorAnswer | null {
  const operations = containerOperations(history, positions, { insert: 'insert', remove: 'delete-min' })
  if (operations === null) return null
  if (operations.anomaly !== null) return { method: METHOD, anomaly: operations.anomaly, witness: null }
  const decide = (values: ContainerValues, witness: boolean): MonitorAnswer | null => {
    const { value, insertReturn, removeInvoke } = values
    return decideWithUnknown(
      values,
      (known) => decidePriorityQueue(known, history.eventCount, witness),
      (stays, leaves) =>
        removeInvoke[leaves] > insertReturn[stays] && compareValues(value[stays], value[leaves]) < 0,
    )
  }
  return decideByPairings(operations, { takes: 'oldest', decide }, budget)
}

function decidePriorityQueue(
  values: ContainerValues,
  eventCount: number,
  needsWitness: boolean,
): MonitorAnswer {
  const removals = removalGaps(values, eventCount)
  if ('type' in removals) return { method: METHOD, anomaly: removals, witness: null }
  const anomaly = impossibleEmpty(values, eventCount)
  if (anomaly !== null || !needsWitness) return { method: METHOD, anomaly, witness: null }
  return { method: METHOD, anomaly: null, witness: order(values, removals, eventCount) }
}

/** Values in ascending order, and the first gap in which each can come out; or the first that has none. */
interface Removals {
  readonly ascending: readonly number[]
  readonly gap: Int32Array
}

function removalGaps(values: ContainerValues, eventCount: number): Removals | Anomaly {
  const { insertInvoke, insertReturn, removeInvoke, removeReturn } = values
  const ascending = Array.from({ length: values.count }, (_, i) => i)
  ascending.sort((a, b) => compareValues(values.value[a], values.value[b]))
  const gap = new Int32Array(values.count).fill(NEVER)
  const free = new FreeGaps(eventCount + 2)
  for (const i of ascending) {
    let leaves = removeInvoke[i]
    if (values.removeId[i] >= 0) {
      gap[i] = free.next(Math.max(insertInvoke[i], removeInvoke[i]) + 1)
      if (gap[i] > removeReturn[i]) return tooEarly(values, i)
      // A removal of unknown outcome that finds no gap did not happen.
      if (gap[i] > eventCount) gap[i] = leaves = NEVER
    }
    if (insertReturn[i] !== NEVER) free.cover(insertReturn[i] + 1, Math.min(leaves, eventCount))
  }
  return { ascending, gap }
}

/**
 * Each value goes in as late as it can and comes out in its gap. Between the two, only gaps are crossed in which this
 * value or a smaller one is certainly inside, so no larger one comes out there. In one gap: smaller values come out
 * first, those that go in there too just before; then the removals that found nothing; then what goes in to stay for a while.
 */
function order(values: ContainerValues, { ascending, gap }: Removals, eventCount: number): Float64Array {
  const moments: { id: number; gap: number; phase: number; rank: number }[] = []
  ascending.forEach((i, place) => {
    const rank = place * 2
    const enters = Math.min(values.insertReturn[i], gap[i])
    const brief = enters === gap[i] && gap[i] !== NEVER
    moments.push({ id: values.insertId[i], gap: enters, phase: brief ? 0 : 2, rank })
    if (gap[i] !== NEVER) moments.push({ id: values.removeId[i], gap: gap[i], phase: 0, rank: rank + 1 })
  })
  const free = values.empties.length === 0 ? null : freeGaps(values, eventCount)
  for (const empty of values.empties)
    moments.push({ id: empty.id, gap: gapOf(empty, free!), phase: 1, rank: empty.invoke })
  moments.sort((a, b) => a.gap - b.gap || a.phase - b.phase || a.rank - b.rank)
  return Float64Array.from(moments, ({ id }) => id)
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
