/**
 * What an exploration found, as plain versioned data, and the error that carries it through a test runner. The text is a
 * pure function of the data: see finding-text.ts.
 */
import { resolve } from 'node:path'
import type { Choice } from '../kernel/choices.ts'
import type { CriticalPair } from './critical-pair.ts'
import type { RaceFailure } from './failure.ts'
import { programFrames, type StackFrame } from './own-code.ts'
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
  /** Where there is no such pair: how many of some random schedules fail alike. */
  readonly otherSchedules?: { readonly runs: number; readonly failing: number } | null
  /** With the seed, the whole run: every choice that is not the simplest. */
  readonly choices: readonly Choice[]
  /** The run's hash: a replay is the same run if its hash is the same. */
  readonly digest: string
}

/** Where a race stands in the project, for the stack of what it found. */
export interface RacePlace {
  /** The folder that the finding's positions are relative to; empty where they are absolute. */
  readonly root: string
  /** `file:line:column` of its declaration. */
  readonly declaredAt: string
}

/**
 * What was found, thrown. Its stack is that of the program's own failure, so that test runners point at the line that
 * failed and not into this package; where the failure has no line, such as a step limit, at the race.
 */
export class RaceFound extends Error {
  override readonly name = 'RaceFound'
  readonly code = 'ERR_WAVETANK_RACE_FOUND'
  /** Not enumerable: runners print what is, and the text says it all. */
  declare readonly finding: RaceFinding
  constructor(finding: RaceFinding, text: string, place?: RacePlace) {
    super(text)
    Object.defineProperty(this, 'finding', { value: finding })
    const frames = failureFrames(finding, place) ?? programFrames(this.stack ?? '')
    this.stack = [`${this.name}: ${text}`, ...frames.map(frameText)].join('\n')
  }

  /** What runners hand to their reporters. */
  toJSON(): Pick<RaceFound, 'name' | 'message' | 'stack' | 'code'> {
    const { name, message, stack, code } = this
    return { name, message, stack, code }
  }
}

function failureFrames({ failure }: RaceFinding, place: RacePlace | undefined): StackFrame[] | null {
  const frames = programFrames(failure.stack ?? '')
  const { root = '', declaredAt } = place ?? {}
  if (frames.length > 0)
    return frames.map(({ name, position }) => ({ name, position: resolve(root, position) }))
  return declaredAt === undefined ? null : [{ name: null, position: declaredAt }]
}

function frameText({ name, position }: StackFrame): string {
  return name === null ? `    at ${position}` : `    at ${name} (${position})`
}
