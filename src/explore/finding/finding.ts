/** What an exploration found, as plain versioned data. Its text is a pure function of it: see report/finding-text.ts. */
import type { Choice } from '../../kernel/choices.ts'
import type { CriticalPair } from './critical-pair.ts'
import type { RaceFailure } from './failure.ts'
import type { ScheduleStep } from '../running/recording.ts'

export interface RaceFinding {
  readonly version: 1
  readonly title: string
  readonly failure: RaceFailure
  /** The number of the run that found it, from 1. */
  readonly iteration: number
  /** How many runs the exploration could make. */
  readonly iterations: number
  readonly seed: number
  readonly strategy: string
  readonly shrunk: {
    /** Choices that were not the simplest, before and after. */
    readonly before: number
    readonly after: number
    readonly runs: number
    readonly minimal: boolean
  }
  readonly preemptions: number
  /** All steps of the shrunk schedule; the slice has the numbers of those that matter. */
  readonly schedule: readonly ScheduleStep[]
  /** The step in which the body began; the steps before it load the file. */
  readonly bodyStep: number
  readonly slice: readonly number[]
  readonly criticalPair: CriticalPair | null
  /** If there is no such pair: how many of some random schedules fail in the same way. */
  readonly otherSchedules?: { readonly runs: number; readonly failing: number } | null
  /**
   * Only if the failure depends on random values that the program draws (`Math.random`, UUIDs): how many runs of the same
   * schedule with other values fail in the same way.
   */
  readonly otherEntropy?: { readonly runs: number; readonly failing: number }
  /** The time budget ended shrinking or the search for the pair. */
  readonly cutShort?: boolean
  /** Every choice that is not the simplest. Seed and choices together determine the run. */
  readonly choices: readonly Choice[]
  /** The run's hash: a replay is the same run if its hash is the same. */
  readonly digest: string
  /** The hash after every step, in the letters of a trace file: a replay finds the first step that differs. */
  readonly hashes: string
}
