/**
 * A run recorded in full: its result, story, logs, faults and steps, as plain data that can be sent to another thread. It
 * is made when a failure is kept or looked at; campaigns keep only results.
 */
import type { FaultRecord } from '../faults/fault-record.ts'
import { max } from '../kernel/arithmetic.ts'
import { causesIn, slice } from '../kernel/slice.ts'
import type { Trace, TraceRow } from '../kernel/trace.ts'
import type { SeedExecutor, SeedJob, SeedReport } from '../sim/campaign/executor.ts'
import type { LogLine, Story } from '../sim/campaign/result.ts'
import { reportOf, type ThreadExecutor } from '../sim/campaign/thread-host.ts'
import type { RunRecord } from '../sim/running/run.ts'
import { storyOf } from './story.ts'

export interface RecordedRun {
  readonly report: SeedReport
  readonly story: Story
  readonly log: readonly LogLine[]
  readonly faults: readonly FaultRecord[]
  /** Every step; empty if the job does not say how many to keep. */
  readonly steps: readonly TraceRow[]
  /** The numbers of the steps in the causal slice of the failure. */
  readonly slice: readonly number[]
}

/** An executor that can also record a run in full. */
export interface RunRecorder extends SeedExecutor {
  record(job: SeedJob): Promise<RecordedRun>
}

/** Records runs in this thread. */
export function recorderIn(executor: ThreadExecutor): RunRecorder {
  return {
    threads: executor.threads,
    run: (job) => executor.run(job),
    runTwice: (job) => executor.runTwice(job),
    record: async (job) => recordedRun(await executor.record(job), job),
    close: () => executor.close(),
  }
}

export function recordedRun(record: RunRecord, { traceCapacity }: SeedJob): RecordedRun {
  const { failure, steps } = record.result
  const { trace } = record.kernel
  const stepsKept = traceCapacity !== undefined
  return {
    report: reportOf(record),
    story: storyOf(record.events, failure),
    log: record.log,
    faults: record.faults,
    steps: stepsKept ? allRows(trace) : [],
    slice: stepsKept ? slice([failure?.step ?? steps], causesIn(trace)).steps : [],
  }
}

function allRows(trace: Trace): TraceRow[] {
  const rows: TraceRow[] = []
  for (let step = max(1, trace.first); step < trace.length; step++) rows.push(trace.row(step)!)
  return rows
}
