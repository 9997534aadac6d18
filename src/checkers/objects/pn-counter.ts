/**
 * Does a counter that may go up and down converge to the sum of what was added?
 *
 * For counters that converge (CRDTs and the like): every read must be a sum of adds that had begun, and every
 * replica's final read must have all that were acknowledged, plus any of those with unknown outcome. Maelstrom's
 * `pn-counter` and `g-counter` look at final reads only.
 */
import type { History } from '../../history/history.ts'
import { checkOptions, type OptionSchema } from '../options.ts'
import type { CheckResult } from '../result.ts'
import { COUNTER_OPTIONS, readsArePossible, type CounterDetails, type CounterOptions } from './counter.ts'

export type PnCounterOptions = Omit<CounterOptions, 'eventual'>

export const PN_COUNTER_OPTIONS: OptionSchema<PnCounterOptions> = {
  add: COUNTER_OPTIONS.add,
  read: COUNTER_OPTIONS.read,
}

export function pnCounter(history: History, options: PnCounterOptions = {}): CheckResult<CounterDetails> {
  checkOptions('pn-counter', PN_COUNTER_OPTIONS, options)
  return readsArePossible('pn-counter', history, { ...options, eventual: true })
}
