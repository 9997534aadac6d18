/**
 * Isolation levels of register transactions, decided: not "no anomaly was found" but a yes with the order of commits
 * that shows it, or a no. The levels are the axiomatic ones of Biswas and Enea (OOPSLA 2019), from read committed to
 * serializability; sessions are the history's processes, and count unless told not to. With `realTime`, what was over
 * before something else began must also come before it: strict serializability, strong snapshot isolation.
 *
 * The question they answer: *do these transactions have this isolation level?*
 */
import type { History } from '../../../history/history.ts'
import type { Anomaly, CheckResult, Verdict } from '../../result.ts'
import { operationId } from '../micro-operations.ts'
import { topologicalOrder } from '../topological-order.ts'
import { cycleAnomaly, pairAnomaly, searchAnomaly, staleRead } from './evidence.ts'
import type { SolverBudget } from './order-solver.ts'
import type { StrongLevel } from './polygraph.ts'
import { readsFrom, type ReadsFrom } from './reads-from.ts'
import { decideStrong } from './strong-levels.ts'
import { baseGraph, linkDemands, saturate, type WeakLevel } from './weak-levels.ts'

export interface LevelOptions {
  /** Whether a session's transactions must follow each other; yes unless said otherwise. */
  readonly sessions?: boolean | undefined
  /** Whether real-time order counts; no unless said otherwise. */
  readonly realTime?: boolean | undefined
  /** What the search may spend before its answer is unknown. */
  readonly budget?: SolverBudget | undefined
}

export const readCommitted = (history: History): CheckResult => weak(history, 'read-committed')
export const repeatableRead = (history: History): CheckResult => weak(history, 'repeatable-read')
export const readAtomic = (history: History): CheckResult => weak(history, 'read-atomic')
export const causal = (history: History): CheckResult => weak(history, 'causal')
export const prefixConsistent = (history: History, options?: LevelOptions): CheckResult =>
  strong(history, 'prefix', options)
export const snapshotIsolation = (history: History, options?: LevelOptions): CheckResult =>
  strong(history, 'snapshot-isolation', options)
export const serializable = (history: History, options?: LevelOptions): CheckResult =>
  strong(history, 'serializable', options)

interface Finding {
  readonly verdict: Verdict
  readonly method: string
  readonly reason?: string
  readonly anomalies?: readonly Anomaly[]
  readonly details?: Readonly<Record<string, unknown>>
}

/** Bytes of vector clocks at most. */
const CLOCK_BYTES = 1_000_000_000

function weak(history: History, level: WeakLevel): CheckResult {
  return decide(history, level, (facts) => {
    const method = 'saturation'
    const graph = baseGraph(facts)
    const order = topologicalOrder(graph.rows())
    if (order === null)
      return { verdict: 'invalid', method, anomalies: [cycleAnomaly(facts, level, graph.rows(), [])] }
    if (level === 'causal' && facts.count * facts.sessions * 4 > CLOCK_BYTES) {
      const reason = `${facts.sessions} sessions of ${facts.count} transactions need too large vector clocks`
      return { verdict: 'unknown', method, reason }
    }
    const { demands, violations } = saturate(facts, level, order)
    if (violations.length > 0) {
      return {
        verdict: 'invalid',
        method,
        anomalies: violations.slice(0, 8).map((demand) => staleRead(facts, demand)),
      }
    }
    linkDemands(graph, demands)
    const rows = graph.rows()
    if (topologicalOrder(rows) !== null)
      return { verdict: 'valid', method, details: { inferred: demands.length } }
    return { verdict: 'invalid', method, anomalies: [cycleAnomaly(facts, level, rows, demands)] }
  })
}

function strong(history: History, level: StrongLevel, options: LevelOptions = {}): CheckResult {
  const realTime = options.realTime ?? false
  const name = !realTime ? level : level === 'serializable' ? 'strict-serializable' : `strong-${level}`
  return decide(history, name, (facts) => {
    if (realTime && !history.realTime) {
      return {
        verdict: 'unknown',
        method: 'none',
        reason: 'the history does not say what happened before what',
      }
    }
    const decision = decideStrong(
      facts,
      { level, realTime, sessions: options.sessions ?? true },
      options.budget,
    )
    const { method, statistics } = decision
    if (decision.verdict === 'unknown')
      return { verdict: 'unknown', method, reason: decision.reason, details: { ...statistics } }
    if (decision.verdict === 'valid') {
      const order = decision.order.map((t) => operationId(facts.txns, facts.transaction[t]))
      return { verdict: 'valid', method, details: { ...statistics, order } }
    }
    const { polygraph, rows, proof } = decision
    const anomaly =
      proof.by === 'cycle'
        ? cycleAnomaly(facts, name, rows, [], level === 'serializable' ? 1 : 2)
        : proof.by === 'pair'
          ? pairAnomaly(name, polygraph, rows, proof.pair)
          : searchAnomaly(facts, name, proof.pairs)
    return { verdict: 'invalid', method, anomalies: [anomaly], details: { ...statistics } }
  })
}

function decide(history: History, level: string, judge: (facts: ReadsFrom) => Finding): CheckResult {
  const facts = readsFrom(history)
  const { txns } = facts
  let finding: Finding
  if (facts.anomalies.types.length > 0) {
    const anomalies = facts.anomalies.of(new Set(facts.anomalies.types))
    finding = { verdict: 'invalid', method: 'reads that nothing explains', anomalies }
  } else if (facts.weakness !== null) finding = { verdict: 'unknown', method: 'none', reason: facts.weakness }
  else if (facts.count === 0)
    finding = { verdict: 'unknown', method: 'none', reason: 'no transaction committed' }
  else finding = judge(facts)
  return {
    checker: level,
    verdict: finding.verdict,
    reason: finding.verdict === 'unknown' ? (finding.reason ?? null) : null,
    scope: { operations: txns.count, ignored: txns.ignored, functions: ['txn'] },
    checks: facts.count,
    anomalies: finding.anomalies ?? [],
    method: finding.method,
    details: { transactions: facts.count, ...finding.details },
    parts: [],
  }
}
