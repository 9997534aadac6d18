/**
 * Whether one session's reads fit one order of the writes. From an order that must hold anyway (session order for
 * PRAM, causality for causal memory) more follows: a write that the session knows of before a read, but that the read did
 * not see, stands before the write that it saw. This is repeated until nothing new follows; a circle, or a known
 * write before a read of the initial value, is a contradiction. Reads of one session are in one line, and then
 * this is all there is (Bouajjani et al., POPL 2017).
 */
import type { Budget } from '../budget.ts'
import type { Anomaly } from '../result.ts'
import { type Precedence, WritesByKey } from './precedence.ts'
import { idOf, INITIAL, nameOf, type RegisterGraph } from './register-graph.ts'

export function sessionView(
  graph: RegisterGraph,
  session: number,
  order: Precedence,
  budget: Budget,
): Anomaly | null {
  const reads: number[] = []
  for (let node = 0; node < graph.count; node++) {
    if (graph.isWrite[node] === 0 && graph.session[node] === session) reads.push(node)
  }
  if (reads.length === 0) return null
  const writes = new WritesByKey(graph)
  const drawn = new Set<number>()
  for (let news = true; news;) {
    news = false
    if (!order.settle()) return circle(graph, session, reads, order.cycle!)
    for (const read of reads) {
      budget.ask()
      const source = graph.source[read]
      for (const known of writes.latestBefore(read, order)) {
        if (source === INITIAL) return overwritten(graph, read, known)
        if (known === source || drawn.has(known * graph.count + source)) continue
        drawn.add(known * graph.count + source)
        if (order.before(known, source)) continue
        order.add(known, source)
        news = true
      }
    }
  }
  return null
}

function circle(
  graph: RegisterGraph,
  session: number,
  reads: readonly number[],
  cycle: readonly number[],
): Anomaly {
  const process = graph.history.processes[graph.history.process[graph.position[reads[0]]]]
  return {
    type: 'no-session-order',
    message: `what process ${String(process ?? session)} read fits no order of the writes: ${cycle.map((node) => nameOf(graph, node)).join(' before ')} before the first again`,
    operations: cycle.map((node) => idOf(graph, node)),
    details: { cycle: cycle.map((node) => idOf(graph, node)) },
  }
}

function overwritten(graph: RegisterGraph, read: number, known: number): Anomaly {
  return {
    type: 'stale-read',
    message: `${nameOf(graph, read)} saw the initial value, although ${nameOf(graph, known)} came before it`,
    operations: [idOf(graph, known), idOf(graph, read)],
  }
}
