/**
 * Several registers changed together: a `txn` is a list of `['r', key, value]` and `['w', key, value]`, done at one
 * moment, in order. `read` and `write` of a single key are transactions of one step. No partition: that is the point.
 */
import type { Operation } from '../../../history/operation.ts'
import { keyText, sameValue } from '../../../history/value.ts'
import { monitorMultiRegister, type MicroOperation } from '../monitors/multi-register.ts'
import { NULL_READS_ASSUMPTION } from './register.ts'
import { ILLEGAL, type Illegal, type Model } from '../model.ts'
import { checkOptions, flag, record, type OptionSchema } from '../../options.ts'

export interface MultiRegisterOptions {
  readonly initial?: Readonly<Record<string, unknown>>
  /** True: a read of null saw an unknown value, as Knossos has it. */
  readonly nullReadMatchesAll?: boolean
}

export const MULTI_REGISTER_OPTIONS: OptionSchema<MultiRegisterOptions> = {
  initial: record('values before everything, by key; all null by default'),
  nullReadMatchesAll: flag(
    'a read of null saw an unknown value, as Knossos has it; by default null is a value',
  ),
}

type State = Readonly<Record<string, unknown>>

export function multiRegister(options: MultiRegisterOptions = {}): Model<State> {
  checkOptions('models.multiRegister', MULTI_REGISTER_OPTIONS, options)
  const { initial = {}, nullReadMatchesAll = false } = options
  const start: State = Object.freeze(Object.assign(Object.create(null) as State, initial))
  const form = { initial, nullReadMatchesAll, microOperations }
  const model: Model<State> = {
    name: 'multi-register',
    assumptions: nullReadMatchesAll ? [NULL_READS_ASSUMPTION] : [],
    functions: ['txn', 'read', 'write'],
    inputs: { txn: { needs: "a list of ['r', key, value] and ['w', key, value]", accepts: isTransaction } },
    anonymous: true,
    init: () => start,
    step: (state, operation) => run(state, operation, nullReadMatchesAll),
    readOnly: (operation) => microOperations(operation).every(([f]) => f === 'r'),
    monitor: (history, positions, budget) => monitorMultiRegister(history, positions, model, form, budget),
  }
  return model
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
