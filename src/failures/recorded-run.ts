/**
 * A run recorded in full: its result, story, logs, faults and steps, as plain data that can be sent to another thread. It
 * is made when a failure is kept or looked at; campaigns keep only results.
 */
import type { FaultRecord } from '../faults/fault-record.ts'
import { max } from '../kernel/arithmetic.ts'
import type { Trace } from '../kernel/trace.ts'
import type { SeedExecutor, SeedJob, SeedReport } from '../sim/campaign/executor.ts'
import type { LogLine, Story } from '../sim/campaign/result.ts'
import { reportOf, type ThreadExecutor } from '../sim/campaign/thread-host.ts'
import type { RunRecord } from '../sim/running/run.ts'
import type { RecordedStep, StepRecorder } from '../sim/running/step-recorder.ts'
import { runSlice } from './run-slice.ts'
import { storyOf, wordsByStep } from './story.ts'

export interface RecordedRun {
  readonly report: SeedReport
  readonly story: Story
  readonly log: readonly LogLine[]
  readonly faults: readonly FaultRecord[]
  /** Every step; empty if the job does not say how many to keep. */
  readonly steps: readonly RecordedStep[]
  /** The numbers of the steps in the causal slice of the failure: see run-slice.ts. */
  readonly slice: readonly number[]
  /** What was published in these steps, in the words of a story. */
  readonly words: readonly (readonly [step: number, words: string])[]
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
    record: async (job) => recordedRun(await executor.record(job)),
    close: () => executor.close(),
  }
}

export function recordedRun(record: RunRecord): RecordedRun {
  const { failure } = record.result
  const { recording, events } = record
  const steps = recording === null ? [] : stepsOf(record.kernel.trace, recording)
  return {
    report: reportOf(record),
    story: storyOf(events, failure),
    log: record.log,
    faults: record.faults,
    steps,
    slice: failure === null ? steps.map(({ step }) => step) : runSlice(steps, events, failure),
    words: recording === null ? [] : wordsByStep(events),
  }
}

function stepsOf(trace: Trace, recording: StepRecorder): RecordedStep[] {
  const steps: RecordedStep[] = []
  for (let step = max(1, trace.first); step < trace.length; step++)
    steps.push(recording.stepOf(trace.row(step)!))
  return steps
}
