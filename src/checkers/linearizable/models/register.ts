/** A register: `read`, `write`. One value; a read sees the last one written. */
import type { Operation } from '../../../history/operation.ts'
import { sameValue } from '../../../history/value.ts'
import { ILLEGAL, type Model } from '../model.ts'
import { monitorCasRegister } from '../monitors/cas-register.ts'
import { monitorRegister } from '../monitors/register.ts'
import { unobservableWrites } from './unobservable-writes.ts'
import { anything, checkOptions, flag, type OptionSchema } from '../../options.ts'

export interface RegisterOptions {
  /** The value before any write; null by default. */
  readonly initial?: unknown
  /** True: a read that returned null saw an unknown value, as Knossos has it. By default null is a value. */
  readonly nullReadMatchesAll?: boolean
}

export const REGISTER_OPTIONS: OptionSchema<RegisterOptions> = {
  initial: anything('the value before any write; null by default'),
  nullReadMatchesAll: flag(
    'a read of null saw an unknown value, as Knossos has it; by default null is a value',
  ),
}

export function register(options: RegisterOptions = {}): Model {
  checkOptions('models.register', REGISTER_OPTIONS, options)
  const { initial = null, nullReadMatchesAll = false } = options
  const known = { initial, nullReadMatchesAll }
  const model: Model = {
    name: 'register',
    assumptions: nullReadMatchesAll ? [NULL_READS_ASSUMPTION] : [],
    functions: ['read', 'write'],
    partition: 'key',
    anonymous: true,
    init: () => initial,
    step: (state, operation) => {
      if (operation.f === 'write') return operation.input
      return readMatches(state, operation, nullReadMatchesAll) ? state : ILLEGAL
    },
    readOnly: ({ f }) => f === 'read',
    unobservable: unobservableWrites,
    monitor: (history, positions, budget) =>
      monitorRegister(history, positions, initial, nullReadMatchesAll) ??
      monitorCasRegister(history, positions, model, known, budget),
  }
  return model
}

/** What `nullReadMatchesAll` assumes. */
export const NULL_READS_ASSUMPTION = 'a read of null may have seen any value'

export function readMatches(state: unknown, operation: Operation, nullReadMatchesAll: boolean): boolean {
  if (operation.type === 'info') return true
  const output = operation.output ?? null
  return (nullReadMatchesAll && output === null) || sameValue(state ?? null, output)
}
