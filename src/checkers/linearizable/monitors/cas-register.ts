/**
 * Linearizability of a register with compare-and-set and repeated values, by search for an order (`register-order.ts`).
 * A compare-and-set that swapped reads one value and writes another; one that answered false saw another value.
 *
 * Not for a compare-and-set of unknown outcome that could explain something: whether it swaps depends on where it
 * stands. That is left to the general search.
 */
import { INFO, OK, type History } from '../../../history/history.ts'
import type { Budget } from '../../budget.ts'
import type { Model } from '../model.ts'
import { unobservableWrites } from '../models/unobservable-writes.ts'
import type { MonitorAnswer } from './answer.ts'
import { RegisterCalls } from './register-calls.ts'

const METHOD = 'order of reads and writes, by search for repeated values'
const REGISTER = 0

export function monitorCasRegister(
  history: History,
  positions: Int32Array,
  model: Model,
  { initial, nullReadMatchesAll }: { readonly initial: unknown; readonly nullReadMatchesAll: boolean },
  budget: Budget,
): MonitorAnswer | null {
  const { type, f, functions, input, output, id } = history
  const kept = Array.from(positions).filter((at) => type[at] === OK || type[at] === INFO)
  const isUnknown = kept.some((at) => type[at] === INFO)
  const dropped = isUnknown ? unobservableWrites(kept.map((at) => history.operation(at))) : new Set<number>()
  const calls = new RegisterCalls(history, () => initial)
  for (const at of kept) {
    const name = functions[f[at]]
    if (type[at] === INFO && (name === 'read' || dropped.has(id[at]))) continue
    if (type[at] === INFO && name === 'cas') return null
    calls.call(at)
    if (name === 'write') calls.write(REGISTER, input[at])
    else if (name === 'read') {
      if (!nullReadMatchesAll || (output[at] ?? null) !== null) calls.read(REGISTER, output[at])
    } else {
      const [from, to] = input[at] as readonly unknown[]
      calls.read(REGISTER, from, output[at] === false)
      if (output[at] !== false) calls.write(REGISTER, to)
    }
  }
  return calls.decide(METHOD, model, budget)
}
