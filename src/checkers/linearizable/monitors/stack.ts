/**
 * Linearizability of a stack whose values are all different, by decrease and conquer (Lee and Mathur, OOPSLA 2025;
 * Abdulla et al., PLDI 2025), in O(n d) for values nested d deep.
 *
 * A value whose push and pop overlap is pushed and popped at one moment, which disturbs no other: it is left out. The
 * others are certainly inside from their push's return to their pop's invocation. Where these intervals leave a gap,
 * the stack can be empty there, and what is before is independent of what is after. Where they form one piece, one
 * value must lie below all others of the piece: its push began before any other returned, and its pop returned after
 * any other began. All such values can be at the bottom, one on top of the other; they are taken away, and what remains is
 * looked at in the same way. A piece without such a value has no linearization.
 */
import { NEVER, type History } from '../../../history/history.ts'
import { show } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { MonitorAnswer } from './answer.ts'
import { impossibleEmpty, orderBySegments, type Segment } from './container-order.ts'
import type { Budget } from '../../budget.ts'
import { containerOperations, type ContainerValues } from './container-values.ts'
import { decideByPairings } from './pairings.ts'
import { decideWithUnknown } from './unknown-removals.ts'

const METHOD = 'monitor of a stack, O(n d) where values are unique'

export function monitorStack(history: History, positions: Int32Array, budget: Budget): MonitorAnswer | null {
  const operations = containerOperations(history, positions, { insert: 'push', remove: 'pop' })
  if (operations === null) return null
  if (operations.anomaly !== null) return { method: METHOD, anomaly: operations.anomaly, witness: null }
  const decide = (values: ContainerValues, witness: boolean): MonitorAnswer | null => {
    const { insertInvoke, insertReturn, removeInvoke } = values
    const isBelow = (leaves: number, stays: number): boolean =>
      insertReturn[leaves] < insertInvoke[stays] && removeInvoke[leaves] > insertReturn[stays]
    return decideWithUnknown(
      values,
      (known) => decideStack(known, history.eventCount, witness),
      (stays, leaves) => isBelow(leaves, stays),
    )
  }
  return decideByPairings(operations, { takes: 'youngest', decide }, budget)
}

function decideStack(values: ContainerValues, eventCount: number, needsWitness: boolean): MonitorAnswer {
  const anomaly = impossibleEmpty(values, eventCount) ?? tangled(values)
  if (anomaly !== null || !needsWitness) return { method: METHOD, anomaly, witness: null }
  const witness = orderBySegments(values, eventCount, (segment) => nested(values, segment))
  return { method: METHOD, anomaly: null, witness }
}

/** Whether a value is certainly inside at some moment. */
function isSolid({ insertReturn, removeInvoke }: ContainerValues, i: number): boolean {
  return insertReturn[i] !== NEVER && insertReturn[i] < removeInvoke[i]
}

function tangled(values: ContainerValues): Anomaly | null {
  const { insertReturn } = values
  const solid: number[] = []
  for (let i = 0; i < values.count; i++) if (isSolid(values, i)) solid.push(i)
  solid.sort((a, b) => insertReturn[a] - insertReturn[b])
  const pieces: number[][] = [solid]
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    for (const part of connected(piece, values)) {
      const rest = aboveBottom(part, values)
      if (rest.length === part.length) return tangle(part, values)
      if (rest.length > 1) pieces.push(rest)
    }
  }
  return null
}

/** Values sorted by insertion's return, cut wherever nothing is certainly inside. */
function connected(sorted: readonly number[], { insertReturn, removeInvoke }: ContainerValues): number[][] {
  const parts: number[][] = []
  let current: number[] = []
  let until = -1
  for (const value of sorted) {
    if (current.length > 0 && insertReturn[value] > until) {
      parts.push(current)
      current = []
    }
    current.push(value)
    if (current.length === 1 || removeInvoke[value] > until) until = removeInvoke[value]
  }
  if (current.length > 0) parts.push(current)
  return parts
}

function aboveBottom(part: readonly number[], values: ContainerValues): number[] {
  const { insertInvoke, insertReturn, removeInvoke, removeReturn } = values
  const firstReturn = insertReturn[part[0]]
  let lastInvoke = -1
  for (const value of part) if (removeInvoke[value] > lastInvoke) lastInvoke = removeInvoke[value]
  // A value that never comes out returns "after" everything, as does any other such value.
  return part.filter(
    (value) =>
      !(
        insertInvoke[value] < firstReturn &&
        (removeReturn[value] > lastInvoke || removeReturn[value] === NEVER)
      ),
  )
}

/** The order that the argument above gives, with the values that were left out each at one moment. */
function nested(values: ContainerValues, { values: members, from }: Segment): number[] {
  const { insertInvoke, insertReturn, removeInvoke, insertId, removeId } = values
  const solid = members.filter((i) => isSolid(values, i)).sort((a, b) => insertReturn[a] - insertReturn[b])
  const order: { id: number; gap: number }[] = []
  let gap = from
  // Work to do, last first: a list to be put in order, or a single operation.
  const tasks: (number[] | { id: number; invoke: number })[] = [solid]
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (!Array.isArray(task)) {
      gap = Math.max(gap, task.invoke + 1)
      order.push({ id: task.id, gap })
      continue
    }
    const later: typeof tasks = []
    for (const part of connected(task, values)) {
      const above = new Set(aboveBottom(part, values))
      // Those that stay forever lie deepest.
      const bottom = part.filter((i) => !above.has(i)).sort((a, b) => removeInvoke[b] - removeInvoke[a])
      for (const i of bottom) later.push({ id: insertId[i], invoke: insertInvoke[i] })
      if (above.size > 0) later.push([...above])
      // What stays forever stays on top of what lies below it: a removal of unknown outcome did not happen there.
      const stays = part.some((i) => removeId[i] < 0 && above.has(i))
      for (const i of stays ? [] : bottom.toReversed()) {
        if (removeId[i] >= 0) later.push({ id: removeId[i], invoke: removeInvoke[i] })
      }
    }
    for (let i = later.length - 1; i >= 0; i--) tasks.push(later[i])
  }
  const brief = members
    .filter((i) => !isSolid(values, i))
    .map((i) => ({
      gap: Math.max(from, insertInvoke[i] + 1, removeInvoke[i] + 1),
      ids: [insertId[i], removeId[i]],
    }))
  brief.sort((a, b) => a.gap - b.gap)
  const merged: number[] = []
  let next = 0
  for (const one of order) {
    for (; next < brief.length && brief[next].gap < one.gap; next++) merged.push(...brief[next].ids)
    merged.push(one.id)
  }
  for (; next < brief.length; next++) merged.push(...brief[next].ids)
  return merged
}

function tangle(part: readonly number[], { value, insertId, removeId }: ContainerValues): Anomaly {
  const shown = part.slice(0, 8)
  return {
    type: 'out-of-order',
    message: `the values ${shown.map((i) => show(value[i])).join(', ')}${part.length > 8 ? ', …' : ''} were on the stack together without a break, but none of them can have been at the bottom`,
    operations: shown.flatMap((i) => [insertId[i], removeId[i]]).filter((id) => id >= 0),
    details: { values: part.map((i) => value[i]) },
  }
}
