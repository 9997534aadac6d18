/**
 * A recorded failure: something that broke once and can be made to break again. A failure of a simulation and a failure of
 * a race are one kind of thing to everything above: they are replayed, shrunk and shown through this interface, and the
 * results are plain data that `report` turns into text.
 */
import type { RaceFailure } from '../explore/finding/failure.ts'
import type { ScheduleStep } from '../explore/running/recording.ts'
import { firstDifference } from '../kernel/hash-log.ts'
import type { LogLine, Story } from '../sim/campaign/result.ts'
import type { Failure } from '../sim/running/failure.ts'
import type { RecordedRun } from './recorded-run.ts'
import type { ShrinkLimits } from './shrink-simulation.ts'
import type { RaceTrace, SimulationTrace, TraceFile } from './trace-file.ts'

export type { ShrinkLimits } from './shrink-simulation.ts'

export interface RecordedFailure {
  readonly trace: TraceFile
  /** Runs it again, to its end or up to a step. */
  replay(options?: ReplayOptions): Promise<Replay>
  /** Leaves out whatever the failure does not need. */
  shrink(limits: ShrinkLimits): Promise<ShrunkFailure>
  /** Its steps, and those that causally reach the failure. */
  steps(): Promise<FailureSteps>
  /** Ends the threads that it was run in. */
  close(): Promise<void>
}

export interface ReplayOptions {
  /** Stop after this step. */
  readonly until?: number
  /** Called before every step of a race: for a debugger. */
  readonly beforeStep?: (step: number) => void
}

export type ReplayOutcome =
  | 'as-recorded'
  /** It fails in another way. */
  | 'otherwise'
  /** It asked for other choices than the recorded run. */
  | 'diverged'
  | 'holds'
  /** It was stopped at the step that was asked for, before it failed. */
  | 'stopped'

interface ReplayFacts {
  readonly outcome: ReplayOutcome
  /** The first step after which the run differs from the recorded one; null if it is the same run. */
  readonly differsFrom: number | null
  /** Files whose content is no longer what it was. */
  readonly changed: readonly string[]
  /** The step at which it was stopped; null if it ran to its end. */
  readonly until: number | null
}

export interface SimulationReplay extends ReplayFacts {
  readonly kind: 'simulation'
  readonly trace: SimulationTrace
  readonly failure: Failure | null
  readonly story: Story
  readonly log: readonly LogLine[]
  /** Whose event is next, if it was stopped. */
  readonly nextActor: string | null
}

export interface RaceReplay extends ReplayFacts {
  readonly kind: 'race'
  readonly trace: RaceTrace
  readonly failure: RaceFailure | null
  /** Where and why it diverged. */
  readonly divergence: { readonly step: number; readonly message: string } | null
  /** Its steps, if it was stopped. */
  readonly schedule: readonly ScheduleStep[]
  /** What the program printed. */
  readonly output: string
}

export type Replay = SimulationReplay | RaceReplay

/** The shrunk failure as a trace, and for a simulation the story of it. */
export type ShrunkFailure =
  | { readonly kind: 'simulation'; readonly trace: SimulationTrace; readonly story: Story }
  | { readonly kind: 'race'; readonly trace: RaceTrace }

export type FailureSteps =
  | { readonly kind: 'simulation'; readonly run: RecordedRun }
  | { readonly kind: 'race'; readonly trace: RaceTrace }

/** Names of files whose hash differs between two programs. */
export function changedFiles(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...names].filter((name) => before[name] !== now[name]).sort()
}

/** Where a run differs from the recorded one. A trace without hashes says only whether it does: from the first step. */
export function differenceFrom(
  { digest, hashes }: TraceFile,
  run: { readonly digest: string; readonly hashes: Uint32Array | null },
): number | null {
  if (run.digest === digest) return null
  return firstDifference(hashes, run.hashes ?? new Uint32Array(0)) ?? 1
}
