/** What `race` needs of a test runner, and of the machine that the tests run on. */
import type { ExploreOptions } from '../explore/search/options.ts'
import type { ExploreResult } from '../explore/search/exploration.ts'
import type { RaceFinding } from '../explore/finding/finding.ts'
import type { Tank } from '../explore/search/race-file.ts'

/** A test of the runner while it runs. */
export interface RunningTest {
  /** The titles of the groups around it and its own, as `raceName` joins them. */
  readonly name: string
  /** Reports what was done, if the runner has a place for it. */
  note(text: string, result: ExploreResult): unknown
}

/** How a test runner declares a test. */
export type DeclareTest = (
  title: string,
  run: (test: RunningTest) => Promise<void>,
  timeoutWallMs: number,
) => void

export interface RaceRunner {
  readonly test: DeclareTest
  readonly only: DeclareTest
  readonly skip: (title: string) => void
}

export interface RaceHost {
  /** The world in which the races of a file run. */
  tank(file: string): Tank
  /** Keeps a finding; returns the command that replays it. */
  keep(file: string, finding: RaceFinding, options: ExploreOptions): string
  nowMs(): number
  /** Prints what a race that held did: always if the time budget ended it early, else only if the user asked for it. */
  note(text: string, asAsked: boolean): void
}
