/**
 * How long do operations take?
 *
 * Quantiles in microseconds over ok operations, whole and per function, and per fault epoch where the history counts
 * them. A bound (`maxP99Us`, …) turns the statistics into a check; without one there is nothing to violate, and the
 * statistics are the answer.
 */
import { OK, type History } from '../../history/history.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { quantiles, type Quantiles } from '../quantiles.ts'
import { checkOptions, amount, names, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'

export interface LatencyOptions {
  readonly functions?: readonly string[]
  readonly maxP50Us?: number
  readonly maxP95Us?: number
  readonly maxP99Us?: number
  readonly maxUs?: number
}

export const LATENCY_OPTIONS: OptionSchema<LatencyOptions> = {
  functions: names('functions to look at; all by default'),
  maxP50Us: amount('bound of the median, in microseconds'),
  maxP95Us: amount('bound of the 95th percentile'),
  maxP99Us: amount('bound of the 99th percentile'),
  maxUs: amount('bound of the slowest operation'),
}

export interface LatencyDetails {
  readonly latencyUs: Quantiles | null
  readonly byFunction: readonly (readonly [string, Quantiles | null])[]
  readonly byFaultEpoch: readonly (readonly [number, Quantiles | null])[]
}

export function latency(history: History, options: LatencyOptions = {}): CheckResult<LatencyDetails> {
  checkOptions('latency', LATENCY_OPTIONS, options)
  const functions = options.functions ?? history.functions
  const scope = scopeOf(history, functions)
  const weak = weakness(history, ['times'], functions)
  if (weak !== null) return conclude({ checker: 'latency', scope, checks: 0, anomalies: [], doubt: weak })
  const all: number[] = []
  const byFunction = new Map<string, number[]>()
  const byEpoch = new Map<number, number[]>()
  for (let i = 0; i < history.length; i++) {
    const f = history.functions[history.f[i]]
    if (history.type[i] !== OK || !functions.includes(f)) continue
    const us = history.completeTime[i] - history.invokeTime[i]
    all.push(us)
    push(byFunction, f, us)
    if (history.faultEpoch[i] >= 0) push(byEpoch, history.faultEpoch[i], us)
  }
  const whole = quantiles(all)
  const found = new AnomalyCollector()
  const bounds: [keyof Quantiles, number | undefined][] = [
    ['p50', options.maxP50Us],
    ['p95', options.maxP95Us],
    ['p99', options.maxP99Us],
    ['max', options.maxUs],
  ]
  for (const [name, bound] of bounds) {
    if (bound === undefined || whole === null || whole[name] <= bound) continue
    found.add(
      'too-slow',
      [],
      () => `${name} of latency is ${whole[name]} µs; at most ${bound} µs are allowed`,
    )
  }
  return conclude({
    checker: 'latency',
    scope,
    checks: all.length,
    anomalies: found.anomalies,
    details: { latencyUs: whole, byFunction: summaries(byFunction), byFaultEpoch: summaries(byEpoch) },
  })
}

function push<K>(map: Map<K, number[]>, key: K, value: number): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

function summaries<K extends string | number>(map: Map<K, number[]>): [K, Quantiles | null][] {
  return [...map].map(([key, sample]) => [key, quantiles(sample)])
}
