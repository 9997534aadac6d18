/**
 * How much of what was asked was answered?
 *
 * The share of operations that ended ok. `total` asks for all of them, a number for at least that share. With
 * `perFaultEpoch` the share is asked of every epoch, so that a quiet hour does not make up for an outage: a history
 * that does not count epochs is then too weak.
 */
import { OK, type History } from '../../history/history.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { checkOptions, either, flag, names, oneOf, share, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'

export interface AvailabilityOptions {
  readonly functions?: readonly string[]
  /** `'total'`, or the least share of operations that must succeed, 0 to 1. Absent: only measured. */
  readonly atLeast?: 'total' | number
  readonly perFaultEpoch?: boolean
}

export const AVAILABILITY_OPTIONS: OptionSchema<AvailabilityOptions> = {
  functions: names('functions to look at; all by default'),
  atLeast: either(
    share('the least share of operations that must succeed, or `total`; only measured without it'),
    oneOf(['total'])(''),
  ),
  perFaultEpoch: flag('the share is asked of every fault epoch, not only of the whole run'),
}

export interface AvailabilityDetails {
  readonly okShare: number | null
  /** The whole run first, then the fault epochs. */
  readonly shares: readonly (readonly [string, number])[]
}

export function availability(
  history: History,
  options: AvailabilityOptions = {},
): CheckResult<AvailabilityDetails> {
  checkOptions('availability', AVAILABILITY_OPTIONS, options)
  const { functions = history.functions, atLeast, perFaultEpoch = false } = options
  const scope = scopeOf(history, functions)
  const weak = perFaultEpoch ? weakness(history, ['fault-epochs'], functions) : null
  if (weak !== null)
    return conclude({ checker: 'availability', scope, checks: 0, anomalies: [], doubt: weak })
  const groups = new Map<string, { count: number; ok: number; firstFailure: number }>()
  const count = (name: string, i: number) => {
    let group = groups.get(name)
    if (group === undefined) groups.set(name, (group = { count: 0, ok: 0, firstFailure: -1 }))
    group.count++
    if (history.type[i] === OK) group.ok++
    else if (group.firstFailure < 0) group.firstFailure = history.id[i]
  }
  for (let i = 0; i < history.length; i++) {
    if (!functions.includes(history.functions[history.f[i]])) continue
    count('the whole run', i)
    if (perFaultEpoch) count(`fault epoch ${history.faultEpoch[i]}`, i)
  }
  const found = new AnomalyCollector()
  const least = atLeast === 'total' ? 1 : atLeast
  for (const [name, group] of groups) {
    const share = group.ok / group.count
    if (least === undefined || share >= least) continue
    const message = () =>
      `in ${name}, ${group.ok} of ${group.count} operations succeeded; ${percent(least)} must`
    found.add('unavailable', [group.firstFailure], message, { share })
  }
  const shares = [...groups].map(([name, group]) => [name, group.ok / group.count] as const)
  return conclude({
    checker: 'availability',
    scope,
    checks: scope.operations,
    anomalies: found.anomalies,
    details: { okShare: shares[0]?.[1] ?? null, shares },
  })
}

function percent(share: number): string {
  return share === 1 ? 'all' : `at least ${(share * 100).toFixed(2).replace(/\.?0+$/, '')} %`
}
