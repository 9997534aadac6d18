/**
 * From dependencies and anomalies to an answer: which cycles there are, which of all anomalies the requested models
 * forbid, and which models are ruled out.
 *
 * The verdict is invalid when a forbidden anomaly was found; unknown when there was nothing to infer from or a search
 * was cut short; else valid, which means: none of the anomalies that can be inferred is there.
 */
import type { History } from '../../history/history.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { amount, LIMIT_OPTIONS, names, type OptionSchema } from '../options.ts'
import type { Anomaly, CheckResult } from '../result.ts'
import type { AnomalyList } from './anomaly-list.ts'
import { component, type Component } from './cycles/component.ts'
import { cyclicComponents } from './cycles/components.ts'
import { searchCycles, type FoundCycle, type SearchBudget } from './cycles/cycle-search.ts'
import { explainCycle, type Explainer } from './cycles/explanation.ts'
import { PROCESS, REALTIME, RW, RWP, WR, WRP, WW, type GraphBuilder } from './cycles/graph.ts'
import { anomaliesImplying, forbiddenAnomalies, impossibleModels, modelBoundary } from './lattice.ts'
import { FAIL, type MicroOperations } from './micro-operations.ts'
import { processOrder, timeline } from './cycles/timeline.ts'

export interface ConsistencyOptions extends BudgetOptions {
  /** Models that the history should satisfy; strict serializability unless said otherwise. */
  readonly consistencyModels?: readonly string[] | undefined
  /** Further anomalies that must not be there, whatever the models. */
  readonly anomalies?: readonly string[] | undefined
  /** Edges that the search for cycles may visit before it gives up; then the verdict may be unknown. */
  readonly searchBudget?: number | undefined
}

export const CONSISTENCY_OPTIONS: OptionSchema<ConsistencyOptions> = {
  consistencyModels: names('models that must hold; `strict-serializable` by default'),
  anomalies: names('further anomalies that must not be there, whatever the models'),
  searchBudget: amount('edges that the search for cycles may visit; 400,000,000 by default'),
  ...LIMIT_OPTIONS,
}

export interface TransactionDetails {
  readonly anomalyTypes: readonly string[]
  readonly anomalyCounts: Readonly<Record<string, number>>
  /** The weakest models that are ruled out, and the stronger ones that fall with them. */
  readonly not: readonly string[]
  readonly alsoNot: readonly string[]
  readonly transactions: number
  readonly dependencies: number
  /** (rw-register) What version orders were inferred from. */
  readonly versionOrderSources: readonly string[]
  /** (rw-register) Whether inference or search gave the answer. */
  readonly decidedBy: 'inference' | 'search'
}

export interface Inference {
  readonly checker: string
  readonly method: string
  readonly txns: MicroOperations
  /** Null when a limit was reached before all dependencies were known; anomalies found until then count. */
  readonly graph: GraphBuilder | null
  readonly anomalies: AnomalyList
  readonly explain: Explainer
  /** Kinds of edge, by which one edge of several kinds is explained first. */
  readonly preference?: readonly number[]
  /** Whether what a transaction depends on in itself counts as something inferred. */
  readonly selfLinksCount?: boolean
  /** Why the history is too weak to be judged valid, if it is. */
  readonly weakness?: string | null
  readonly details?: Readonly<Partial<TransactionDetails>>
}

const DEFAULT_MODELS: readonly string[] = ['strict-serializable']
const DEFAULT_BUDGET = 400_000_000
const PREFERENCE: readonly number[] = [WW, WR, WRP, RW, RWP, PROCESS, REALTIME]

/** Anomalies that are no violation, but leave the question open. */
const OPEN: readonly string[] = ['cycle-search-timeout', 'empty-transaction-graph']

/** What the options forbid. */
export function forbiddenBy(options: ConsistencyOptions): ReadonlySet<string> {
  const models = forbiddenAnomalies(options.consistencyModels ?? DEFAULT_MODELS)
  return new Set([...models, ...anomaliesImplying(options.anomalies ?? [])])
}

export function judge(inference: Inference, options: ConsistencyOptions): CheckResult<TransactionDetails> {
  const { txns, graph, anomalies } = inference
  const forbidden = forbiddenBy(options)
  const needs = (suffix: string): boolean => [...forbidden].some((anomaly) => anomaly.endsWith(suffix))
  const realtime = needs('-realtime') && txns.history.realTime
  const limits = Budget.of(options)
  const edges =
    graph &&
    limits.within(0, () => {
      if (!realtime && needs('-process')) processOrder(txns, (from, to) => graph.link(from, to, PROCESS))
      return cycles(inference, graph, realtime, { left: options.searchBudget ?? DEFAULT_BUDGET, limits })
    })
  if (edges === 0 && (inference.selfLinksCount !== true || graph?.selfLinks === 0))
    anomalies.add('empty-transaction-graph', () => ({ message: '', operations: [] }))

  const reportable = new Set([...forbidden, ...OPEN])
  dropRedundantExistence(anomalies, reportable)
  const bad = anomalies.types.filter((type) => forbidden.has(type))
  const reported = anomalies.types.filter((type) => reportable.has(type))
  const boundary = modelBoundary(anomalies.types)
  const weakness =
    inference.weakness ??
    limits.reason ??
    openReason(anomalies) ??
    realTimeMissing(options, txns, needs('-realtime'))
  const verdict = bad.length > 0 ? 'invalid' : weakness !== null ? 'unknown' : 'valid'
  return {
    checker: inference.checker,
    verdict,
    reason: verdict === 'unknown' ? weakness : null,
    scope: { operations: txns.count, ignored: txns.ignored, functions: ['txn'] },
    checks: txns.type.reduce((sum, type) => (type === FAIL ? sum : sum + 1), 0),
    anomalies: worstFirst(anomalies.of(forbidden)),
    method: inference.method,
    assumptions: [],
    details: {
      anomalyTypes: reported,
      anomalyCounts: Object.fromEntries(reported.map((type) => [type, anomalies.count(type)])),
      not: boundary.not,
      alsoNot: boundary.alsoNot,
      transactions: txns.count,
      dependencies: edges ?? 0,
      ...inference.details,
    },
    parts: [],
  }
}

/** Runs a whole check within its limits; unknown when one is reached before the check has an answer of its own. */
export function withinLimits<Options extends BudgetOptions, Details extends object>(
  checker: string,
  history: History,
  options: Options,
  check: (options: Options, budget: Budget) => CheckResult<Details>,
): CheckResult<Details> {
  const budget = Budget.of(options)
  const answer = budget.within(0, () => check({ ...options, budget }, budget))
  return answer ?? outOfBudget(checker, history, budget)
}

/** The answer when a limit was reached before anything was found out about the transactions. */
export function outOfBudget<Details extends object>(
  checker: string,
  history: History,
  { reason }: Budget,
): CheckResult<Details> {
  return {
    checker,
    verdict: 'unknown',
    reason,
    scope: { operations: 0, ignored: history.length, functions: ['txn'] },
    checks: 0,
    anomalies: [],
    method: null,
    assumptions: [],
    details: {} as Partial<Details>,
    parts: [],
  }
}

/** By how many models an anomaly rules out; then the ones that are quickest to read. */
function worstFirst(anomalies: readonly Anomaly[]): Anomaly[] {
  const weight = new Map(anomalies.map(({ type }) => [type, impossibleModels([type]).size]))
  return [...anomalies].sort(
    (a, b) => weight.get(b.type)! - weight.get(a.type)! || a.operations.length - b.operations.length,
  )
}

/** The reason of a verdict that is unknown because no transaction depends on another. */
export const NO_DEPENDENCY = 'no dependency between transactions could be inferred'

function openReason(anomalies: AnomalyList): string | null {
  if (anomalies.has('empty-transaction-graph')) return NO_DEPENDENCY
  if (anomalies.has('cycle-search-timeout')) return 'the search for cycles was cut short'
  return null
}

function realTimeMissing(options: ConsistencyOptions, txns: MicroOperations, needed: boolean): string | null {
  if (!needed || txns.history.realTime) return null
  const models = (options.consistencyModels ?? DEFAULT_MODELS).join(', ')
  return `too weak for ${models}: the history does not say what happened before what in real time`
}

/** Finds all cycles; answers how many dependencies there are. */
function cycles(
  { txns, anomalies, explain, preference = PREFERENCE }: Inference,
  graph: GraphBuilder,
  realtime: boolean,
  budget: SearchBudget,
): number {
  const rows = graph.rows()
  const line = realtime ? timeline(txns, rows.vertices) : null
  const otherwise: { readonly part: Component; readonly cycle: FoundCycle }[] = []
  for (const vertices of cyclicComponents(rows, line)) {
    const part = component(txns, rows, vertices, { realtime, preference })
    if (part.members.length < 2) continue
    const found = searchCycles(part, budget)
    for (const cycle of found.cycles)
      anomalies.add(cycle.type, () => explainCycle(txns, part, cycle, explain))
    for (const cycle of found.otherwise) otherwise.push({ part, cycle })
    for (const type of found.exists) {
      anomalies.add(type, () => ({
        message: `some cycle among ${part.members.length} transactions contradicts ${type.replace('-cycle-exists', '')}`,
        operations: [],
      }))
    }
    if (found.unfinished.length > 0) {
      anomalies.add('cycle-search-timeout', () => ({
        message: `searches for ${found.unfinished.join(', ')} were cut short`,
        operations: [],
      }))
    }
  }
  for (const { part, cycle } of otherwise) {
    const known = impossibleModels(anomalies.types)
    if ([...impossibleModels([cycle.type])].every((model) => known.has(model))) continue
    anomalies.add(cycle.type, () => explainCycle(txns, part, cycle, explain))
  }
  return graph.size + (line === null ? 0 : line.followers)
}

/** That some cycle exists is news only where no anomaly shows as much. */
function dropRedundantExistence(anomalies: AnomalyList, reportable: ReadonlySet<string>): void {
  const shown = anomalies.types.filter((type) => reportable.has(type) && !type.endsWith('-cycle-exists'))
  const impossible = impossibleModels(shown)
  for (const type of anomalies.types) {
    if (type.endsWith('-cycle-exists') && impossible.has(type.slice(0, -'-cycle-exists'.length)))
      anomalies.delete(type)
  }
}
