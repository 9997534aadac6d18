/** A stack: `push v`, `pop` → v. A pop that answered null found the stack empty. */
import { sameValue } from '../../../history/value.ts'
import { ELEMENT, ILLEGAL, type Model } from '../model.ts'
import { monitorStack } from '../monitors/stack.ts'

export function stack(): Model<readonly unknown[]> {
  return {
    name: 'stack',
    functions: ['push', 'pop'],
    inputs: { push: ELEMENT },
    partition: 'key',
    anonymous: true,
    init: () => [],
    step: (state, { f, input, output, type }) => {
      if (f === 'push') return [...state, input]
      if (type === 'info') return state.slice(0, -1)
      if ((output ?? null) === null) return state.length === 0 ? state : ILLEGAL
      return state.length > 0 && sameValue(state[state.length - 1], output) ? state.slice(0, -1) : ILLEGAL
    },
    readOnly: ({ f, output, type }) => f === 'pop' && type === 'ok' && (output ?? null) === null,
    monitor: monitorStack,
  }
}
