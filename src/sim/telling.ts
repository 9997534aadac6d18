/**
 * A run told in full: its result, story, logs, faults and steps, as plain data that another thread can be given. Made on
 * replay, when somebody wants to look; campaigns keep only results.
 */
import type { FaultRecord } from '../faults/fault-record.ts'
import { max } from '../kernel/arithmetic.ts'
import { slice } from '../kernel/slice.ts'
import type { Trace, TraceRow } from '../kernel/trace.ts'
import type { SeedReport } from './campaign/executor.ts'
import type { LogLine } from './result.ts'
import type { RunRecord } from './run.ts'
import { tellStory, type Story } from './story.ts'
import { reportOf } from './thread-host.ts'

export interface Telling {
  readonly report: Omit<SeedReport, 'lane'>
  readonly story: Story
  readonly log: readonly LogLine[]
  readonly faults: readonly FaultRecord[]
  /** Every step, and the numbers of those in the causal slice of the failure. */
  readonly steps: readonly TraceRow[]
  readonly slice: readonly number[]
}

export function tell(record: RunRecord): Telling {
  const { failure, steps } = record.result
  const { trace } = record.kernel
  return {
    report: reportOf(record),
    story: tellStory(record.events, failure),
    log: record.log,
    faults: record.faults,
    steps: allRows(trace),
    slice: slice(trace, failure?.step ?? steps).rows.map((row) => row.step),
  }
}

function allRows(trace: Trace): TraceRow[] {
  const rows: TraceRow[] = []
  for (let step = max(1, trace.first); step < trace.length; step++) rows.push(trace.row(step)!)
  return rows
}
