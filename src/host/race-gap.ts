/** The error of an exploration that neither holds nor finds anything: it never came to the point. */
import type { ExploreResult } from '../explore/search/exploration.ts'
import { gapText } from '../report/race/gap-text.ts'

export class RaceGap extends Error {
  override readonly name = 'RaceGap'
  readonly code = 'ERR_WAVETANK_RACE_GAP'
  /** Not enumerable: runners print enumerable properties, and the message says it all. */
  declare readonly result: ExploreResult

  /** `declaredAt` is the `file:line:column` of the race, for runners that show the line. */
  constructor(title: string, result: ExploreResult, declaredAt?: string) {
    super(gapText(title, result))
    Object.defineProperty(this, 'result', { value: result })
    if (declaredAt !== undefined) this.stack = `${this.name}: ${this.message}\n    at ${declaredAt}`
  }
}
