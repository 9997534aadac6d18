/**
 * The causal slice of a failing run: the steps from which the failing step can be reached, backwards over what scheduled
 * it, what its process did before, and any further causes the world noted (a callback queued behind others is caused by
 * its arrival, too). Everything else happened beside it.
 */
import type { Trace, TraceRow } from '../kernel/trace.ts'

export function causalSlice(trace: Trace, failingStep: number): TraceRow[] {
  const wanted = new Set<number>()
  const pending = [failingStep]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    if (step <= 0 || wanted.has(step)) continue
    const row = trace.row(step)
    if (row === null) continue
    wanted.add(step)
    pending.push(row.cause, row.previous, ...row.links)
  }
  return [...wanted].sort((a, b) => a - b).map((step) => trace.row(step)!)
}

export function allRows(trace: Trace): TraceRow[] {
  const rows: TraceRow[] = []
  for (let step = Math.max(1, trace.first); step < trace.length; step++) rows.push(trace.row(step)!)
  return rows
}
