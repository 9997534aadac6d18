/**
 * Results of simulations: plain, versioned, serialisable data. Reports are pure functions of it; worker threads send it
 * to each other; a CI job can keep it. Times are virtual microseconds unless the name says wall.
 */
import type { Verdict } from '../../checkers/result.ts'
import type { FaultBudget } from '../../faults/budget.ts'
import type { LevelName } from '../../faults/levels.ts'
import type { DiskModel } from '../../world/disk/disk.ts'
import type { AssertionSummary } from '../authoring/assertion-table.ts'
import type { GapKind } from '../authoring/gap-kinds.ts'
import type { SituationNeeds } from '../authoring/situations.ts'
import type { SituationCount } from './situations.ts'
import type { RunDifference } from './verification.ts'
import type { Failure, UniqueBug } from '../running/failure.ts'
import type { StopReason } from './stop-rule.ts'

export const RESULT_VERSION = 1

export interface OperationCounts {
  readonly f: string
  readonly ok: number
  readonly fail: number
  readonly info: number
}

/** How often operations of a kind did not succeed for one reason. */
export interface OutcomeCount {
  readonly f: string
  readonly type: 'fail' | 'info'
  /** The first of the messages that have its shape. */
  readonly reason: string
  readonly times: number
}

/** How often processes crashed in one way. */
export interface CrashCount {
  /** The first of the messages that have its shape. */
  readonly message: string
  readonly times: number
  /** Those for which no fault can be the reason: see `running/exits.ts`. */
  readonly unprovoked: number
}

/** How processes ended. */
export interface ExitCounts {
  /** By a fault. */
  readonly ordered: number
  /** By themselves, with code 0. */
  readonly finished: number
  /** By themselves, with another code or a signal. */
  readonly crashed: number
  /** Boots of a process that had run before. */
  readonly restarts: number
  readonly crashes: readonly CrashCount[]
}

/** Something that the runs of a campaign do not show. */
export interface Gap {
  readonly kind: GapKind
  /** One sentence. */
  readonly message: string
}

export interface InvariantCount {
  readonly name: string
  /** Steps after which it was asked. */
  readonly checks: number
  /** What it read in events, if it counts that: ready invariants do. */
  readonly facts?: number
}

export interface CheckerCount {
  readonly name: string
  readonly verdict: Verdict
  readonly checks: number
  readonly reason: string | null
  /** Operations that it looked at, and those of the history that it did not. */
  readonly operations: number
  readonly ignored: number
}

/** How often a fault family was injected, and how often its effect was seen on the victim's side. */
export interface FaultCount {
  readonly family: string
  readonly injected: number
  /** Episodes with at least one victim-side signal. */
  readonly landed: number
  /** Packets dropped, writes torn, callbacks delayed, … */
  readonly victims: number
  /** Landed episodes by kind, for a family that has several. */
  readonly kinds?: Readonly<Record<string, number>>
}

/** What was allowed to fail at once. */
export interface BudgetReport extends Required<FaultBudget> {
  /** What the level would do and the budget forbids for good: families, or `family/kind`. */
  readonly forbids: readonly string[]
}

/** What one seed gave. */
export interface SeedResult {
  readonly seed: number
  readonly disk?: DiskModel
  readonly failure: Failure | null
  /** Further failures of the same run, seen before it was stopped. */
  readonly others: readonly Failure[]
  readonly steps: number
  readonly timeUs: number
  /** The running hash at the end: two runs of this seed must agree. */
  readonly digest: string
  readonly choices: number
  readonly processes: number
  readonly boots: number
  readonly exits: ExitCounts
  readonly operations: readonly OperationCounts[]
  /** Why operations did not succeed: the commonest reasons first. */
  readonly outcomes: readonly OutcomeCount[]
  /** Whether there is anything that could find the run wrong: an invariant, a `check` or an assertion. */
  readonly isJudged: boolean
  /** Gaps that the simulation says are meant. */
  readonly allowGaps: readonly GapKind[]
  readonly invariants: readonly InvariantCount[]
  readonly checkers: readonly CheckerCount[]
  readonly assertions: readonly AssertionSummary[]
  /** What the simulation says about situations, by their names. */
  readonly situations: Readonly<Record<string, SituationNeeds>>
  /** Taps and files that it watches and of which nothing came, a phrase each. */
  readonly silent?: readonly string[]
  /** Fault families that the simulation itself asked for at this level. */
  readonly asked: readonly string[]
  readonly budget: BudgetReport
  readonly faults: readonly FaultCount[]
}

/** A line of a process's output. */
export interface LogLine {
  readonly timeUs: number
  readonly step: number
  readonly process: string
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

export type StoryKind = 'operation' | 'fault' | 'loss' | 'heal' | 'process' | 'event' | 'violation'

export interface StoryStep {
  readonly timeUs: number
  readonly who: string
  readonly text: string
  readonly kind: StoryKind
  /** The step at which the promise was seen broken. */
  readonly violation: boolean
  /** How often it came, alone or in a round of several, and when last; absent if it came once. */
  readonly repeats?: { readonly times: number; readonly untilUs: number }
}

/** The few steps of a failing run that a person needs to see: see `failures/story.ts`. */
export interface Story {
  readonly steps: readonly StoryStep[]
  /** Steps left out of the middle of a long story. */
  readonly omitted: number
  /** Number of steps at the beginning, before the omitted ones. */
  readonly head: number
}

/** What shrinking a failure did. */
export interface ShrinkSummary {
  /** Choices that were not the simplest, before and after. */
  readonly before: number
  readonly after: number
  /** Fault episodes that are left; absent for a race, which has none. */
  readonly faults?: number
  /** What the choices that are left decide, in words; absent for a race, which shows its schedule. */
  readonly left?: readonly string[]
  readonly runs: number
  /** False if the budget ended before nothing more could be left out. */
  readonly minimal: boolean
}

/** The kept failure of one unique bug. */
export interface FailureArtefact {
  readonly seed: number
  readonly signature: string
  /** Its trace file; null if it could not be written. */
  readonly file: string | null
  /** The command that runs it again. */
  readonly replay: string
  readonly shrunk: ShrinkSummary | null
  readonly story: Story
  /** With disks of the strict model: the same run does not fail if they journal, as ext4 does. */
  readonly strictDiskOnly?: true
}

export type CampaignVerdict =
  /** Every promise held, and everything hoped for was seen. */
  | 'held'
  | 'violated'
  /** No violation, but the runs show too little: see `gaps.ts`. */
  | 'coverage-gap'
  /** A run could not be judged. */
  | 'unknown'

export interface CampaignResult {
  readonly version: typeof RESULT_VERSION
  readonly kind: 'campaign'
  readonly name: string
  readonly file: string | null
  readonly level: LevelName
  /** What a power loss could take. */
  readonly disk?: DiskModel
  readonly verdict: CampaignVerdict
  /** Why a verdict is not `held`, one sentence each. */
  readonly reasons: readonly string[]
  /** What the runs do not show, besides hopes such as `sometimes`, which are in `assertions`. */
  readonly gaps: readonly Gap[]
  readonly stop: StopReason
  readonly seeds: { readonly first: number; readonly count: number; readonly failing: readonly number[] }
  readonly verified: {
    readonly seeds: number
    readonly differing: readonly number[]
    /** Of the first of them: where and how their runs part. */
    readonly differences: readonly RunDifference[]
  }
  readonly wallMs: number
  readonly simulatedUs: number
  readonly steps: number
  readonly boots: number
  readonly exits: ExitCounts
  readonly operations: readonly OperationCounts[]
  /** Why operations did not succeed: the commonest reasons first. */
  readonly outcomes: readonly OutcomeCount[]
  readonly invariants: readonly InvariantCount[]
  readonly checkers: readonly CheckerCount[]
  /** Without situations. */
  readonly assertions: readonly AssertionSummary[]
  readonly situations: readonly SituationCount[]
  readonly budget: BudgetReport
  readonly faults: readonly FaultCount[]
  readonly bugs: readonly UniqueBug[]
  /** One failing seed per bug. */
  readonly failures: readonly { readonly seed: number; readonly failure: Failure }[]
  readonly artefacts: readonly FailureArtefact[]
  /** Real time that shrinking took, after `wallMs`. */
  readonly shrinkMs: number
  /** What could not be done around the campaign, such as a file that could not be written. */
  readonly notes: readonly string[]
  /** Names of the program that ran, for the reader of an old report. */
  readonly runtime: { readonly node: string; readonly wavetank: string }
}
