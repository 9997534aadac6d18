/**
 * Isolation levels of register transactions, decided: not "no anomaly was found" but a yes with the order of commits
 * that shows it, or a no. The levels are the axiomatic ones of Biswas and Enea (OOPSLA 2019), from read committed to
 * serializability; sessions are the history's processes, and count unless told not to. With `realTime`, what was over before something else began
 * must also come before it: strict serializability, strong snapshot isolation.
 *
 * The question they answer: *do these transactions have this isolation level?*
 */
import type { History } from '../../../history/history.ts'
import { show } from '../../../history/value.ts'
import type { Anomaly, CheckResult, Verdict } from '../../result.ts'
import { cyclicComponents } from '../components.ts'
import type { CycleDetails, CycleStep } from '../explanation.ts'
import { KIND_NAMES, PROCESS, REALTIME, RW, WR, WW, type Rows } from '../graph.ts'
import { operationId } from '../micro-operations.ts'
import { shortestCycle } from '../shortest-cycle.ts'
import { topologicalOrder } from '../topological-order.ts'
import type { SolverBudget } from './order-solver.ts'
import type { StrongLevel, WriterPair } from './polygraph.ts'
import { readsFrom, type ReadsFrom } from './reads-from.ts'
import { decideStrong } from './strong-levels.ts'
import { baseGraph, linkDemands, saturate, type Demand, type WeakLevel } from './weak-levels.ts'

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
    const anomalies =
      decision.component === null
        ? [pairAnomaly(facts, name, decision.pairs)]
        : [cycleAnomaly(facts, name, decision.rows, [], level === 'serializable' ? 1 : 2)]
    return { verdict: 'invalid', method, anomalies, details: { ...statistics } }
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

function id(facts: ReadsFrom, t: number): number {
  return operationId(facts.txns, facts.transaction[t])
}

function staleRead(facts: ReadsFrom, { earlier, reader, key }: Demand): Anomaly {
  const name = facts.txns.keys[key]
  return {
    type: 'stale-read',
    message: `operation ${id(facts, reader)} read the initial state of key ${show(name)}, though it could see operation ${id(facts, earlier)}, which wrote it`,
    operations: [id(facts, reader), id(facts, earlier)],
    details: { key: name },
  }
}

function pairAnomaly(facts: ReadsFrom, level: string, pairs: readonly WriterPair[]): Anomaly {
  const keys = [...new Set(pairs.map(({ key }) => facts.txns.keys[key]))]
  const operations = [...new Set(pairs.flatMap(({ first, second }) => [id(facts, first), id(facts, second)]))]
  const who = pairs.length === 1 ? `operations ${operations.join(' and ')}` : `${operations.length} writers`
  return {
    type: `${level}-violation`,
    message: `${who} wrote key${keys.length === 1 ? '' : 's'} ${keys
      .slice(0, 8)
      .map((key) => show(key))
      .join(', ')}, and whichever order they took effect in contradicts what others read`,
    operations,
    details: {
      keys,
      pairs: pairs.slice(0, 64).map(({ key, first, second }) => ({
        key: facts.txns.keys[key],
        first: id(facts, first),
        second: id(facts, second),
      })),
    },
  }
}

/** A cycle of what is known or demanded, in words. `perTransaction` is how many vertices a transaction has. */
function cycleAnomaly(
  facts: ReadsFrom,
  level: string,
  rows: Rows,
  demands: readonly Demand[],
  perTransaction = 1,
): Anomaly {
  const cycle = shortestCycle(rows, cyclicComponents(rows, null)[0])
  const steps: { readonly t: number; readonly kind: number }[] = []
  cycle.forEach((v, i) => {
    const t = Math.floor(v / perTransaction)
    const next = cycle[(i + 1) % cycle.length]
    if (t >= facts.count || Math.floor(next / perTransaction) === t) return
    steps.push({ t, kind: kindOf(rows, v, next) })
  })
  const name = (i: number): string => `T${(i % steps.length) + 1}`
  const edges = steps.map(({ t, kind }, i): CycleStep => {
    const next = steps[(i + 1) % steps.length].t
    const reason = because(facts, demands, t, next, kind, name(i), name(i + 1))
    return { from: id(facts, t), to: id(facts, next), kind: KIND_NAMES.get(kind) ?? '', ...reason }
  })
  const sentences = edges.map(
    (edge, i) =>
      `${i === edges.length - 1 ? 'However, ' : ''}${name(i)} < ${name(i + 1)}, because ${edge.because}`,
  )
  const lets = steps.map(({ t }, i) => `${name(i)} = operation ${id(facts, t)}`)
  const { history, position } = facts.txns
  const details: CycleDetails = {
    cycle: edges,
    transactions: steps.map(({ t }, i) => {
      const at = position[facts.transaction[t]]
      return { name: name(i), operation: id(facts, t), value: history.output[at] ?? history.input[at] }
    }),
  }
  return {
    type: `${level}-violation`,
    message: `Let ${lets.join(', ')}. ${sentences.join('. ')}: a contradiction.`,
    operations: steps.map(({ t }) => id(facts, t)),
    details,
  }
}

function kindOf({ offset, target, kind }: Rows, from: number, to: number): number {
  for (let e = offset[from]; e < offset[from + 1]; e++) if (target[e] === to) return kind[e]
  return 0
}

function because(
  facts: ReadsFrom,
  demands: readonly Demand[],
  a: number,
  b: number,
  kind: number,
  nameA: string,
  nameB: string,
): { readonly because: string; readonly key?: unknown } {
  const { readStart, readKey, readSource, writeStart, writeKey, txns } = facts
  if (kind === PROCESS) return { because: `${nameA} came before ${nameB} in its session` }
  if (kind === REALTIME) return { because: `${nameA} was over before ${nameB} began` }
  const writes = (t: number): ReadonlySet<number> =>
    new Set(writeKey.subarray(writeStart[t], writeStart[t + 1]))
  if (kind === WW) {
    const demand = demands.find(({ earlier, later }) => earlier === a && later === b)
    if (demand !== undefined) {
      const key = txns.keys[demand.key]
      const reader = id(facts, demand.reader)
      return {
        key,
        because: `operation ${reader} could see ${nameA}'s write of key ${show(key)} and read ${nameB}'s`,
      }
    }
    const shared = [...writes(a)].find((key) => writes(b).has(key))
    const key = shared === undefined ? null : txns.keys[shared]
    return { key, because: `${nameB}'s write of key ${show(key)} must come after ${nameA}'s` }
  }
  const [reader, other] = kind === WR ? [b, a] : [a, b]
  const wanted = writes(other)
  for (let r = readStart[reader]; r < readStart[reader + 1]; r++) {
    if (!wanted.has(readKey[r]) || (kind === WR) !== (readSource[r] === other)) continue
    const key = txns.keys[readKey[r]]
    const seen = `key ${show(key)}`
    return kind === WR
      ? { key, because: `${nameB} read ${seen} from ${nameA}` }
      : { key, because: `${nameA} read ${seen} before ${nameB}'s write of it` }
  }
  return { because: kind === RW ? `${nameA} did not see what ${nameB} wrote` : 'of what they read' }
}
