/**
 * Do all replicas end in the same state?
 *
 * Compares the final reads of the replicas (see {@link finalReads}): lists as they stand, or as sets with
 * `unordered`; maps key by key; where reads are of single keys, those of one key with each other. It needs final reads
 * of at least two replicas. Which of them is right it cannot say.
 * A write of unknown outcome may happen between two reads; then a difference is only conclusive between reads that the
 * workload marked as final, which promises that everything had settled.
 */
import { INFO, type History } from '../../history/history.ts'
import { canonical, show } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { byKeyRead, finalReads, ofKeyRead, type FinalRead } from '../final-reads.ts'
import { checkOptions, flag, named, names, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { positionsOf, scopeOf, weakness } from '../scope.ts'

export interface ReconciliationOptions {
  /** Functions that change the state: a read is final when it begins after all of them. */
  readonly writes?: readonly string[]
  readonly read?: string
  /** True: the order of a list does not matter. */
  readonly unordered?: boolean
}

export const RECONCILIATION_OPTIONS: OptionSchema<ReconciliationOptions> = {
  writes: names('functions that change the state; all but `read` by default'),
  read: named('reads the final state', 'read'),
  unordered: flag('the order of a list does not matter'),
}

export interface ReconciliationDetails {
  readonly replicas: readonly string[]
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function reconciliation(
  history: History,
  options: ReconciliationOptions = {},
): CheckResult<ReconciliationDetails> {
  checkOptions('reconciliation', RECONCILIATION_OPTIONS, options)
  const {
    writes = history.functions.filter((f) => f !== (options.read ?? 'read')),
    read = 'read',
    unordered = false,
  } = options
  const scope = scopeOf(history, [...writes, read])
  const weak = weakness(history, ['real-time'])
  const finals = weak === null ? finalReads(history, writes, read) : []
  const unsettled = weak === null ? unsettledWrites(history, writes, finals) : 0
  const found = new AnomalyCollector()
  let differ = 0
  const stateOf = ({ position }: FinalRead) => normal(history.output[position], unordered)
  let compared = 0
  let alone: FinalRead | null = null
  for (const [first, ...others] of byKeyRead(finals)) {
    if (others.length === 0) alone ??= first
    compared += others.length
    for (const other of others) {
      if (canonical(stateOf(first)) === canonical(stateOf(other))) continue
      differ++
      if (unsettled > 0) continue
      const where = difference(stateOf(first), stateOf(other))
      const message = () =>
        `${first.replica} and ${other.replica} end in different states${ofKeyRead(history, first)}: ${where}`
      found.add('replicas-differ', [history.id[first.position], history.id[other.position]], message)
    }
  }
  const lacking = finals.length === 0 ? '' : alone === null ? null : ofKeyRead(history, alone)
  return conclude({
    checker: 'reconciliation',
    scope,
    checks: compared,
    anomalies: found.anomalies,
    doubt: weak ?? doubtOf(lacking, differ, unsettled),
    details: { replicas: [...new Set(finals.map(({ replica }) => replica))], counts: found.counts },
  })
}

/** `lacking`: of which key there are no two final reads; null where there are. */
function doubtOf(lacking: string | null, differ: number, unsettled: number): string | null {
  if (lacking !== null) return `there are not final reads${lacking} of two replicas to compare`
  if (differ === 0) return null
  return `replicas differ, but ${unsettled} writes of unknown outcome may have happened between their reads`
}

/** Writes that may still happen, unless the reads are marked as final. */
function unsettledWrites(history: History, writes: readonly string[], finals: readonly FinalRead[]): number {
  if (finals.some(({ position }) => history.input[position] === 'final')) return 0
  return writes.flatMap((f) => positionsOf(history, f)).filter((i) => history.type[i] === INFO).length
}

function normal(state: unknown, unordered: boolean): unknown {
  if (!unordered || !Array.isArray(state)) return state
  return state.map((value) => canonical(value)).sort()
}

/** In a few words, where two states differ first. */
function difference(a: unknown, b: unknown): string {
  if (Array.isArray(a) && Array.isArray(b)) {
    const at = a.findIndex((value, i) => canonical(value) !== canonical(b[i]))
    const place = at < 0 ? a.length : at
    return `at position ${place}, ${show(a[place], 40)} against ${show(b[place], 40)} (${a.length} and ${b.length} elements)`
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
    const key = keys.find((name) => canonical(a[name]) !== canonical(b[name]))!
    return `${key} is ${show(a[key], 40)} against ${show(b[key], 40)}`
  }
  return `${show(a, 40)} against ${show(b, 40)}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
