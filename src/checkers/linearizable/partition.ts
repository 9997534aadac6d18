/**
 * Splits a history into the histories of independent objects: a history is linearizable exactly when each of its
 * objects' is (Herlihy and Wing's locality; P-compositionality in Horn and Kroening, 2015). The parts are positions.
 * Failed operations did not happen and say nothing: they are in no part.
 */
import { FAIL, type History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { valueKey, type ValueKey } from '../../history/value.ts'

export type Partition = 'key' | 'none' | ((operation: Operation) => unknown)

export interface Part {
  readonly key: unknown
  readonly positions: Int32Array
}

export function partitioned(history: History, partition: Partition): Part[] {
  if (partition === 'none') return [whole(history)]
  if (partition === 'key') return byColumn(history)
  const groups = new Map<ValueKey, { key: unknown; positions: number[] }>()
  for (let position = 0; position < history.length; position++) {
    if (history.type[position] === FAIL) continue
    const key = partition(history.operation(position))
    const group = groups.get(valueKey(key))
    if (group === undefined) groups.set(valueKey(key), { key, positions: [position] })
    else group.positions.push(position)
  }
  return [...groups.values()].map(({ key, positions }) => ({ key, positions: Int32Array.from(positions) }))
}

function whole(history: History): Part {
  const positions: number[] = []
  for (let i = 0; i < history.length; i++) if (history.type[i] !== FAIL) positions.push(i)
  return { key: null, positions: Int32Array.from(positions) }
}

function byColumn(history: History): Part[] {
  const sizes = new Int32Array(history.keys.length)
  for (let i = 0; i < history.length; i++) if (history.type[i] !== FAIL) sizes[history.key[i]]++
  const parts = new Map<number, { key: unknown; positions: Int32Array }>()
  const filled = new Int32Array(sizes.length)
  for (let i = 0; i < history.length; i++) {
    if (history.type[i] === FAIL) continue
    const key = history.key[i]
    let part = parts.get(key)
    if (part === undefined)
      parts.set(key, (part = { key: history.keys[key], positions: new Int32Array(sizes[key]) }))
    part.positions[filled[key]++] = i
  }
  return [...parts.values()]
}
