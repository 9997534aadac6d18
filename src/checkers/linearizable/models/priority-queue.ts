/**
 * A priority queue: `insert v`, `delete-min` → the smallest v (numbers by size, anything else by its text). A
 * `delete-min` that answered null found it empty.
 */
import { compareValues, sameValue } from '../../../history/value.ts'
import { ELEMENT, ILLEGAL, type Model } from '../model.ts'
import { monitorPriorityQueue } from '../monitors/priority-queue.ts'

export function priorityQueue(): Model<readonly unknown[]> {
  return {
    name: 'priority-queue',
    functions: ['insert', 'delete-min'],
    inputs: { insert: ELEMENT },
    partition: 'key',
    anonymous: true,
    init: () => [],
    step: (state, { f, input, output, type }) => {
      if (f === 'insert') {
        const at = state.findIndex((element) => compareValues(element, input) > 0)
        return at < 0 ? [...state, input] : [...state.slice(0, at), input, ...state.slice(at)]
      }
      if (type === 'info') return state.slice(1)
      if ((output ?? null) === null) return state.length === 0 ? state : ILLEGAL
      return state.length > 0 && sameValue(state[0], output) ? state.slice(1) : ILLEGAL
    },
    readOnly: ({ f, output, type }) => f === 'delete-min' && type === 'ok' && (output ?? null) === null,
    monitor: monitorPriorityQueue,
  }
}
