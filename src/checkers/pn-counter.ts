/**
 * Does a counter that may go up and down converge to the sum of what was added?
 *
 * For counters that converge (CRDTs and the like): every read must be a sum of adds that had begun, and every
 * replica's final read must have all that were acknowledged, plus any of those with unknown outcome. Maelstrom's
 * `pn-counter` and `g-counter` look at final reads only.
 */
import type { History } from '../history/history.ts'
import { counter, type CounterOptions } from './counter.ts'
import type { CheckResult } from './result.ts'

export function pnCounter(
  history: History,
  options: Omit<CounterOptions, 'name' | 'eventual'> = {},
): CheckResult {
  return counter(history, { ...options, eventual: true, name: 'pn-counter' })
}
