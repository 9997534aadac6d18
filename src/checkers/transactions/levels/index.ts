/**
 * Isolation levels of register transactions, decided: not "no anomaly was found" but a yes with the order of commits
 * that shows it, or a no. The levels are the axiomatic ones of Biswas and Enea (OOPSLA 2019), from read committed to
 * serializability; sessions are the history's processes, and count unless told not to. With `realTime`, what was over
 * before something else began must also come before it: strict serializability, strong snapshot isolation.
 *
 * The question they answer: *do these transactions have this isolation level?*
 */
import type { History } from '../../../history/history.ts'
import { Budget, type BudgetOptions } from '../../budget.ts'
import { checkOptions, flag, LIMIT_OPTIONS, type OptionSchema } from '../../options.ts'
import type { Anomaly, CheckResult, Verdict } from '../../result.ts'
import { microOperations, operationId } from '../micro-operations.ts'
import { ambiguousReads } from '../registers/register-sources.ts'
import { topologicalOrder } from '../cycles/topological-order.ts'
import { cycleAnomaly, pairAnomaly, searchAnomaly, staleRead } from './evidence.ts'
import type { StrongLevel } from './polygraph.ts'
import { readsFrom, type ReadsFrom } from './reads-from.ts'
import { outOfBudget } from '../verdict.ts'
import { decideStrong } from './strong-levels.ts'
import { baseGraph, linkDemands, saturate, type WeakLevel } from './weak-levels.ts'

export interface LevelOptions extends BudgetOptions {
  /** Whether a session's transactions must follow each other; yes unless said otherwise. */
  readonly sessions?: boolean | undefined
  /** Whether real-time order counts; no unless said otherwise. */
  readonly realTime?: boolean | undefined
}

export const LEVEL_OPTIONS: OptionSchema<LevelOptions> = {
  sessions: flag("a session's transactions must follow each other; true by default"),
  realTime: flag('what was over before something else began must come before it: strict, strong'),
  ...LIMIT_OPTIONS,
}

export const WEAK_LEVEL_OPTIONS: OptionSchema<BudgetOptions> = LIMIT_OPTIONS

export interface LevelDetails {
  readonly transactions: number
  /** (valid) Ids of the transactions in an order of commits that shows it. */
  readonly order: readonly number[]
  /** (valid, by saturation) How many pairs of writers are in a known order. */
  readonly inferred: number
}

type Level = CheckResult<LevelDetails>

export const readCommitted = (history: History, options?: BudgetOptions): Level =>
  weak(history, 'read-committed', options)
export const itemCutIsolation = (history: History, options?: BudgetOptions): Level =>
  weak(history, 'item-cut-isolation', options)
export const readAtomic = (history: History, options?: BudgetOptions): Level =>
  weak(history, 'read-atomic', options)
export const causal = (history: History, options?: BudgetOptions): Level => weak(history, 'causal', options)
export const prefixConsistent = (history: History, options?: LevelOptions): Level =>
  strong(history, 'prefix', options)
export const snapshotIsolation = (history: History, options?: LevelOptions): Level =>
  strong(history, 'snapshot-isolation', options)
export const serializable = (history: History, options?: LevelOptions): Level =>
  strong(history, 'serializable', options)

interface Finding {
  readonly verdict: Verdict
  readonly method: string
  readonly reason?: string
  readonly anomalies?: readonly Anomaly[]
  readonly details?: Readonly<Record<string, unknown>>
}

function weak(history: History, level: WeakLevel, options: BudgetOptions = {}): Level {
  checkOptions(level, WEAK_LEVEL_OPTIONS, options)
  const budget = Budget.of(options)
  return decide(history, level, budget, (facts) => {
    const clocks = level === 'causal' ? facts.count * facts.sessions : 0
    const edges = facts.count + facts.readKey.length
    const bytes = (clocks + edges * 2) * Int32Array.BYTES_PER_ELEMENT
    const finding = budget.within(bytes, () => saturated(facts, level, budget))
    return finding ?? { verdict: 'unknown', method: 'saturation', reason: budget.reason! }
  })
}

function saturated(facts: ReadsFrom, level: WeakLevel, budget: Budget): Finding {
  const method = 'saturation'
  const graph = baseGraph(facts)
  const order = topologicalOrder(graph.rows())
  if (order === null)
    return { verdict: 'invalid', method, anomalies: [cycleAnomaly(facts, level, graph.rows(), [])] }
  const { demands, violations } = saturate(facts, level, order, budget)
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
}

function strong(history: History, level: StrongLevel, options: LevelOptions = {}): Level {
  checkOptions(level, LEVEL_OPTIONS, options)
  const realTime = options.realTime ?? false
  const budget = Budget.of(options)
  const name = !realTime ? level : level === 'serializable' ? 'strict-serializable' : `strong-${level}`
  return decide(history, name, budget, (facts) => {
    if (realTime && !history.realTime) {
      return {
        verdict: 'unknown',
        method: 'none',
        reason: 'the history does not say what happened before what',
      }
    }
    const decision = decideStrong(facts, { level, realTime, sessions: options.sessions ?? true }, budget)
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

type Judge = (facts: ReadsFrom) => Finding

/** A history with reads that no value traces to one write is decided by a guess, or by what is certain without them. */
function decide(history: History, level: string, budget: Budget, judge: Judge): Level {
  return budget.within(0, () => decideReads(history, level, judge)) ?? outOfBudget(level, history, budget)
}

function decideReads(history: History, level: string, judge: Judge): Level {
  const txns = microOperations(history, 'w')
  const ambiguous = ambiguousReads(txns)
  const result = decided(level, readsFrom(txns, ambiguous), judge)
  if (ambiguous === null || result.verdict === 'valid') return result
  const certain = decided(level, readsFrom(ambiguous.certain, null), judge)
  if (certain.verdict === 'invalid') return certain
  return { ...certain, verdict: 'unknown', reason: ambiguous.reason, method: null }
}

function decided(level: string, facts: ReadsFrom, judge: Judge): Level {
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
    assumptions: [],
    details: { transactions: facts.count, ...finding.details },
    parts: [],
  }
}
