/**
 * Is every generated id unique?
 *
 * Only acknowledged ids count: no client saw what an operation of unknown outcome generated. Follows Jepsen's
 * `unique-ids`.
 */
import { OK, type History } from '../../history/history.ts'
import { compareValues, show, valueKey, type ValueKey } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { checkOptions, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { positionsOf, scopeOf } from '../scope.ts'

export interface UniqueIdsOptions {
  readonly generate?: string
}

export const UNIQUE_IDS_OPTIONS: OptionSchema<UniqueIdsOptions> = {
  generate: named('generates an id', 'generate'),
}

export interface UniqueIdsDetails {
  readonly attempted: number
  readonly acknowledged: number
  /** Ids that were given more than once, each with how often; the first 48. */
  readonly duplicated: readonly (readonly [unknown, number])[]
  readonly duplicatedCount: number
  readonly range: readonly [unknown, unknown]
}

export function uniqueIds(history: History, options: UniqueIdsOptions = {}): CheckResult<UniqueIdsDetails> {
  checkOptions('unique-ids', UNIQUE_IDS_OPTIONS, options)
  const { generate = 'generate' } = options
  const attempts = positionsOf(history, generate)
  const first = new Map<ValueKey, number>()
  const repeats = new Map<ValueKey, number[]>()
  let lowest: unknown = null
  let highest: unknown = null
  let acknowledged = 0
  for (const i of attempts) {
    if (history.type[i] !== OK) continue
    const id = history.output[i]
    acknowledged++
    if (lowest === null || compareValues(id, lowest) < 0) lowest = id
    if (highest === null || compareValues(id, highest) > 0) highest = id
    const key = valueKey(id)
    const before = first.get(key)
    if (before === undefined) first.set(key, i)
    else if (repeats.has(key)) repeats.get(key)!.push(i)
    else repeats.set(key, [before, i])
  }
  const found = new AnomalyCollector()
  const worst = [...repeats.values()].sort((a, b) => b.length - a.length || a[0] - b[0])
  for (const positions of worst) {
    const operations = positions.map((i) => history.id[i])
    found.add(
      'duplicated',
      operations,
      () => `${show(history.output[positions[0]])} was given ${positions.length} times`,
    )
  }
  return conclude({
    checker: 'unique-ids',
    scope: scopeOf(history, [generate]),
    checks: acknowledged,
    anomalies: found.anomalies,
    details: {
      attempted: attempts.length,
      acknowledged,
      duplicated: worst
        .slice(0, 48)
        .map((positions) => [history.output[positions[0]], positions.length] as const),
      duplicatedCount: worst.length,
      range: [lowest, highest],
    },
  })
}
