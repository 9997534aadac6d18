/**
 * Is a write ever visible without one that was acknowledged before it began? Serializability alone allows that *causal
 * reverse*; strict serializability does not.
 *
 * `write` puts a unique value in, `read` gives the values that are there. A read that shows a write must show every
 * write that was acknowledged before that one was invoked. It is enough to look at the write in the read that was
 * invoked last: what was over before the others began was over before it began. Of a value that was written again, as a
 * retry does, the first write that did not fail counts. Where reads are of single keys, each key is looked at alone.
 */
import { FAIL, OK, type History } from '../../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../../history/value.ts'
import { AnomalyCollector } from '../../anomaly-collector.ts'
import { ofEachObject } from '../../compose.ts'
import { conclude, type CheckResult } from '../../result.ts'
import { positionsOf, scopeOf, weakness } from '../../scope.ts'

export interface CausalReverseDetails {
  readonly reads: number
  readonly writes: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function causalReverse(history: History): CheckResult<CausalReverseDetails> {
  if (readsKeys(history)) {
    const several = ofEachObject(history, ['write', 'read'], causalReverse, 'causal-reverse')
    if (several !== null) return several
  }
  const scope = scopeOf(history, ['write', 'read'])
  const doubt = weakness(history, ['real-time'])
  const found = new AnomalyCollector()
  /** The first write of each value, and the first acknowledgement. */
  const writes = new Map<ValueKey, number>()
  const answered = new Map<ValueKey, number>()
  for (const i of positionsOf(history, 'write')) {
    if (history.type[i] === FAIL) continue
    const value = valueKey(history.input[i] ?? history.output[i])
    keepLeast(writes, value, i, history.invokeIndex)
    if (history.type[i] === OK) keepLeast(answered, value, i, history.completeIndex)
  }
  const acknowledged = [...answered].sort(
    ([, a], [, b]) => history.completeIndex[a] - history.completeIndex[b],
  )
  const reads = positionsOf(history, 'read').filter(
    (i) => history.type[i] === OK && Array.isArray(history.output[i]),
  )
  if (doubt === null) {
    for (const i of reads) {
      const seen = new Set<ValueKey>()
      let last = -1
      for (const value of history.output[i] as unknown[]) {
        const write = writes.get(valueKey(value))
        if (write === undefined) continue
        seen.add(valueKey(value))
        if (last < 0 || history.invokeIndex[write] > history.invokeIndex[last]) last = write
      }
      if (last < 0) continue
      const missing = acknowledged
        .filter(
          ([value, write]) => history.completeIndex[write] < history.invokeIndex[last] && !seen.has(value),
        )
        .map(([, write]) => write)
      if (missing.length === 0) continue
      const values = missing.map((write) => history.input[write])
      found.add(
        'causal-reverse',
        [history.id[i], history.id[last], ...missing.map((write) => history.id[write])],
        () =>
          `operation ${history.id[i]} read ${show(history.input[last])} but not ${values.map((value) => show(value)).join(', ')}, acknowledged before that was asked for`,
        { missing: values },
      )
    }
  }
  return conclude({
    checker: 'causal-reverse',
    scope,
    checks: reads.length,
    anomalies: found.anomalies,
    doubt,
    details: { reads: reads.length, writes: writes.size, counts: found.counts },
  })
}

function readsKeys(history: History): boolean {
  return positionsOf(history, 'read').some((i) => history.keys[history.key[i]] !== null)
}

function keepLeast(
  of: Map<ValueKey, number>,
  value: ValueKey,
  position: number,
  index: ArrayLike<number>,
): void {
  const before = of.get(value)
  if (before === undefined || index[position] < index[before]) of.set(value, position)
}
