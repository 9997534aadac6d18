/**
 * The causal slice of a run: the steps from which a given step can be reached, and nothing else. Causes are the step
 * that scheduled a step (a timer set, a message sent), the previous step of the same process, and further links (bytes
 * that had arrived before they were read). What is left out cannot have influenced the step.
 */
import type { Trace, TraceRow } from './trace.ts'

export interface Slice {
  /** In order; the last one is the step in question. */
  readonly rows: readonly TraceRow[]
  /** False when a cause was no longer in the trace's ring. */
  readonly complete: boolean
}

export function slice(trace: Trace, step: number): Slice {
  const kept = new Map<number, TraceRow>()
  let complete = true
  const open = [step]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === 0 || kept.has(next)) continue // 0: from outside, before the first step
    const row = trace.row(next)
    if (row === null) {
      complete = false
      continue
    }
    kept.set(next, row)
    open.push(row.cause, row.previous, ...row.links)
  }
  return { rows: [...kept.values()].sort((a, b) => a.step - b.step), complete }
}
