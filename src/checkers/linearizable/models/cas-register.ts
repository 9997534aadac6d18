/**
 * A register with compare-and-set: `read`, `write`, `cas [from, to]`. An ok `cas` that answered `false` saw that the
 * value was not `from`, which is an observation like a read; any other ok `cas` swapped. (An operation of type `fail`
 * is not here at all: it did not happen, and says nothing.)
 */
import type { Operation } from '../../../history/operation.ts'
import { sameValue } from '../../../history/value.ts'
import { ILLEGAL, PAIR, type Model } from '../model.ts'
import { monitorCasRegister } from '../monitors/cas-register.ts'
import { monitorRegister } from '../monitors/register.ts'
import { NULL_READS_ASSUMPTION, readMatches, REGISTER_OPTIONS, type RegisterOptions } from './register.ts'
import { unobservableWrites } from './unobservable-writes.ts'
import { checkOptions } from '../../options.ts'

export function casRegister(options: RegisterOptions = {}): Model {
  checkOptions('models.casRegister', REGISTER_OPTIONS, options)
  const { initial = null, nullReadMatchesAll = false } = options
  const known = { initial, nullReadMatchesAll }
  const model: Model = {
    name: 'cas-register',
    assumptions: nullReadMatchesAll ? [NULL_READS_ASSUMPTION] : [],
    functions: ['read', 'write', 'cas'],
    inputs: { cas: PAIR },
    partition: 'key',
    anonymous: true,
    init: () => initial,
    step(state, operation) {
      switch (operation.f) {
        case 'write':
          return operation.input
        case 'cas':
          return compareAndSet(state, operation)
        default:
          return readMatches(state, operation, nullReadMatchesAll) ? state : ILLEGAL
      }
    },
    readOnly: ({ f, output, type }) => f === 'read' || (f === 'cas' && type === 'ok' && output === false),
    unobservable: unobservableWrites,
    monitor: (history, positions, budget) =>
      monitorRegister(history, positions, initial, nullReadMatchesAll) ??
      monitorCasRegister(history, positions, model, known, budget),
  }
  return model
}

function compareAndSet(state: unknown, operation: Operation): unknown {
  const [from, to] = operation.input as readonly [unknown, unknown]
  const matches = sameValue(state ?? null, from ?? null)
  if (operation.type === 'info') return matches ? to : state
  if (operation.output === false) return matches ? ILLEGAL : state
  return matches ? to : ILLEGAL
}
