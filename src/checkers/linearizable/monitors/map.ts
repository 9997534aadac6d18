/**
 * Linearizability of one key of a map, by search for an order (`register-order.ts`), where what `append` made can be
 * read off what was read: if `ab` was read, and `b` was appended once, that append found `a` and left `ab`. So each
 * append that was seen reads one known value and writes another; one that was not seen writes a value of its own.
 *
 * Not for histories in which the same thing is appended twice or an end can be taken for another's, nor for a
 * compare-and-set of unknown outcome, nor where a delete answers whether a key was there that may have been written as
 * absent. Those are left to the general search.
 */
import { INFO, OK, type History } from '../../../history/history.ts'
import { sameValue, valueKey, type ValueKey } from '../../../history/value.ts'
import type { Budget } from '../../budget.ts'
import type { Model } from '../model.ts'
import type { MonitorAnswer } from './answer.ts'
import { contradiction, RegisterCalls } from './register-calls.ts'

const METHOD = 'order of reads and writes, with the order of appends as they were read'
const REGISTER = 0

/** What an append that was seen found and left. */
interface Step {
  readonly found: unknown
  readonly left: unknown
}

interface Seen {
  readonly steps: ReadonlyMap<number, Step>
  /** An append without which two different values cannot be explained, or -1: no append happens twice. */
  readonly twice: number
}

export function monitorMap(
  history: History,
  positions: Int32Array,
  model: Model,
  absent: unknown,
  budget: Budget,
): MonitorAnswer | null {
  const { type, f, functions, input, output } = history
  const kept = Array.from(positions).filter((at) => type[at] === OK || type[at] === INFO)
  const seen = appendsSeen(history, kept, absent)
  if (seen === null) return null
  const { steps, twice } = seen
  if (twice >= 0) return { method: METHOD, anomaly: contradiction(history, model, [twice]), witness: null }
  const calls = new RegisterCalls(history, () => absent)
  for (const at of kept) {
    const name = functions[f[at]]
    const isUnknown = type[at] === INFO
    if (isUnknown && (name === 'get' || name === 'read')) continue
    const step = steps.get(at)
    calls.call(at)
    switch (name) {
      case 'get':
      case 'read':
        calls.read(REGISTER, output[at])
        break
      case 'put':
      case 'write':
        calls.write(REGISTER, input[at])
        break
      case 'append':
        if (step !== undefined) calls.read(REGISTER, step.found)
        calls.write(REGISTER, step === undefined ? { unseen: at } : step.left)
        break
      case 'cas': {
        const [from, to] = input[at] as readonly unknown[]
        calls.read(REGISTER, from, output[at] === false)
        if (output[at] !== false) calls.write(REGISTER, to)
        break
      }
      default:
        if (!isUnknown && typeof output[at] === 'boolean') calls.read(REGISTER, absent, output[at])
        calls.write(REGISTER, absent)
    }
  }
  return calls.decide(METHOD, model, budget)
}

/** What the appends of a history did; null where that cannot be said for certain. */
function appendsSeen(history: History, kept: readonly number[], absent: unknown): Seen | null {
  const form = formOf(history, kept, absent)
  if (form === null) return null
  const steps = new Map<number, Step>()
  const explained = new Set<ValueKey>([valueKey(absent)])
  for (const value of form.observed) {
    for (let left = value; !explained.has(valueKey(left));) {
      explained.add(valueKey(left))
      const makers = form.makers(left)
      if (makers.length > (form.written.has(valueKey(left)) ? 0 : 1)) return null
      // Written as a whole; or made by nothing at all, which the search for an order finds out.
      if (makers.length === 0) break
      const { at, found } = makers[0]
      if (steps.has(at)) return { steps, twice: at }
      steps.set(at, { found, left })
      left = found
    }
  }
  // Whether a value that was *not* seen was ever there depends on the order.
  const isOpen = (value: unknown): boolean => !explained.has(valueKey(value)) && form.makers(value).length > 0
  return form.notSeen.some(isOpen) ? null : { steps, twice: -1 }
}

interface Form {
  /** Values that something saw, in whatever way. */
  readonly observed: readonly unknown[]
  /** Values that something saw was not there. */
  readonly notSeen: readonly unknown[]
  /** Values that were written as a whole. */
  readonly written: ReadonlySet<ValueKey>
  /** Appends that can have made a value, each with what it found. */
  makers(left: unknown): { readonly at: number; readonly found: unknown }[]
}

/** Histories of strings only, or of lists only; null for any other, and where something is appended twice. */
function formOf(history: History, kept: readonly number[], absent: unknown): Form | null {
  const { f, functions, input, output, type } = history
  const appends = new Map<ValueKey, number>()
  const observed: unknown[] = []
  const notSeen: unknown[] = []
  const whole: unknown[] = []
  let isDeleteAnswered = false
  for (const at of kept) {
    switch (functions[f[at]]) {
      case 'append':
        if (appends.has(valueKey(input[at])) || input[at] === '') return null
        appends.set(valueKey(input[at]), at)
        break
      case 'put':
      case 'write':
        whole.push(input[at])
        break
      case 'cas':
        if (type[at] === INFO) return null
        ;(output[at] === false ? notSeen : observed).push((input[at] as readonly unknown[])[0] ?? null)
        whole.push((input[at] as readonly unknown[])[1])
        break
      case 'delete':
        isDeleteAnswered ||= type[at] === OK && typeof output[at] === 'boolean'
        break
      default:
        if (type[at] === OK) observed.push(output[at] ?? null)
    }
  }
  const written = new Set(whole.map(valueKey))
  if (isDeleteAnswered && whole.some((value) => sameValue(value ?? null, absent))) return null
  const inputs = [...appends.values()].map((at) => input[at])
  // Without appends any value will do, but null may be read as another value where `absent` is one.
  if (inputs.length === 0)
    return absent !== null && whole.some((value) => (value ?? null) === null)
      ? null
      : { observed, notSeen, written, makers: () => [] }
  const isText = (value: unknown): boolean => typeof value === 'string'
  if (inputs.every(isText) && whole.every(isText) && (absent === null || absent === '')) {
    const start = absent === '' || !written.has('') ? [absent] : [absent, '']
    return { observed, notSeen, written, makers: textMakers(appends, inputs as string[], start) }
  }
  if (!inputs.some(isText) && whole.every(Array.isArray) && absent === null)
    return { observed, notSeen, written, makers: listMakers(appends, written) }
  return null
}

/** `start`: what an append that made the whole text may have found. */
function textMakers(
  appends: ReadonlyMap<ValueKey, number>,
  inputs: readonly string[],
  start: readonly unknown[],
): Form['makers'] {
  const lengths = [...new Set(inputs.map(({ length }) => length))]
  return (left) => {
    if (typeof left !== 'string') return []
    return lengths.flatMap((length) => {
      const at = length > left.length ? undefined : appends.get(valueKey(left.slice(left.length - length)))
      if (at === undefined) return []
      return length === left.length
        ? start.map((found) => ({ at, found }))
        : [{ at, found: left.slice(0, left.length - length) }]
    })
  }
}

function listMakers(appends: ReadonlyMap<ValueKey, number>, written: ReadonlySet<ValueKey>): Form['makers'] {
  return (left) => {
    const at = Array.isArray(left) ? appends.get(valueKey(left.at(-1))) : undefined
    if (at === undefined || !Array.isArray(left) || left.length === 0) return []
    if (left.length > 1) return [{ at, found: left.slice(0, -1) }]
    return written.has(valueKey([])) ? [null, []].map((found) => ({ at, found })) : [{ at, found: null }]
  }
}
