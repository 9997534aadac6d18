/**
 * A share of an exploration: every n-th of its iterations, in order, with a strategy of its own. What a share runs
 * depends on its number, on the number of shares and on the exploration's options, never on the thread that runs it.
 * Other shares can only end it early.
 *
 * A run may change an object that all worlds of its thread use, and so change the runs that follow. Very few runs do, and
 * the check takes a tenth of a small run. So a share first trusts its runs and checks once after each burst. If the check
 * finds a change, the share discards its results, begins again and checks after every run.
 */
import type { Choice } from '../../kernel/choices.ts'
import { CoverageTally, type Coverage } from './coverage.ts'
import { seedOfRun } from './iteration-seed.ts'
import type { ShareBoard } from './share-board.ts'
import { macrotask } from '../running/macrotask.ts'
import type { RaceProgram } from '../running/program.ts'
import type { ExploreStrategy } from './strategy.ts'

/** Which share, counted from 0, of how many: it runs iterations `share + 1`, `share + 1 + of` and so on. */
export interface ShareNumber {
  readonly share: number
  readonly of: number
}

export interface ShareSettings extends ShareNumber {
  /** Makes the share's strategy; called again if the share begins again. */
  readonly strategy: () => ExploreStrategy
  /** The strategy cannot be made again, so the share checks after every run from the start. */
  readonly careful?: boolean
  /** The exploration's. */
  readonly seed: number
  readonly iterations: number
  readonly board: ShareBoard
  readonly clock: () => number
  /** The time budget has ended. */
  readonly isOver?: () => boolean
}

/** What a share did. Plain data, except for a thrown error. */
export interface ShareReport {
  readonly iterations: number
  readonly steps: number
  readonly schedulesBy: Readonly<Record<string, number>>
  readonly coverage: Coverage
  readonly end: ShareEnd | null
}

/** Why a share ended early. */
export type ShareEnd = FailingRun | { readonly iteration: number; readonly thrown: unknown }

export interface FailingRun {
  readonly iteration: number
  readonly choices: readonly Choice[]
  readonly key: string
  readonly message: string
}

const BURST_MS = 50

/** The caller must have taken the share on the board. */
export async function runShare(program: RaceProgram, settings: ShareSettings): Promise<ShareReport> {
  const { sweep } = program
  const trusting =
    sweep === undefined || settings.careful === true ? null : await attempt(program, settings, sweep)
  return trusting ?? (await attempt(program, settings, null))!
}

/**
 * With `sweep`, the runs of a burst are checked together. Returns null if that found a change: the runs after it cannot be
 * trusted.
 */
async function attempt(
  program: RaceProgram,
  settings: ShareSettings,
  sweep: (() => boolean) | null,
): Promise<ShareReport | null> {
  const { share, of, board, clock } = settings
  const strategy = settings.strategy()
  const swept = sweep === null
  const schedulesBy: Record<string, number> = {}
  const tally = new CoverageTally()
  let iterations = 0
  let steps = 0
  let end: ShareEnd | null = null
  let stained = false
  let iteration = share + 1
  const goesOn = () =>
    end === null &&
    !stained &&
    !(iteration >= settings.iterations + 1) &&
    iteration <= board.last &&
    strategy.exhausted !== true &&
    settings.isOver?.() !== true
  const runOne = (): void => {
    const seed = seedOfRun(strategy, settings.seed, iteration)
    const result = program({ seed, strategy, record: false, swept })
    const { failure, choices } = result
    iterations++
    steps += result.steps
    tally.addRun(result)
    const by = strategy.member ?? strategy.name
    schedulesBy[by] = (schedulesBy[by] ?? 0) + 1
    if (failure !== null) end = { iteration, choices, key: failure.key, message: failure.message }
  }
  const burst = (): void => {
    // A program that changes its thread mostly does so while it is loaded: the first burst has one run.
    const burstEnd = iterations === 0 ? -Infinity : clock() + BURST_MS
    do {
      board.enter(share, iteration)
      try {
        runOne()
      } catch (thrown) {
        end = { iteration, thrown }
      }
      if (end === null) iteration += of
    } while (goesOn() && clock() < burstEnd)
    stained = sweep?.() ?? false
    if (end !== null && !stained) board.endAt(iteration)
  }
  while (goesOn()) await macrotask(burst)
  return stained ? null : { iterations, steps, schedulesBy, coverage: tally.coverage, end }
}
