/**
 * The error that carries a finding through a test runner, and through `explore()`. Its stack is the stack of the program's
 * own failure, so that test runners point at the line that failed and not into this package. A failure without a line,
 * such as a step limit, points at the declaration of the race.
 */
import { resolve } from 'node:path'
import type { RaceFinding } from '../explore/finding/finding.ts'
import { programFrames, type StackFrame } from '../node/bare.ts'
import type { Exploration, ExploreResult } from '../explore/search/exploration.ts'
import { findingText } from '../report/race/finding-text.ts'
import { RaceGap } from './race-gap.ts'

/** Where a race is declared. */
export interface DeclarationPlace {
  /** The folder that the finding's positions are relative to; empty if they are absolute. */
  readonly root: string
  /** `file:line:column` of the declaration. */
  readonly declaredAt: string
}

export class RaceFound extends Error {
  override readonly name = 'RaceFound'
  readonly code = 'ERR_WAVETANK_RACE_FOUND'
  /** Not enumerable: runners print enumerable properties, and the message says it all. */
  declare readonly finding: RaceFinding

  constructor(finding: RaceFinding, text: string, place?: DeclarationPlace) {
    super(text)
    Object.defineProperty(this, 'finding', { value: finding })
    const frames = failureFrames(finding, place) ?? programFrames(this.stack ?? '')
    this.stack = [`${this.name}: ${text}`, ...frames.map(frameText)].join('\n')
  }

  /** For runners, which hand errors to their reporters as JSON. */
  toJSON(): Pick<RaceFound, 'name' | 'message' | 'stack' | 'code'> {
    const { name, message, stack, code } = this
    return { name, message, stack, code }
  }
}

/** What held; throws {@link RaceFound} if a schedule broke it, {@link RaceGap} if none did and they show too little. */
export function heldResult(exploration: Exploration, title: string): ExploreResult {
  if (exploration.kind === 'held') return exploration.result
  if (exploration.kind === 'gap') throw new RaceGap(title, exploration.result)
  const { finding } = exploration
  throw new RaceFound(finding, findingText(finding))
}

type Position = Pick<StackFrame, 'name' | 'position'>

function failureFrames({ failure }: RaceFinding, place: DeclarationPlace | undefined): Position[] | null {
  const frames = programFrames(failure.stack ?? '')
  const { root = '', declaredAt } = place ?? {}
  if (frames.length > 0)
    return frames.map(({ name, position }) => ({ name, position: resolve(root, position) }))
  return declaredAt === undefined ? null : [{ name: null, position: declaredAt }]
}

function frameText({ name, position }: Position): string {
  return name === null ? `    at ${position}` : `    at ${name} (${position})`
}
