/**
 * Causal consistency of reads and writes, in its three strengths, by the bad patterns of Bouajjani, Enea, Guerraoui and
 * Hamza (POPL 2017). Causality is the session order together with reads-from, transitively.
 *
 * - `causal`: no read sees a value that was, for its causal past, already overwritten;
 * - `causal-convergent`: besides, all agree on one order of the writes of a key (last writer wins);
 * - `causal-memory`: besides `causal`, each session's reads fit one order of all that it knows.
 *
 * Polynomial: vector clocks, O(n s) for n operations in s sessions (per session and round for `causal-memory`).
 */
import type { History } from '../../history/history.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { checkOptions, LIMIT_OPTIONS, oneOf, type OptionSchema } from '../options.ts'
import type { Anomaly, CheckResult } from '../result.ts'
import { answer, contradictions, tooWeak, type ConsistencyDetails } from './findings.ts'
import { clockBytes, MAX_CLOCK_ENTRIES, Precedence, WritesByKey } from './precedence.ts'
import {
  idOf,
  INITIAL,
  nameOf,
  readingSessions,
  REGISTER_GRAPH_OPTIONS,
  registerGraph,
  type RegisterGraph,
  type RegisterGraphOptions,
} from './register-graph.ts'
import { sessionView } from './session-view.ts'

export type CausalModel = 'causal' | 'causal-convergent' | 'causal-memory'

export interface CausalOptions extends RegisterGraphOptions, BudgetOptions {
  readonly model?: CausalModel
}

export const CAUSAL_OPTIONS: OptionSchema<CausalOptions> = {
  ...REGISTER_GRAPH_OPTIONS,
  model: oneOf(['causal', 'causal-convergent', 'causal-memory'])(
    '`causal` by default; `causal-convergent` or `causal-memory` are stronger',
  ),
  ...LIMIT_OPTIONS,
}

export function causal(history: History, options: CausalOptions = {}): CheckResult<ConsistencyDetails> {
  checkOptions('causal', CAUSAL_OPTIONS, options)
  const { model = 'causal' } = options
  const graph = registerGraph(history, options)
  if (typeof graph === 'string') return tooWeak(model, history, graph)
  if (graph.count * graph.sessions > MAX_CLOCK_ENTRIES)
    return tooWeak(model, history, 'there are too many sessions')
  const budget = Budget.of(options)
  const found = budget.within(clockBytes(graph), () => badPatterns(graph, model, budget))
  const anomalies = [...graph.thinAir, ...(found ?? [])]
  return answer(
    model,
    history,
    graph,
    anomalies,
    'bad patterns of causal consistency on vector clocks, O(n s)',
    budget.reason,
  )
}

function badPatterns(graph: RegisterGraph, model: CausalModel, budget: Budget): Anomaly[] {
  const order = causality(graph, budget)
  if (!order.settle()) return [cyclic(graph, order.cycle!)]
  const writes = new WritesByKey(graph)
  const found = contradictions(graph, order, writes, budget)
  if (found.length > 0 || graph.thinAir.length > 0) return found
  if (model === 'causal-convergent') return disagreements(graph, order, writes, budget)
  return model === 'causal-memory' ? memories(graph, budget) : []
}

/** Session order and reads-from. */
function causality(graph: RegisterGraph, budget: Budget): Precedence {
  const order = new Precedence(graph, budget)
  for (let node = 0; node < graph.count; node++) {
    if (graph.isWrite[node] === 0 && graph.source[node] !== INITIAL) order.add(graph.source[node], node)
  }
  return order
}

function cyclic(graph: RegisterGraph, cycle: readonly number[]): Anomaly {
  return {
    type: 'cyclic-causality',
    message: `causality goes round in a circle: ${cycle.map((node) => nameOf(graph, node)).join(', then ')}, and then the first again`,
    operations: cycle.map((node) => idOf(graph, node)),
    details: { cycle: cycle.map((node) => idOf(graph, node)) },
  }
}

/** A write that a reader knows of, but did not see, must stand before the one it saw: that order may be circular. */
function disagreements(
  graph: RegisterGraph,
  order: Precedence,
  writes: WritesByKey,
  budget: Budget,
): Anomaly[] {
  const agreed = causality(graph, budget)
  for (let node = 0; node < graph.count; node++) {
    budget.ask()
    if (graph.isWrite[node] === 1 || graph.source[node] === INITIAL) continue
    for (const known of writes.latestBefore(node, order)) {
      if (known !== graph.source[node]) agreed.add(known, graph.source[node])
    }
  }
  if (agreed.settle()) return []
  const cycle = agreed.cycle!
  return [
    {
      type: 'no-agreed-order',
      message: `no single order of the writes explains all reads: ${cycle.map((node) => nameOf(graph, node)).join(' before ')} before the first again`,
      operations: cycle.map((node) => idOf(graph, node)),
      details: { cycle: cycle.map((node) => idOf(graph, node)) },
    },
  ]
}

function memories(graph: RegisterGraph, budget: Budget): Anomaly[] {
  for (const session of readingSessions(graph)) {
    const anomaly = sessionView(graph, session, causality(graph, budget), budget)
    if (anomaly !== null) return [anomaly]
  }
  return []
}
