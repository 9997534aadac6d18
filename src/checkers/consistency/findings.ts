/** What the checkers of weaker models share: their results, and the contradictions of a read with what it knew. */
import type { History } from '../../history/history.ts'
import type { Budget } from '../budget.ts'
import { conclude, type Anomaly, type CheckResult } from '../result.ts'
import type { Precedence, WritesByKey } from './precedence.ts'
import { idOf, INITIAL, nameOf, type RegisterGraph } from './register-graph.ts'

/** Anomalies kept; one is proof enough, and the rest is counted. */
const KEPT = 100

export interface ConsistencyDetails {
  /** Anomalies found; `CheckResult.anomalies` keeps the first 100. */
  readonly anomalies: number
  readonly sessions: number
}

export function answer(
  checker: string,
  history: History,
  graph: RegisterGraph,
  anomalies: readonly Anomaly[],
  method: string,
  doubt: string | null,
): CheckResult<ConsistencyDetails> {
  return conclude({
    checker,
    scope: scopeOf(history, graph.count),
    checks: graph.count,
    anomalies: anomalies.slice(0, KEPT),
    doubt,
    method,
    details: { anomalies: anomalies.length, sessions: graph.sessions },
  })
}

export function tooWeak<Details extends object>(
  checker: string,
  history: History,
  why: string,
): CheckResult<Details> {
  const doubt = `the history is too weak for ${checker}: ${why}`
  return conclude<Details>({ checker, scope: scopeOf(history, 0), checks: 0, anomalies: [], doubt })
}

function scopeOf(history: History, operations: number): CheckResult['scope'] {
  const functions = history.functions.filter((_, f) => history.f.includes(f))
  return { operations, ignored: history.length - operations, functions }
}

/** Reads of a value that a write known to the reader had overwritten. */
export function contradictions(
  graph: RegisterGraph,
  order: Precedence,
  writes: WritesByKey,
  budget: Budget,
): Anomaly[] {
  const found: Anomaly[] = []
  for (let node = 0; node < graph.count; node++) {
    budget.ask()
    if (graph.isWrite[node] === 1) continue
    const source = graph.source[node]
    for (const known of writes.latestBefore(node, order)) {
      if (known === source || (source !== INITIAL && !order.before(source, known))) continue
      found.push({
        type: 'stale-read',
        message: `${nameOf(graph, node)} saw ${source === INITIAL ? 'the initial value' : `the value of ${nameOf(graph, source)}`}, although it comes after ${nameOf(graph, known)}, which overwrote it`,
        operations: [
          ...(source === INITIAL ? [] : [idOf(graph, source)]),
          idOf(graph, known),
          idOf(graph, node),
        ],
      })
      break
    }
  }
  return found
}
