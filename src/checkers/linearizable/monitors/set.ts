/**
 * Linearizability of one element of a set that is added once and removed once at most (Abdulla et al., PLDI 2025), in
 * linear time. The element is certainly inside from the first return of an operation that found or put it there to
 * the last invocation of one that found it there or took it out; an operation that found it absent must have a moment
 * outside that interval.
 *
 * The checker splits a set by element before it comes here; a history with `read`s of the whole set is not split, and
 * is left to the search.
 */
import { INFO, NEVER, OK, type History } from '../../../history/history.ts'
import { show, valueKey } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { MonitorAnswer } from './answer.ts'

const METHOD = 'monitor of a set with unique additions, O(n)'

interface Element {
  add: number
  remove: number
  /** Positions of ok operations that saw the element inside, or saw it absent. */
  readonly present: number[]
  readonly absent: number[]
}

export function monitorSet(history: History, positions: Int32Array): MonitorAnswer | null {
  const element = collect(history, positions)
  if (element === null) return null
  const verdict = judge(history, element)
  if ('type' in verdict) return { method: METHOD, anomaly: verdict, witness: null }
  return { method: METHOD, anomaly: null, witness: order(history, element, verdict) }
}

function collect(history: History, positions: Int32Array): Element | null {
  const { f, type, input, output, functions } = history
  const element: Element = { add: -1, remove: -1, present: [], absent: [] }
  let key: unknown
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]
    const name = functions[f[position]]
    if (name === 'read') return null
    if (i === 0) key = valueKey(input[position])
    else if (valueKey(input[position]) !== key) return null
    if (type[position] !== OK && type[position] !== INFO) continue
    if (name === 'contains') {
      if (type[position] === OK) (output[position] === true ? element.present : element.absent).push(position)
    } else if (type[position] === OK && output[position] === false) {
      ;(name === 'add' ? element.present : element.absent).push(position)
    } else if (name === 'add') {
      if (element.add >= 0) return null
      element.add = position
    } else {
      // A removal that does not say whether it found something is no evidence of either.
      if (element.remove >= 0 || type[position] === INFO || output[position] !== true) return null
      element.remove = position
    }
  }
  return element
}

/** The gaps in which the element goes in and comes out; `NEVER` where it does not. */
interface Stay {
  readonly from: number
  readonly to: number
}

const NO_STAY: Stay = { from: NEVER, to: NEVER }

function judge(history: History, { add, remove, present, absent }: Element): Anomaly | Stay {
  const { invokeIndex, completeIndex, type, id } = history
  const inside = remove >= 0 ? [...present, remove] : present
  if (add < 0) {
    return inside.length === 0
      ? NO_STAY
      : found('thin-air-value', history, inside[0], [inside[0]], 'but no client added it')
  }
  // An addition of unknown outcome that no operation noticed need not have happened.
  if (type[add] === INFO && inside.length === 0) return NO_STAY
  let begin = type[add] === INFO ? NEVER : completeIndex[add]
  let beginner = add
  let end = remove >= 0 ? invokeIndex[remove] : -1
  let ender = remove >= 0 ? remove : add
  for (const position of inside) {
    if (completeIndex[position] < invokeIndex[add]) {
      return found(
        'read-before-write',
        history,
        position,
        [position, add],
        `before operation ${id[add]} added it`,
      )
    }
    if (completeIndex[position] < begin) [begin, beginner] = [completeIndex[position], position]
    if (invokeIndex[position] > end) [end, ender] = [invokeIndex[position], position]
  }
  if (remove >= 0) {
    for (const position of present) {
      if (invokeIndex[position] > completeIndex[remove]) {
        return found(
          'stale-read',
          history,
          position,
          [position, remove],
          `after operation ${id[remove]} removed it`,
        )
      }
    }
  } else end = NEVER
  for (const position of absent) {
    if (invokeIndex[position] > begin && completeIndex[position] < end) {
      const involved = [...new Set([add, beginner, position, ender])]
      return found('missing-value', history, position, involved, 'while it was certainly there')
    }
  }
  // Right before `begin` and right after `end`; where these cross, in and out at one moment at which all are open.
  if (begin < end) return { from: begin, to: end === NEVER ? NEVER : end + 1 }
  const at = Math.max(invokeIndex[add], end) + 1
  return { from: at, to: at }
}

/** Operations that found it absent stand before or after the stay, all others inside it. */
function order(
  history: History,
  { add, remove, present, absent }: Element,
  { from, to }: Stay,
): Float64Array {
  const { invokeIndex, completeIndex, id } = history
  const moments: { id: number; gap: number; phase: number }[] = []
  if (from !== NEVER) moments.push({ id: id[add], gap: from, phase: 1 })
  if (remove >= 0) moments.push({ id: id[remove], gap: to, phase: 3 })
  for (const at of present) moments.push({ id: id[at], gap: Math.max(from, invokeIndex[at] + 1), phase: 2 })
  for (const at of absent) {
    const before = invokeIndex[at] + 1 <= from
    moments.push({ id: id[at], gap: before ? invokeIndex[at] + 1 : completeIndex[at], phase: before ? 0 : 4 })
  }
  moments.sort((a, b) => a.gap - b.gap || a.phase - b.phase || a.id - b.id)
  return Float64Array.from(moments, (moment) => moment.id)
}

function found(
  type: string,
  history: History,
  position: number,
  involved: readonly number[],
  why: string,
): Anomaly {
  const saw = type === 'missing-value' ? 'did not find' : 'found'
  return {
    type,
    message: `operation ${history.id[position]} ${saw} ${show(history.input[position])} ${why}`,
    operations: involved.map((at) => history.id[at]),
  }
}
