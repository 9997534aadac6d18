/**
 * A set: `add e`, `remove e`, `contains e` → boolean, `read` → all elements. An `add` or `remove` that answered a
 * boolean said whether it changed the set; any other answer is ignored.
 *
 * Elements are independent of each other unless something reads the whole set, so without a `read` each is looked at
 * alone.
 */
import type { Operation } from '../../../history/operation.ts'
import { valueKey } from '../../../history/value.ts'
import { ILLEGAL, type Illegal, type Model } from '../model.ts'
import { monitorSet } from '../monitors/set.ts'
import { monitorSetOrder } from '../monitors/set-order.ts'

type State = ReadonlySet<unknown>

export function set(): Model<State> {
  const model: Model<State> = {
    name: 'set',
    functions: ['add', 'remove', 'contains', 'read'],
    partition: 'key',
    partitionFor: (history) =>
      history.functions.includes('read') ? 'key' : ({ key, input }: Operation) => [key, input],
    anonymous: true,
    init: () => new Set(),
    step,
    readOnly: ({ f, output, type }) =>
      f === 'contains' ||
      f === 'read' ||
      (type === 'ok' && output === false && (f === 'add' || f === 'remove')),
    hash: (state) =>
      [...state]
        .map((element) => `${typeof element}${String(element)}`)
        .sort()
        .join('\0'),
    equal: (a, b) => a.size === b.size && [...a].every((element) => b.has(element)),
    describeState: (state) => `{${[...state].join(', ')}}`,
    monitor: (history, positions, budget) =>
      monitorSet(history, positions) ?? monitorSetOrder(history, positions, model, budget),
  }
  return model
}

function step(state: State, { f, input, output, type }: Operation): State | Illegal {
  if (f === 'read') {
    if (type === 'info') return state
    if (!Array.isArray(output)) return ILLEGAL
    const seen = new Set(output.map(valueKey))
    return seen.size === state.size && [...seen].every((element) => state.has(element)) ? state : ILLEGAL
  }
  const element = valueKey(input)
  const present = state.has(element)
  if (f === 'contains') return type === 'info' || output === present ? state : ILLEGAL
  const changes = present !== (f === 'add')
  if (type === 'ok' && typeof output === 'boolean' && output !== changes) return ILLEGAL
  if (!changes) return state
  const next = new Set(state)
  if (f === 'add') next.add(element)
  else next.delete(element)
  return next
}
