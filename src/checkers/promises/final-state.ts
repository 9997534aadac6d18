/**
 * Does the final state satisfy an invariant of the user's?
 *
 * The predicate sees the output of each replica's final read (of each key, where reads are of keys) and the history, and returns null, or what is wrong.
 * *Final* needs quiescence: marked reads, or reads that began after the last write had ended.
 */
import type { History } from '../../history/history.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { finalReads, ofKeyRead } from '../final-reads.ts'
import { checkOptions, callback, named, names, required, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'

export interface FinalStateOptions {
  readonly read?: string
  /** Functions that change the state; by default all but `read`. */
  readonly writes?: readonly string[]
  /** Null when the state is good, else one sentence. */
  readonly invariant: (state: unknown, history: History) => string | null
}

export const FINAL_STATE_OPTIONS: OptionSchema<FinalStateOptions> = {
  read: named('reads the final state', 'read'),
  writes: names('functions that change the state; all but `read` by default'),
  invariant: required(
    callback('takes a final state and the history; null when the state is good, else one sentence'),
  ),
}

export interface FinalStateDetails {
  readonly replicas: readonly string[]
}

export function finalState(history: History, options: FinalStateOptions): CheckResult<FinalStateDetails> {
  checkOptions('final-state', FINAL_STATE_OPTIONS, options)
  const { read = 'read', invariant } = options
  const writes = options.writes ?? history.functions.filter((f) => f !== read)
  const weak = weakness(history, ['real-time'])
  const finals = weak === null ? finalReads(history, writes, read) : []
  const found = new AnomalyCollector()
  for (const final of finals) {
    const { position, replica } = final
    const broken = invariant(history.output[position], history)
    if (broken === null) continue
    const message = () => `in the final state of ${replica}${ofKeyRead(history, final)}: ${broken}`
    found.add('invariant-broken', [history.id[position]], message)
  }
  return conclude({
    checker: 'final-state',
    scope: scopeOf(history, [...writes, read]),
    checks: finals.length,
    anomalies: found.anomalies,
    doubt: weak ?? (finals.length === 0 ? `no ${read} began after the last write had ended` : null),
    details: { replicas: [...new Set(finals.map(({ replica }) => replica))] },
  })
}
