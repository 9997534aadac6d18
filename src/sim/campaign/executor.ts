/**
 * What runs seeds: this thread, or a pool of worker threads. A job names everything a run depends on, so that every
 * thread gives the same answer; `--verify` checks that it does.
 */
import type { LevelName } from '../../faults/levels.ts'
import type { Choice } from '../../kernel/choices.ts'
import type { DiskModel } from '../../world/disk/disk.ts'
import type { SeedResult } from './result.ts'
import type { StepAccount } from '../running/step-account.ts'

/** Which simulation: the file that declares it and its name there. */
export interface SimulationReference {
  readonly file: string
  readonly name: string
}

export interface SeedJob {
  readonly simulation: SimulationReference
  readonly level: LevelName
  readonly seed: number
  /** `zero`: what is not overridden is 0. */
  readonly base?: 'seed' | 'zero'
  readonly overrides?: readonly Choice[]
  readonly misfit?: 'diverge' | 'bend'
  /** What a power loss may take, in place of what the simulation says: for a comparison of the two. */
  readonly disk?: DiskModel
  /** Keep the hash after every step, for comparison. */
  readonly keepHashes?: boolean
  /** Keep all non-zero choices, for shrinking. */
  readonly keepChoices?: boolean
  /** How many steps the trace keeps. */
  readonly traceCapacity?: number
  /** Stop after this step and say whose turn is next: for a watchdog. */
  readonly untilStep?: number
  /** Stop after this step and say what it was made of, with stacks: for runs that differ. */
  readonly accountFor?: number
}

export interface SeedReport {
  readonly result: SeedResult
  /** The hash after every step, if the job asked for it. */
  readonly hashes: Uint32Array | null
  readonly choices: readonly (Choice & { readonly step: number })[]
  /** Content hashes of the program's files that the run read, by path. */
  readonly program: Readonly<Record<string, string>>
  /** Whose event is next, if the run was stopped before its end. */
  readonly nextActor: string | null
  /** The account of the step that the job asked for, if the run got that far. */
  readonly account: StepAccount | null
}

export interface SeedExecutor {
  /** How many jobs can run at once. */
  readonly threads: number
  run(job: SeedJob): Promise<SeedReport>
  /** Runs a job twice, in two threads if there are two. */
  runTwice(job: SeedJob): Promise<readonly [SeedReport, SeedReport]>
  close(): Promise<void>
}

/** Real time, for reports and stop rules; handed in, so that nothing here reads a clock of its own. */
export interface HostClock {
  /** Milliseconds, from any origin. */
  nowMs(): number
  /** Processor time of all threads together, in milliseconds. */
  processorMs(): number
  /** Calls back again and again; returns how to stop it. */
  every(ms: number, callback: () => void): () => void
}
