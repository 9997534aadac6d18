/**
 * Results of simulations: plain, versioned, serialisable data. Reports are pure functions of it; worker threads send it
 * to each other; a CI job can keep it. Times are virtual microseconds unless the name says wall.
 */
import type { Verdict } from '../checkers/result.ts'
import type { AssertionSummary } from './assertion-table.ts'
import type { RunDifference } from './campaign/verification.ts'
import type { Failure, UniqueBug } from './failure.ts'
import type { StopReason } from './stop-rule.ts'

export const RESULT_VERSION = 1

export interface OperationCounts {
  readonly f: string
  readonly ok: number
  readonly fail: number
  readonly info: number
}

export interface InvariantCount {
  readonly name: string
  readonly checks: number
}

export interface CheckerCount {
  readonly name: string
  readonly verdict: Verdict
  readonly checks: number
  readonly reason: string | null
}

/** How often a fault family was injected, and how often its effect was seen on the victim's side. */
export interface FaultCount {
  readonly family: string
  readonly injected: number
  /** Episodes with at least one victim-side signal. */
  readonly landed: number
  /** Packets dropped, writes torn, callbacks delayed, … */
  readonly victims: number
}

/** What one seed gave. */
export interface SeedResult {
  readonly seed: number
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
  readonly operations: readonly OperationCounts[]
  readonly invariants: readonly InvariantCount[]
  readonly checkers: readonly CheckerCount[]
  readonly assertions: readonly AssertionSummary[]
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

/** Where the artefacts of a failing seed are, and the command that runs it again. */
export interface FailureArtefact {
  readonly seed: number
  readonly signature: string
  readonly file: string
  readonly replay: string
}

export type CampaignVerdict =
  /** Every promise held, and everything hoped for was seen. */
  | 'held'
  | 'violated'
  /** No violation, but something hoped for was never seen. */
  | 'coverage-gap'
  /** A run could not be judged. */
  | 'unknown'

export interface CampaignResult {
  readonly version: typeof RESULT_VERSION
  readonly kind: 'campaign'
  readonly name: string
  readonly file: string | null
  readonly level: string
  readonly verdict: CampaignVerdict
  /** Why a verdict is not `held`, one sentence each. */
  readonly reasons: readonly string[]
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
  readonly operations: readonly OperationCounts[]
  readonly invariants: readonly InvariantCount[]
  readonly checkers: readonly CheckerCount[]
  readonly assertions: readonly AssertionSummary[]
  readonly faults: readonly FaultCount[]
  readonly bugs: readonly UniqueBug[]
  /** One failing seed per bug. */
  readonly failures: readonly { readonly seed: number; readonly failure: Failure }[]
  readonly artefacts: readonly FailureArtefact[]
  /** Names of the program that ran, for the reader of an old report. */
  readonly runtime: { readonly node: string; readonly wavetank: string }
}
