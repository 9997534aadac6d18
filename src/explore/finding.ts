/**
 * What an exploration found, as plain versioned data, and the error that carries it through a test runner. The text is a
 * pure function of the data: see finding-text.ts.
 */
import type { Choice } from '../kernel/choices.ts'
import type { CriticalPair } from './critical-pair.ts'
import type { RaceFailure } from './failure.ts'
import type { ScheduleStep } from './recording.ts'

export interface RaceFinding {
  readonly version: 1
  readonly title: string
  readonly failure: RaceFailure
  /** The run that found it, counted from 1, of how many were allowed. */
  readonly iteration: number
  readonly iterations: number
  readonly seed: number
  readonly strategy: string
  readonly shrunk: {
    readonly fromSteps: number
    readonly toSteps: number
    readonly runs: number
    readonly minimal: boolean
  }
  readonly preemptions: number
  /** The shrunk schedule, whole; the slice is the part that matters. */
  readonly schedule: readonly ScheduleStep[]
  /** The step in which the body began; what came before it is the loading of its file. */
  readonly bodyStep: number
  readonly slice: readonly number[]
  readonly criticalPair: CriticalPair | null
  /** With the seed, the whole run: every choice that is not the simplest. */
  readonly choices: readonly Choice[]
  /** The run's hash: a replay is the same run if its hash is the same. */
  readonly digest: string
}

export class RaceFound extends Error {
  override readonly name = 'RaceFound'
  readonly code = 'ERR_WAVETANK_RACE_FOUND'
  readonly finding: RaceFinding
  constructor(finding: RaceFinding, text: string) {
    super(text)
    this.finding = finding
  }
}
