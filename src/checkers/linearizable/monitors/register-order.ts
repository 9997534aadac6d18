/**
 * Linearizability of registers that are read and written, several at once or one after a look at it: what reads saw
 * says who must come before whom, and a search for such an order (`precedence/order-search.ts`) decides. Values may be
 * written many times. It serves registers, compare-and-set, transactions over registers, maps and sets.
 *
 * The rule, for a call r that saw an accepted value of a register, and any call x that writes a value which r does not
 * accept: either r comes before x, or some call w that writes an accepted value stands between them (x before w before
 * r). An order is a linearization exactly when it respects real time and the rule holds for every r and the last
 * writer x before it. For values written once this is the known condition of Gibbons and Korach (1997) and of Biswas
 * and Enea (OOPSLA 2019); with repeated values w is a choice, and the search makes it.
 *
 * A call of unknown outcome has no return: that it never happened is the same as that it comes after everything.
 */
import { NEVER } from '../../../history/history.ts'
import type { Budget } from '../../budget.ts'
import { OrderSearch, type Literal, type OrderOutcome } from '../../precedence/order-search.ts'
import { realTimeOrder, type Calls } from './real-time.ts'

/** The register had its initial value. */
export const INITIAL = -1

export interface Writer {
  readonly call: number
  readonly value: number
}

/** What a replay reports: call r saw in a register what `last`, the last writer before it, did not write. */
export interface Mismatch {
  readonly call: number
  readonly register: number
  readonly last: number
  readonly accepts: (value: number) => boolean
}

export interface RegisterHistory extends Calls {
  readonly registers: number
  /** Per register its writers. */
  readonly writers: readonly (readonly Writer[])[]
  /** Replays calls in an order and reports what does not fit: all of it, or a part of it that is never empty by mistake. */
  replay(order: Int32Array, report: (mismatch: Mismatch) => void): void
}

export interface Refutation {
  /** Calls that no order explains, as far as they are known. */
  readonly calls: readonly number[]
}

/** An order of calls, or a refutation; null when the budget did not suffice. */
export function orderRegisters(
  history: RegisterHistory,
  budget: Budget,
): { readonly order: readonly number[] } | Refutation | null {
  const { count, registers } = history
  const search = new OrderSearch(realTimeOrder(history), budget)
  const keyed = (call: number, register: number, last: number): number =>
    (call * registers + register) * (count + 1) + last + 1
  const outcome = search.solve((order) =>
    history.replay(order, (mismatch) =>
      search.demand(keyed(mismatch.call, mismatch.register, mismatch.last), () =>
        repairs(history, search, mismatch),
      ),
    ),
  )
  return concluded(outcome, history)
}

function concluded(
  outcome: OrderOutcome,
  { count, registers, end }: RegisterHistory,
): { readonly order: readonly number[] } | Refutation | null {
  if (outcome.outcome === 'unknown') return null
  if (outcome.outcome === 'impossible') {
    const calls = new Set<number>()
    for (const key of outcome.core) {
      const last = (key % (count + 1)) - 1
      calls.add(Math.floor(key / (count + 1) / registers))
      if (last !== INITIAL) calls.add(last)
    }
    return { calls: [...calls].sort((a, b) => a - b) }
  }
  const order = Array.from(outcome.order).filter((vertex) => vertex < count)
  // Calls of unknown outcome at the end did not happen.
  while (order.length > 0 && end[order[order.length - 1]] === NEVER) order.pop()
  return { order }
}

/** What could make a mismatch right; alternatives that real time rules out are left out. */
function repairs(
  { invoke, end, writers }: RegisterHistory,
  search: OrderSearch,
  { call, register, last, accepts }: Mismatch,
): Literal[] {
  const literals: Literal[] = []
  if (last !== INITIAL && end[last] > invoke[call]) literals.push(search.before(call, last))
  for (const { call: writer, value } of writers[register]) {
    if (writer === call || writer === last || !accepts(value) || invoke[writer] > end[call]) continue
    if (last !== INITIAL && end[writer] < invoke[last]) continue
    const afterLast = last === INITIAL || end[last] < invoke[writer]
    const beforeCall = end[writer] < invoke[call]
    // A writer that real time puts between the two would have been the last one.
    if (afterLast && beforeCall) continue
    if (afterLast) literals.push(search.before(writer, call))
    else if (beforeCall) literals.push(search.before(last, writer))
    else literals.push(search.both(search.before(last, writer), search.before(writer, call)))
  }
  return literals
}
