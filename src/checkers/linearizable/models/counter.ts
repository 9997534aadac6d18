/**
 * A counter: `add delta` (also `increment`, `decrement`, by 1 without input) and `read`. What an `add` answered is
 * ignored, unless it is a number under `addAndGet`: then it is the value after.
 */
import { isAmount, minus, plus, sameAmount, type Amount } from '../../amount.ts'
import { ILLEGAL, type Model } from '../model.ts'
import { monitorCounter } from '../monitors/counter.ts'
import { checkOptions, flag, number, type OptionSchema } from '../../options.ts'

export interface CounterOptions {
  readonly initial?: number
  readonly addAndGet?: boolean
}

export const COUNTER_OPTIONS: OptionSchema<CounterOptions> = {
  initial: number('the value before everything; 0 by default'),
  addAndGet: flag('the output of an add is the new value, and is checked'),
}

export function counter(options: CounterOptions = {}): Model<Amount> {
  checkOptions('models.counter', COUNTER_OPTIONS, options)
  const { initial = 0, addAndGet = false } = options
  const model: Model<Amount> = {
    name: 'counter',
    functions: ['add', 'increment', 'decrement', 'read'],
    partition: 'key',
    anonymous: true,
    init: () => initial,
    step: (state, { f, input, output, type }) => {
      if (f === 'read') {
        return type === 'info' || (isAmount(output) && sameAmount(output, state)) ? state : ILLEGAL
      }
      const delta = isAmount(input) ? input : 1
      const next = f === 'decrement' ? minus(state, delta) : plus(state, delta)
      return addAndGet && type === 'ok' && isAmount(output) && !sameAmount(output, next) ? ILLEGAL : next
    },
    readOnly: ({ f }) => f === 'read',
    unobservable: (operations) =>
      new Set(
        operations
          .filter(({ f, type, input }) => f !== 'read' && type === 'info' && input === 0)
          .map(({ id }) => id),
      ),
    monitor: (history, positions, budget) =>
      monitorCounter(history, positions, model, { initial, addAndGet }, budget),
  }
  return model
}
