/**
 * Real time as a graph, for monitors that search an order: calls are vertices, and a chain of *moments* says which call
 * returned before which began. A moment stands between a return and the next invocation after it; a call comes before
 * the first moment after its return and after the last moment before its invocation. So n calls need 3n edges at most,
 * where "every call before every later one" would need n² / 2.
 */
import { NEVER } from '../../../history/history.ts'
import type { KnownOrder } from '../../precedence/order-search.ts'

export interface Calls {
  readonly count: number
  readonly invoke: Int32Array
  /** `NEVER` for a call of unknown outcome. */
  readonly end: Int32Array
}

/** Calls are the first vertices. The order is that of the middles of the calls; unknown ones come last. */
export function realTimeOrder({ count, invoke, end }: Calls): KnownOrder {
  const events: { readonly at: number; readonly call: number; readonly returns: boolean }[] = []
  for (let call = 0; call < count; call++) {
    events.push({ at: invoke[call], call, returns: false })
    if (end[call] !== NEVER) events.push({ at: end[call], call, returns: true })
  }
  events.sort((a, b) => a.at - b.at)
  const from: number[] = []
  const to: number[] = []
  const momentAt: number[] = []
  let waiting: number[] = []
  for (const { at, call, returns } of events) {
    if (returns) {
      waiting.push(call)
      continue
    }
    if (waiting.length > 0) {
      const moment = count + momentAt.length
      for (const done of waiting) {
        from.push(done)
        to.push(moment)
      }
      waiting = []
      if (momentAt.length > 0) {
        from.push(moment - 1)
        to.push(moment)
      }
      momentAt.push(at - 0.5)
    }
    if (momentAt.length > 0) {
      from.push(count + momentAt.length - 1)
      to.push(call)
    }
  }
  const time = new Float64Array(count + momentAt.length)
  for (let call = 0; call < count; call++)
    time[call] = end[call] === NEVER ? NEVER : (invoke[call] + end[call]) / 2
  momentAt.forEach((at, i) => (time[count + i] = at))
  const order = Int32Array.from(time, (_, vertex) => vertex).sort((a, b) => time[a] - time[b] || a - b)
  return { order, from, to }
}
