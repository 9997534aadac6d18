/**
 * How many operations complete per second, over time, by outcome?
 *
 * Counts completions per bucket of time and outcome. With `minPerSecond` the mean rate of ok operations over the
 * whole history must not be lower.
 */
import { OUTCOMES } from '../../history/operation.ts'
import { OK, type History } from '../../history/history.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { checkOptions, amount, limit, names, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'

export interface RateOptions {
  readonly functions?: readonly string[]
  /** Length of a bucket in microseconds; a second by default. */
  readonly bucketUs?: number
  readonly minPerSecond?: number
}

export const RATE_OPTIONS: OptionSchema<RateOptions> = {
  functions: names('functions to look at; all by default'),
  bucketUs: limit('length of a bucket of time in microseconds; one second by default'),
  minPerSecond: amount('the least mean rate of ok operations'),
}

/** More buckets than these are not kept: the bucket grows instead. */
const MAX_BUCKETS = 1000

export interface RateDetails {
  readonly okPerSecond: number
  readonly bucketUs: number
  /** What the three numbers of a bucket count. */
  readonly columns: readonly string[]
  readonly buckets: readonly (readonly number[])[]
}

export function rate(history: History, options: RateOptions = {}): CheckResult<RateDetails> {
  checkOptions('rate', RATE_OPTIONS, options)
  const { functions = history.functions, minPerSecond } = options
  const scope = scopeOf(history, functions)
  const weak = weakness(history, ['times'], functions)
  if (weak !== null) return conclude({ checker: 'rate', scope, checks: 0, anomalies: [], doubt: weak })
  const done: number[] = []
  let begin = Number.POSITIVE_INFINITY
  let end = Number.NEGATIVE_INFINITY
  let ok = 0
  for (let i = 0; i < history.length; i++) {
    if (!functions.includes(history.functions[history.f[i]])) continue
    if (!Number.isNaN(history.invokeTime[i])) begin = Math.min(begin, history.invokeTime[i])
    if (Number.isNaN(history.completeTime[i])) continue
    begin = Math.min(begin, history.completeTime[i])
    end = Math.max(end, history.completeTime[i])
    done.push(i)
    if (history.type[i] === OK) ok++
  }
  const spanUs = Math.max(0, end - begin)
  const bucketUs = Math.max(options.bucketUs ?? 1_000_000, Math.ceil(spanUs / MAX_BUCKETS))
  const buckets = Array.from({ length: done.length === 0 ? 0 : Math.floor(spanUs / bucketUs) + 1 }, () => [
    0, 0, 0,
  ])
  for (const i of done) buckets[Math.floor((history.completeTime[i] - begin) / bucketUs)][history.type[i]]++
  const perSecond = spanUs === 0 ? 0 : (ok * 1_000_000) / spanUs
  const found = new AnomalyCollector()
  if (minPerSecond !== undefined && perSecond < minPerSecond) {
    const message = () =>
      `${perSecond.toFixed(1)} operations a second succeeded; at least ${minPerSecond} are asked for`
    found.add('too-few', [], message)
  }
  return conclude({
    checker: 'rate',
    scope,
    checks: done.length,
    anomalies: found.anomalies,
    details: { okPerSecond: perSecond, bucketUs, columns: OUTCOMES, buckets },
  })
}
