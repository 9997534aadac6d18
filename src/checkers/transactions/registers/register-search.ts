/**
 * Where inference ends, search decides. A register history with blind writes shows little of its version orders, and
 * "no anomaly was found" then says little. For the models that have a decision procedure (levels/) the question is
 * answered instead: is there an order of the transactions that explains every read?
 */
import type { History } from '../../../history/history.ts'
import type { CheckResult } from '../../result.ts'
import type { Budget } from '../../budget.ts'
import { canonicalModel, friendlyModel, modelBoundary } from '../lattice.ts'
import type { TransactionDetails } from '../verdict.ts'
import { serializable, snapshotIsolation, type LevelOptions } from '../levels/index.ts'

/** Transactions up to which the search is tried by default. */
export const SEARCH_LIMIT = 100_000

type Decide = (history: History, options: LevelOptions) => CheckResult

/** What to decide for a model. */
const DECISIONS: ReadonlyMap<string, readonly [Decide, LevelOptions]> = new Map([
  ['PL-3', [serializable, { sessions: false }]],
  ['strong-session-serializable', [serializable, { sessions: true }]],
  ['PL-SS', [serializable, { realTime: true, sessions: false }]],
  ['PL-SI', [snapshotIsolation, { sessions: false }]],
  ['strong-session-snapshot-isolation', [snapshotIsolation, { sessions: true }]],
  ['strong-snapshot-isolation', [snapshotIsolation, { realTime: true, sessions: false }]],
])

/** Completes a result that is not invalid, model by model; leaves it alone where no model can be decided. */
export function decideBySearch(
  history: History,
  models: readonly string[],
  inferred: CheckResult<TransactionDetails>,
  budget: Budget | undefined,
): CheckResult<TransactionDetails> {
  const decisions = models.flatMap((name) => {
    const model = canonicalModel(name)
    const decision = DECISIONS.get(model)
    return decision === undefined ? [] : [{ model, result: decision[0](history, { ...decision[1], budget }) }]
  })
  if (decisions.length === 0) return inferred
  const violated = decisions.filter(({ result }) => result.verdict === 'invalid')
  const undecided = decisions.filter(({ result }) => result.verdict === 'unknown')
  const methods = decisions.flatMap(({ result }) => (result.method === null ? [] : [result.method]))
  const method =
    methods.length === 0 ? inferred.method : `${inferred.method}; then search: ${methods.join('; ')}`
  if (violated.length > 0) {
    // Elle's name for a violation that is proven without one cycle that shows it.
    const types = violated.map(({ model }) => `${model}-cycle-exists`)
    const anomalies = violated.flatMap(({ result }, i) =>
      result.anomalies.map((each) => ({ ...each, type: types[i] })),
    )
    const { not, alsoNot } = modelBoundary(types)
    const details = { ...inferred.details, anomalyTypes: types, not, alsoNot, decidedBy: 'search' as const }
    return { ...inferred, verdict: 'invalid', reason: null, anomalies, method, details }
  }
  if (undecided.length > 0) {
    const [{ model, result }] = undecided
    const reason = `no anomaly could be inferred, and the search for an order that shows ${friendlyModel(model)} was not decided: ${result.reason}`
    return { ...inferred, verdict: 'unknown', reason, method }
  }
  if (decisions.length < models.length) return inferred
  return {
    ...inferred,
    verdict: 'valid',
    reason: null,
    method,
    details: { ...inferred.details, decidedBy: 'search' },
  }
}
