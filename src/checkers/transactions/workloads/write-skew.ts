/**
 * Can two transactions each insert a row because the other's is not there yet? Adya's G2 as a workload: for every key
 * two transactions read by a predicate that neither has inserted, and then insert one row each, in different tables.
 * Under serializability at most one of them commits.
 *
 * `insert` has the key in its `key`, or a pair of key and row as its value.
 */
import { OK, type History } from '../../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../../history/value.ts'
import { AnomalyCollector } from '../../anomaly-collector.ts'
import { conclude, type CheckResult } from '../../result.ts'
import { positionsOf, scopeOf } from '../../scope.ts'

export interface WriteSkewDetails {
  readonly keys: number
  readonly inserted: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function writeSkew(history: History): CheckResult<WriteSkewDetails> {
  const found = new AnomalyCollector()
  const inserted = new Map<ValueKey, number[]>()
  const attempted = new Set<ValueKey>()
  for (const i of positionsOf(history, 'insert')) {
    const key = valueKey(keyOf(history, i))
    attempted.add(key)
    if (history.type[i] !== OK) continue
    const list = inserted.get(key)
    if (list === undefined) inserted.set(key, [i])
    else list.push(i)
  }
  for (const positions of inserted.values()) {
    if (positions.length < 2) continue
    const ids = positions.map((i) => history.id[i])
    found.add(
      'G2',
      ids,
      () =>
        `operations ${ids.join(' and ')} both inserted for key ${show(keyOf(history, positions[0]))}, each having seen that the other had not`,
      { key: keyOf(history, positions[0]) },
    )
  }
  return conclude({
    checker: 'write-skew',
    scope: scopeOf(history, ['insert']),
    checks: attempted.size,
    anomalies: found.anomalies,
    doubt: inserted.size === 0 ? 'no insert succeeded' : null,
    details: { keys: attempted.size, inserted: inserted.size, counts: found.counts },
  })
}

function keyOf(history: History, i: number): unknown {
  const key = history.keys[history.key[i]]
  const value = history.input[i] ?? history.output[i]
  return key === null && Array.isArray(value) ? (value[0] as unknown) : key
}
