/**
 * Did anything succeed at all?
 *
 * Counts outcomes, whole and per function. A function none of whose operations ever succeeded is an anomaly: a test
 * that never got through proves nothing. `except` names functions that are not expected to succeed, such as a
 * workload's own crashes.
 */
import { type Outcome, OUTCOMES } from '../../history/operation.ts'
import type { History } from '../../history/history.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { checkOptions, names, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf } from '../scope.ts'

export interface StatsOptions {
  readonly except?: readonly string[]
}

export const STATS_OPTIONS: OptionSchema<StatsOptions> = {
  except: names('functions that are not expected to succeed'),
}

type Counts = Record<Outcome, number> & { count: number }

export interface StatsDetails {
  readonly count: number
  readonly ok: number
  readonly fail: number
  readonly info: number
  readonly byFunction: readonly (Counts & { readonly f: string })[]
}

export function stats(history: History, options: StatsOptions = {}): CheckResult<StatsDetails> {
  checkOptions('stats', STATS_OPTIONS, options)
  const { except = [] } = options
  const whole: Counts = { count: 0, ok: 0, fail: 0, info: 0 }
  const byFunction = history.functions.map((f) => ({ f, count: 0, ok: 0, fail: 0, info: 0 }))
  for (let i = 0; i < history.length; i++) {
    const outcome = OUTCOMES[history.type[i]]
    for (const counts of [whole, byFunction[history.f[i]]]) {
      counts.count++
      counts[outcome]++
    }
  }
  const found = new AnomalyCollector()
  const present = byFunction.filter(({ count }) => count > 0)
  for (const { f, count, ok } of present) {
    if (ok > 0 || except.includes(f)) continue
    found.add('never-succeeded', [], () => `none of ${count} ${f} operations succeeded`, { f })
  }
  return conclude({
    checker: 'stats',
    scope: scopeOf(history, history.functions),
    checks: present.length,
    anomalies: found.anomalies,
    details: { ...whole, byFunction: present },
  })
}
