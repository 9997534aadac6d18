/** A register: `read`, `write`. One value; a read sees the last one written. */
import type { Operation } from '../../../history/operation.ts'
import { sameValue } from '../../../history/value.ts'
import { ILLEGAL, type Model } from '../model.ts'
import { monitorRegister } from '../monitors/register.ts'
import { unobservableWrites } from './unobservable-writes.ts'

export interface RegisterOptions {
  /** The value before any write; null by default. */
  readonly initial?: unknown
  /** True: a read that returned null saw an unknown value, as Knossos has it. By default null is a value. */
  readonly nullReadMatchesAll?: boolean
}

export function register({ initial = null, nullReadMatchesAll = false }: RegisterOptions = {}): Model {
  return {
    name: 'register',
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
    monitor: (history, positions) => monitorRegister(history, positions, initial, nullReadMatchesAll),
  }
}

export function readMatches(state: unknown, operation: Operation, nullReadMatchesAll: boolean): boolean {
  if (operation.type === 'info') return true
  const output = operation.output ?? null
  return (nullReadMatchesAll && output === null) || sameValue(state ?? null, output)
}
