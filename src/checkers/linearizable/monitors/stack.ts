/**
 * Linearizability of a stack whose values are all different, by decrease and conquer (Lee and Mathur, OOPSLA 2025;
 * Abdulla et al., PLDI 2025), in O(n d) for values nested d deep.
 *
 * A value whose push and pop overlap is pushed and popped at one moment, which disturbs nobody: it is left out. The
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
import { containerValues, impossibleEmpty, type ContainerValues } from './container-values.ts'

const METHOD = 'monitor of a stack with unique values, O(n d)'

export function monitorStack(history: History, positions: Int32Array): MonitorAnswer | null {
  const values = containerValues(history, positions, { insert: 'push', remove: 'pop' })
  if (values === null) return null
  if (values.anomaly !== null) return { method: METHOD, anomaly: values.anomaly, witness: null }
  const anomaly = impossibleEmpty(values, history.eventCount) ?? tangled(values)
  if (anomaly !== null && values.unknownRemovals > 0) return null
  return { method: METHOD, anomaly, witness: null }
}

function tangled(values: ContainerValues): Anomaly | null {
  const { insertReturn, removeInvoke } = values
  const solid: number[] = []
  for (let i = 0; i < values.count; i++) {
    if (insertReturn[i] !== NEVER && insertReturn[i] < removeInvoke[i]) solid.push(i)
  }
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

function tangle(part: readonly number[], { value, insertId, removeId }: ContainerValues): Anomaly {
  const shown = part.slice(0, 8)
  return {
    type: 'out-of-order',
    message: `the values ${shown.map((i) => show(value[i])).join(', ')}${part.length > 8 ? ', …' : ''} were on the stack together without a break, but none of them can have been at the bottom`,
    operations: shown.flatMap((i) => [insertId[i], removeId[i]]).filter((id) => id >= 0),
    details: { values: part.map((i) => value[i]) },
  }
}
