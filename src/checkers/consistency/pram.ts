/**
 * PRAM consistency (Lipton and Sandberg, 1988; also called FIFO): each session sees the writes of every other session
 * in the order in which that session made them; sessions need not agree on anything else. It is the conjunction of
 * monotonic reads, monotonic writes and read your writes.
 */
import type { History } from '../../history/history.ts'
import { checkOptions, type OptionSchema } from '../options.ts'
import type { CheckResult } from '../result.ts'
import { answer, tooWeak, type ConsistencyDetails } from './findings.ts'
import { MAX_CLOCK_ENTRIES, Precedence } from './precedence.ts'
import {
  INITIAL,
  readingSessions,
  REGISTER_GRAPH_OPTIONS,
  registerGraph,
  type RegisterGraphOptions,
} from './register-graph.ts'
import { sessionView } from './session-view.ts'

export const PRAM_OPTIONS: OptionSchema<RegisterGraphOptions> = REGISTER_GRAPH_OPTIONS

export function pram(history: History, options: RegisterGraphOptions = {}): CheckResult<ConsistencyDetails> {
  checkOptions('pram', PRAM_OPTIONS, options)
  const graph = registerGraph(history, options)
  if (typeof graph === 'string') return tooWeak('pram', history, graph)
  if (graph.count * graph.sessions > MAX_CLOCK_ENTRIES)
    return tooWeak('pram', history, 'there are too many sessions')
  const anomalies = [...graph.thinAir]
  for (const session of readingSessions(graph)) {
    const order = new Precedence(graph)
    for (let node = 0; node < graph.count; node++) {
      const reads = graph.isWrite[node] === 0 && graph.session[node] === session
      if (reads && graph.source[node] !== INITIAL) order.add(graph.source[node], node)
    }
    const anomaly = sessionView(graph, session, order)
    if (anomaly !== null) anomalies.push(anomaly)
  }
  return answer('pram', history, graph, anomalies, 'saturated session orders on vector clocks')
}
