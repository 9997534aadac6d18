/**
 * How stale are the reads of a register that is not linearizable? Two measures, each the least bound under which a
 * linearization exists (Golab, Li and Shah, PODC 2011):
 *
 * - *k-atomicity*: a read returns one of the last k values written. 1 is linearizability.
 * - *Δ-atomicity*: a read may answer as if it had begun Δ earlier. Needs times.
 *
 * Both only get easier with a larger bound, so the least one is found by trying; each try is a linearizability check,
 * linear where values are unique and Δ is asked for.
 */
import { History, INFO, OK, type HistoryColumns, type HistoryTables } from '../../history/history.ts'
import { sameValue } from '../../history/value.ts'
import { linearizable, type LinearizabilityDetails } from '../linearizable/index.ts'
import { ILLEGAL, type Model } from '../linearizable/model.ts'
import { register } from '../linearizable/models/register.ts'
import { unobservableWrites } from '../linearizable/models/unobservable-writes.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import {
  amount,
  anything,
  checkOptions,
  count,
  LIMIT_OPTIONS,
  required,
  type OptionSchema,
} from '../options.ts'
import type { CheckResult, Verdict } from '../result.ts'
import { tooWeak } from './findings.ts'

export interface KAtomicityOptions extends BudgetOptions {
  /** The bound to check. */
  readonly k: number
  readonly initial?: unknown
  /** Look for the least k up to this; default `k`. */
  readonly upTo?: number
}

export const K_ATOMICITY_OPTIONS: OptionSchema<KAtomicityOptions> = {
  k: required(count('the bound to check; 2 on the command line')),
  initial: anything('the value before any write; null by default'),
  upTo: count('look for the least k up to this; `k` by default'),
  ...LIMIT_OPTIONS,
}

export interface KAtomicityDetails extends LinearizabilityDetails {
  readonly k: number
  /** The least k under which the history is linearizable; null when none up to `upTo` is. */
  readonly least: number | null
}

/** Valid when each read returns one of the last k values; `details.least` is the least such k, if there is one. */
export function kAtomicity(history: History, options: KAtomicityOptions): CheckResult<KAtomicityDetails> {
  checkOptions('k-atomicity', K_ATOMICITY_OPTIONS, options)
  const { k, initial = null, upTo = k } = options
  const budget = Budget.of(options)
  let decided: CheckResult<LinearizabilityDetails> | null = null
  let least: number | null = null
  for (let bound = 1; bound <= Math.max(k, upTo) && least === null; bound++) {
    const result = linearizable(history, recentValues(bound, initial), { budget })
    if (result.verdict === 'valid') least = bound
    if (bound <= k) decided = result
    if (result.verdict === 'unknown') break
  }
  return { ...decided!, checker: `${k}-atomicity`, details: { ...decided!.details, k, least } }
}

/** A register whose reads may return any of the last k values. */
export function recentValues(k: number, initial: unknown = null): Model<readonly unknown[]> {
  return {
    name: `register, last ${k} values`,
    functions: ['read', 'write'],
    partition: 'key',
    anonymous: true,
    init: () => [initial],
    step: (state, { f, input, output, type }) => {
      if (f === 'write') return [input, ...state.slice(0, k - 1)]
      return type === 'info' || state.some((value) => sameValue(value ?? null, output ?? null))
        ? state
        : ILLEGAL
    },
    readOnly: ({ f }) => f === 'read',
    unobservable: unobservableWrites,
  }
}

export interface BoundedStalenessOptions extends BudgetOptions {
  /** The bound to check, in microseconds. */
  readonly deltaUs: number
  readonly initial?: unknown
}

export const BOUNDED_STALENESS_OPTIONS: OptionSchema<BoundedStalenessOptions> = {
  deltaUs: required(amount('the bound to check, in microseconds; 0 on the command line')),
  initial: anything('the value before any write; null by default'),
  ...LIMIT_OPTIONS,
}

export interface BoundedStalenessDetails extends LinearizabilityDetails {
  readonly deltaUs: number
  /** The least bound under which the history is linearizable; null when there is none, or when it was not found. */
  readonly leastUs: number | null
}

/** Valid when reads are at most Δ behind; `details.leastUs` is the least such Δ, null when no Δ would do. */
export function boundedStaleness(
  history: History,
  options: BoundedStalenessOptions,
): CheckResult<BoundedStalenessDetails> {
  const name = 'bounded-staleness'
  checkOptions(name, BOUNDED_STALENESS_OPTIONS, options)
  const { deltaUs, initial = null } = options
  const budget = Budget.of(options)
  const span = timeSpan(history)
  if (span === null) return tooWeak(name, history, 'not all operations have times')
  const model = register({ initial })
  const check = (delta: number) => linearizable(readingEarlier(history, delta), model, { budget })
  const result = check(deltaUs)
  const leastUs = leastBound(Math.ceil(span), (bound) => check(bound).verdict)
  return { ...result, checker: name, details: { ...result.details, deltaUs, leastUs } }
}

/** The least bound that is valid, by halving; null when the largest is not, or when a check gave up. */
function leastBound(largest: number, check: (bound: number) => Verdict): number | null {
  if (check(largest) !== 'valid') return null
  let low = 0
  let high = largest
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const verdict = check(middle)
    if (verdict === 'unknown') return null
    if (verdict === 'valid') high = middle
    else low = middle + 1
  }
  return low
}

function timeSpan(history: History): number | null {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (let i = 0; i < history.length; i++) {
    if (Number.isNaN(history.invokeTime[i])) return null
    if (history.type[i] === OK && Number.isNaN(history.completeTime[i])) return null
    first = Math.min(first, history.invokeTime[i])
    last = Math.max(last, history.type[i] === OK ? history.completeTime[i] : history.invokeTime[i])
  }
  return history.length === 0 ? 0 : last - first + 1
}

/** The same history by time, with every read begun Δ earlier. At equal times invocations come first. */
function readingEarlier(history: History, deltaUs: number): History {
  const reads = history.functions.map((name) => name === 'read')
  const events: { time: number; half: 0 | 1; index: number; position: number }[] = []
  for (let i = 0; i < history.length; i++) {
    const shift = reads[history.f[i]] ? deltaUs : 0
    events.push({ time: history.invokeTime[i] - shift, half: 0, index: history.invokeIndex[i], position: i })
    if (history.completeIndex[i] < 0) continue
    const time = history.type[i] === INFO ? Number.POSITIVE_INFINITY : history.completeTime[i]
    events.push({ time, half: 1, index: history.completeIndex[i], position: i })
  }
  // With Δ = 0 the recorded order of events holds, also where times are equal.
  events.sort((a, b) =>
    a.time < b.time ? -1 : a.time > b.time ? 1 : (deltaUs > 0 ? a.half - b.half : 0) || a.index - b.index,
  )
  const invokeIndex = new Int32Array(history.length).fill(-1)
  const completeIndex = new Int32Array(history.length).fill(-1)
  events.forEach(
    ({ half, position }, index) => ((half === 0 ? invokeIndex : completeIndex)[position] = index),
  )
  const columns: HistoryColumns = history
  const tables: HistoryTables = history
  return new History({ ...columns, invokeIndex, completeIndex }, { ...tables, eventCount: events.length })
}
