/**
 * A lane of an exploration: every so many of its iterations, in their order, with a strategy of its own. What a lane runs
 * depends on its number, on how many lanes there are and on the exploration's options; never on the thread that runs it.
 * What other lanes do can only end it.
 *
 * A run may leave something behind in its thread, in an object that all worlds share, and so change those that follow.
 * Hardly any does, and to look for it takes a tenth of a small run. So a lane trusts its runs at first and looks after a
 * burst of them; if there is something, it forgets what it did and begins again, looking after every single run.
 */
import type { Choice } from '../kernel/choices.ts'
import { seedOfRun } from './iteration-seed.ts'
import type { LaneBoard } from './lane-board.ts'
import { macrotask } from './macrotask.ts'
import type { RaceProgram } from './program.ts'
import type { ExploreStrategy } from './strategy.ts'

/** Which lane, counted from 0, of how many: it runs iterations `lane + 1`, `lane + 1 + of` and so on. */
export interface LaneNumber {
  readonly lane: number
  readonly of: number
}

export interface LaneSettings extends LaneNumber {
  /** Makes the lane's strategy: another one if it begins again. */
  readonly strategy: () => ExploreStrategy
  /** The strategy cannot be made again: the lane begins with looking after every single run. */
  readonly careful?: boolean
  /** The exploration's. */
  readonly seed: number
  readonly iterations: number
  readonly board: LaneBoard
  readonly clock: () => number
  /** The time budget has ended. */
  readonly isOver?: () => boolean
}

/** What a lane did, as plain data but for what was thrown. */
export interface LaneReport {
  readonly iterations: number
  readonly steps: number
  readonly schedulesBy: Readonly<Record<string, number>>
  readonly end: LaneEnd | null
}

/** What ended a lane before its time. */
export type LaneEnd = FailingRun | { readonly iteration: number; readonly thrown: unknown }

export interface FailingRun {
  readonly iteration: number
  readonly choices: readonly Choice[]
  readonly key: string
  readonly message: string
}

const BURST_MS = 50

/** The lane must have been taken on the board. */
export async function runLane(program: RaceProgram, settings: LaneSettings): Promise<LaneReport> {
  const { sweep } = program
  const trusting =
    sweep === undefined || settings.careful === true ? null : await attempt(program, settings, sweep)
  return trusting ?? (await attempt(program, settings, null))!
}

/**
 * With `sweep`, its runs are swept together; null if that found something, since what followed it may not be what it should
 * have been.
 */
async function attempt(
  program: RaceProgram,
  settings: LaneSettings,
  sweep: (() => boolean) | null,
): Promise<LaneReport | null> {
  const { lane, of, board, clock } = settings
  const strategy = settings.strategy()
  const swept = sweep === null
  const schedulesBy: Record<string, number> = {}
  let iterations = 0
  let steps = 0
  let end: LaneEnd | null = null
  let stained = false
  let iteration = lane + 1
  const goesOn = () =>
    end === null &&
    !stained &&
    !(iteration >= settings.iterations + 1) &&
    iteration <= board.last &&
    strategy.exhausted !== true &&
    settings.isOver?.() !== true
  const runOne = (): void => {
    const seed = seedOfRun(strategy, settings.seed, iteration)
    const { failure, choices, ...result } = program({ seed, strategy, record: false, swept })
    iterations++
    steps += result.steps
    const by = strategy.member ?? strategy.name
    schedulesBy[by] = (schedulesBy[by] ?? 0) + 1
    if (failure !== null) end = { iteration, choices, key: failure.key, message: failure.message }
  }
  const burst = (): void => {
    // What a program leaves behind is mostly left when it is loaded: the first burst has one run.
    const burstEnd = iterations === 0 ? -Infinity : clock() + BURST_MS
    do {
      board.enter(lane, iteration)
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
  return stained ? null : { iterations, steps, schedulesBy, end }
}
