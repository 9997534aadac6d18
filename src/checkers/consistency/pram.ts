/**
 * PRAM consistency (Lipton and Sandberg, 1988; also called FIFO): each session sees the writes of every other session
 * in the order in which that session made them; sessions need not agree on anything else. It is the conjunction of
 * monotonic reads, monotonic writes and read your writes.
 */
import type { History } from '../../history/history.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { checkOptions, LIMIT_OPTIONS, type OptionSchema } from '../options.ts'
import type { Anomaly, CheckResult } from '../result.ts'
import { answer, tooWeak, type ConsistencyDetails } from './findings.ts'
import { clockBytes, MAX_CLOCK_ENTRIES, Precedence } from './precedence.ts'
import {
  INITIAL,
  readingSessions,
  REGISTER_GRAPH_OPTIONS,
  registerGraph,
  type RegisterGraph,
  type RegisterGraphOptions,
} from './register-graph.ts'
import { sessionView } from './session-view.ts'

export interface PramOptions extends RegisterGraphOptions, BudgetOptions {}

export const PRAM_OPTIONS: OptionSchema<PramOptions> = { ...REGISTER_GRAPH_OPTIONS, ...LIMIT_OPTIONS }

export function pram(history: History, options: PramOptions = {}): CheckResult<ConsistencyDetails> {
  checkOptions('pram', PRAM_OPTIONS, options)
  const graph = registerGraph(history, options)
  if (typeof graph === 'string') return tooWeak('pram', history, graph)
  if (graph.count * graph.sessions > MAX_CLOCK_ENTRIES)
    return tooWeak('pram', history, 'there are too many sessions')
  const budget = Budget.of(options)
  const anomalies = [...graph.thinAir]
  budget.within(clockBytes(graph), () => sessionAnomalies(graph, budget, anomalies))
  const method = 'saturated session orders on vector clocks'
  return answer('pram', history, graph, anomalies, method, budget.reason)
}

function sessionAnomalies(graph: RegisterGraph, budget: Budget, anomalies: Anomaly[]): void {
  for (const session of readingSessions(graph)) {
    const order = new Precedence(graph, budget)
    for (let node = 0; node < graph.count; node++) {
      const reads = graph.isWrite[node] === 0 && graph.session[node] === session
      if (reads && graph.source[node] !== INITIAL) order.add(graph.source[node], node)
    }
    const anomaly = sessionView(graph, session, order, budget)
    if (anomaly !== null) anomalies.push(anomaly)
  }
}
