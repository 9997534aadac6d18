/**
 * Several registers changed together: a `txn` is a list of `['r', key, value]` and `['w', key, value]`, done at one
 * moment, in order. `read` and `write` of a single key are transactions of one step. No partition: that is the point.
 */
import type { Operation } from '../../../history/operation.ts'
import { keyText, sameValue } from '../../../history/value.ts'
import { ILLEGAL, type Illegal, type Model } from '../model.ts'

export interface MultiRegisterOptions {
  readonly initial?: Readonly<Record<string, unknown>>
  /** True: a read of null saw an unknown value, as Knossos has it. */
  readonly nullReadMatchesAll?: boolean
}

type State = Readonly<Record<string, unknown>>
type MicroOperation = readonly [f: string, key: unknown, value: unknown]

export function multiRegister({
  initial = {},
  nullReadMatchesAll = false,
}: MultiRegisterOptions = {}): Model<State> {
  const start: State = Object.freeze(Object.assign(Object.create(null) as State, initial))
  return {
    name: 'multi-register',
    functions: ['txn', 'read', 'write'],
    inputs: { txn: { needs: "a list of ['r', key, value] and ['w', key, value]", accepts: isTransaction } },
    anonymous: true,
    init: () => start,
    step: (state, operation) => run(state, operation, nullReadMatchesAll),
    readOnly: (operation) => microOperations(operation).every(([f]) => f === 'r'),
  }
}

function isTransaction(input: unknown, output: unknown): boolean {
  const isList = (value: unknown): boolean =>
    Array.isArray(value) && value.every((step) => Array.isArray(step) && (step[0] === 'r' || step[0] === 'w'))
  return (isList(input) || (input === null && isList(output))) && (output === null || isList(output))
}

function microOperations(operation: Operation): readonly MicroOperation[] {
  const { f, key, input, output, type } = operation
  if (f === 'read') return [['r', key, output]]
  if (f === 'write') return [['w', key, input]]
  return (type === 'ok' && output !== null ? output : input) as readonly MicroOperation[]
}

function run(state: State, operation: Operation, nullReadMatchesAll: boolean): State | Illegal {
  let next = state
  for (const [f, key, value] of microOperations(operation)) {
    const name = keyText(key)
    if (f === 'w') next = Object.assign(Object.create(null) as State, next, { [name]: value })
    else if (operation.type === 'ok') {
      const seen = value ?? null
      if (!(nullReadMatchesAll && seen === null) && !sameValue(next[name] ?? null, seen)) return ILLEGAL
    }
  }
  return next
}
