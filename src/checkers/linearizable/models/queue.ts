/** A first-in-first-out queue: `enqueue v`, `dequeue` → v. A dequeue that answered null found the queue empty. */
import { sameValue } from '../../../history/value.ts'
import { ELEMENT, ILLEGAL, type Model } from '../model.ts'
import { monitorQueue } from '../monitors/queue.ts'

export function queue(): Model<readonly unknown[]> {
  return {
    name: 'queue',
    functions: ['enqueue', 'dequeue'],
    inputs: { enqueue: ELEMENT },
    partition: 'key',
    anonymous: true,
    init: () => [],
    step: (state, { f, input, output, type }) => {
      if (f === 'enqueue') return [...state, input]
      if (type === 'info') return state.slice(1)
      if ((output ?? null) === null) return state.length === 0 ? state : ILLEGAL
      return state.length > 0 && sameValue(state[0], output) ? state.slice(1) : ILLEGAL
    },
    readOnly: ({ f, output, type }) => f === 'dequeue' && type === 'ok' && (output ?? null) === null,
    monitor: monitorQueue,
  }
}
