/**
 * Is everything that was acknowledged in the last read of the set, and nothing else?
 *
 * `add` puts an element in, `read` gives them all. Only the last read counts. An element whose add has an unknown
 * outcome may be there or not; one whose add failed must not. Follows Jepsen's `set`, with these differences: an add
 * still open when the read began need not be in it, duplicates are found, and an element of a failed add is an
 * anomaly of its own rather than "recovered".
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { compareValues, Interner, show } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { ofEachObject } from '../compose.ts'
import { checkOptions, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { otherChanges, positionsOf, REMOVALS, scopeOf, weakness } from '../scope.ts'

export interface SetOptions {
  /** Name of the function that adds; `add` by default. */
  readonly add?: string
  readonly read?: string
}

export const SET_OPTIONS: OptionSchema<SetOptions> = {
  add: named('adds an element', 'add'),
  read: named('reads all elements', 'read'),
}

interface Attempt {
  /** Whether some add of it was acknowledged before the read began. */
  acknowledged: boolean
  /** Whether every add of it failed. */
  failed: boolean
  readonly operation: number
}

export interface SetDetails {
  readonly attempted: number
  readonly acknowledged: number
  readonly ok: readonly unknown[]
  readonly lost: readonly unknown[]
  readonly unexpected: readonly unknown[]
  /** Seen although no add of them was acknowledged. */
  readonly recovered: readonly unknown[]
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function set(history: History, options: SetOptions = {}): CheckResult<SetDetails> {
  checkOptions('set', SET_OPTIONS, options)
  const { add = 'add', read = 'read' } = options
  const scope = scopeOf(history, [add, read])
  const weak = weakness(history, ['real-time']) ?? otherChanges(history, REMOVALS, [add, read])
  const several =
    weak === null ? ofEachObject(history, [add, read], (part) => set(part, options), 'set') : null
  if (several !== null) return several
  const last = lastRead(history, read)
  if (weak !== null || last < 0) {
    const doubt = weak ?? 'no read of the set succeeded'
    return conclude({ checker: 'set', scope, checks: 0, anomalies: [], doubt })
  }
  const elements = new Interner()
  const attempts = attemptsBefore(history, positionsOf(history, add), last, elements)
  const reader = history.id[last]
  const found = new AnomalyCollector()
  const seen = new Map<number, number>()
  for (const element of history.output[last] as unknown[]) {
    const number = elements.number(element)
    seen.set(number, (seen.get(number) ?? 0) + 1)
  }
  const tell = (number: number) => show(elements.values[number])
  const ok: unknown[] = []
  const recovered: unknown[] = []
  const unexpected: unknown[] = []
  for (const [number, count] of seen) {
    const attempt = attempts.get(number)
    if (count > 1)
      found.add('duplicated', [reader], () => `${tell(number)} is ${count} times in the last read`)
    if (attempt === undefined) {
      unexpected.push(elements.values[number])
      found.add('unexpected', [reader], () => `the last read has ${tell(number)}, which no client added`)
      continue
    }
    ok.push(elements.values[number])
    if (!attempt.acknowledged) recovered.push(elements.values[number])
    if (attempt.failed) {
      const message = () => `the last read has ${tell(number)}, but adding it failed`
      found.add('failed-but-present', [attempt.operation, reader], message)
    }
  }
  const lost: unknown[] = []
  let acknowledged = 0
  for (const [number, attempt] of attempts) {
    if (!attempt.acknowledged) continue
    acknowledged++
    if (seen.has(number)) continue
    lost.push(elements.values[number])
    const message = () => `${tell(number)} was acknowledged before the last read, which does not have it`
    found.add('lost', [attempt.operation, reader], message)
  }
  const sorted = (values: unknown[]) => values.sort(compareValues)
  return conclude({
    checker: 'set',
    scope,
    checks: attempts.size,
    anomalies: found.anomalies,
    details: {
      attempted: attempts.size,
      acknowledged,
      ok: sorted(ok),
      lost: sorted(lost),
      unexpected: sorted(unexpected),
      recovered: sorted(recovered),
      counts: found.counts,
    },
  })
}

function lastRead(history: History, read: string): number {
  let last = -1
  for (const i of positionsOf(history, read)) {
    if (history.type[i] !== OK || !Array.isArray(history.output[i])) continue
    if (last < 0 || history.completeIndex[i] > history.completeIndex[last]) last = i
  }
  return last
}

function attemptsBefore(
  history: History,
  adds: number[],
  read: number,
  elements: Interner,
): Map<number, Attempt> {
  const attempts = new Map<number, Attempt>()
  for (const i of adds) {
    if (history.invokeIndex[i] > history.completeIndex[read]) continue
    const number = elements.number(history.input[i])
    let attempt = attempts.get(number)
    if (attempt === undefined) {
      attempts.set(number, (attempt = { acknowledged: false, failed: true, operation: history.id[i] }))
    }
    if (history.type[i] !== FAIL) attempt.failed = false
    // A read without invocation (-1) may have begun at any time: it need not have seen anything.
    if (history.type[i] === OK && history.completeIndex[i] < history.invokeIndex[read])
      attempt.acknowledged = true
  }
  return attempts
}
