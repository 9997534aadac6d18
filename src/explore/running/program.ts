/**
 * A program as an exploration sees it: it can be run again and again under a given schedule, each time from a fresh state.
 * It is a closure in this thread, or a body in a test file that is loaded anew inside a world.
 */
import type { Choice } from '../../kernel/choices.ts'
import type { RaceRunResult } from './race-run.ts'
import type { ExploreStrategy } from '../search/strategy.ts'

export interface Schedule extends RunView {
  readonly seed: number
  /** With false, the caller must call {@link RaceProgram.sweep} before other code runs in the thread. */
  readonly swept?: boolean
  readonly strategy: ExploreStrategy
  readonly base?: 'seed' | 'zero'
  readonly overrides?: readonly Choice[]
  readonly misfit?: 'diverge' | 'bend'
}

/** What to observe of a run; none of it changes what the run does. */
export interface RunView {
  /** Keep every step, with its place in the source. */
  readonly record?: boolean
  /** Stop after this step. */
  readonly until?: number
  readonly beforeStep?: (step: number) => void
}

export interface RaceProgram {
  /** Runs once. Must be called from a macrotask. */
  (schedule: Schedule): RaceRunResult
  /**
   * Restores what runs have changed in the thread, and returns whether there was anything. Without it, nothing is
   * checked.
   */
  readonly sweep?: () => boolean
}

/** Follows the overrides and nothing else: every other choice is the simplest. */
export const byRecord: ExploreStrategy = { name: 'record', begin: () => {}, pick: () => 0 }

/** Re-runs a record: a list of non-zero choices over a base of zeros. */
export function rerun(
  program: RaceProgram,
  seed: number,
  overrides: readonly Choice[],
  misfit: 'diverge' | 'bend',
  view: RunView = {},
): RaceRunResult {
  return program({ ...view, seed, strategy: byRecord, base: 'zero', overrides, misfit })
}
