/**
 * The shares of an exploration together. This thread runs the first share; worker threads run the others. A thread takes
 * a while to start, so none is started in the first 50 ms, and this thread also runs every share that no worker has taken
 * by the time its own is done. None of that shows in the result: the finding is the first iteration that does not hold,
 * and every share goes on until it is past that iteration.
 */
import { UsageError } from '../../kernel/errors.ts'
import type { HostClock } from '../../sim/campaign/executor.ts'
import { ShareBoard } from './share-board.ts'
import { CoverageTally, NO_COVERAGE } from './coverage.ts'
import { runShare, type ShareEnd, type ShareNumber, type ShareReport } from './share.ts'
import type { RaceProgram } from '../running/program.ts'
import type { ExploreStrategy } from './strategy.ts'

/** A thread that runs a share, unless another thread has taken the share first. */
export interface ShareThread {
  /** Never rejects: when a thread dies, its share ends with an error. */
  readonly report: Promise<ShareReport>
  /** Ends the thread, whatever it is doing. */
  stop(): Promise<unknown>
}

/** Starts worker threads for the shares that this thread does not run. */
export interface ShareThreads extends Pick<HostClock, 'every'> {
  start(number: ShareNumber, board: ShareBoard): ShareThread
}

export interface SharesSettings {
  /** How many. */
  readonly shares: number
  readonly threads: ShareThreads | null
  readonly strategy: () => ExploreStrategy
  /** See `ShareSettings`. */
  readonly careful?: boolean
  readonly seed: number
  readonly iterations: number
  readonly budgetWallMs: number
  readonly clock: () => number
}

/** The sum of what all shares did. */
export interface SharesReport extends ShareReport {
  /** The first share's strategy. */
  readonly strategy: ExploreStrategy
  /** Another thread ran the iteration that did not hold. */
  readonly elsewhere: boolean
}

const WATCH_EVERY_MS = 50

/**
 * How long after the time budget a thread may still run its last schedule. The time is counted in ticks of the watch, not
 * read from a clock: if this thread was busy, it handles the messages of its workers before the next tick.
 */
const GRACE_MS = 5_000

export function runShares(program: RaceProgram, settings: SharesSettings): Promise<SharesReport> {
  return new Shares(program, settings).run()
}

class Shares {
  private readonly program: RaceProgram
  private readonly settings: SharesSettings
  private readonly board: ShareBoard
  private readonly endMs: number
  private readonly threads = new Map<number, ShareThread>()
  /** The strategies of the shares that this thread has run. */
  private readonly strategies = new Map<number, ExploreStrategy>()
  private overtimeMs = 0
  private giveUp: () => void = () => {}
  /** Resolves when the grace period is over: threads that have not ended by then are given up. */
  private readonly givenUp = new Promise<void>((resolve) => (this.giveUp = resolve))

  constructor(program: RaceProgram, settings: SharesSettings) {
    this.program = program
    this.settings = settings
    this.board = new ShareBoard(settings.shares)
    this.endMs = settings.clock() + settings.budgetWallMs
  }

  async run(): Promise<SharesReport> {
    const { shares, threads } = this.settings
    const stopWatching = shares === 1 ? undefined : threads?.every(WATCH_EVERY_MS, () => this.watch())
    try {
      const here = new Map<number, ShareReport>()
      for (let share = 0; share < shares; share++)
        if (this.board.take(share)) here.set(share, await this.runHere(share))
      const reports: ShareReport[] = []
      for (let share = 0; share < shares; share++)
        reports.push(here.get(share) ?? (await this.reportOf(share)))
      const sum = sumOf(reports)
      const elsewhere = sum.end !== null && !here.has(reports.findIndex(({ end }) => end === sum.end))
      return { ...sum, strategy: this.strategies.get(0)!, elsewhere }
    } finally {
      stopWatching?.()
      await Promise.all([...this.threads.values()].map((thread) => thread.stop()))
    }
  }

  private runHere(share: number): Promise<ShareReport> {
    const { shares: of, careful, seed, iterations, clock } = this.settings
    const strategy = (): ExploreStrategy => {
      const made = this.settings.strategy()
      this.strategies.set(share, made)
      return made
    }
    void this.threads.get(share)?.stop() // it is too late
    const isOver = () => clock() >= this.endMs
    const { board } = this
    return runShare(this.program, { share, of, strategy, careful, seed, iterations, board, clock, isOver })
  }

  private watch(): void {
    const { shares: of, threads, clock } = this.settings
    if (this.threads.size === 0) {
      for (let share = 1; share < of; share++)
        if (this.board.at(share) === 0) this.threads.set(share, threads!.start({ share, of }, this.board))
    }
    if (clock() < this.endMs) return
    this.board.endAt(0)
    this.overtimeMs += WATCH_EVERY_MS
    if (this.overtimeMs >= GRACE_MS) this.giveUp()
  }

  private reportOf(share: number): Promise<ShareReport> {
    return Promise.race([this.threads.get(share)!.report, this.givenUp.then(() => this.stuck(share))])
  }

  /** The report of a share whose thread did not end. A finding of any other share takes precedence. */
  private stuck(share: number): ShareReport {
    const { budgetWallMs } = this.settings
    const thrown = new UsageError(
      'ERR_WAVETANK_STUCK',
      `race: schedule ${this.board.at(share)}, in a worker thread, had not ended ${GRACE_MS / 1000} s after the time budget of ${budgetWallMs} ms: a synchronous loop without end?`,
    )
    const nothing = { iterations: 0, steps: 0, schedulesBy: {}, coverage: NO_COVERAGE }
    return { ...nothing, end: { iteration: Infinity, thrown } }
  }
}

function sumOf(reports: readonly ShareReport[]): ShareReport {
  let [iterations, steps] = [0, 0]
  let end: ShareEnd | null = null
  const schedulesBy: Record<string, number> = {}
  const tally = new CoverageTally()
  for (const report of reports) {
    iterations += report.iterations
    steps += report.steps
    tally.add(report.coverage)
    for (const [by, schedules] of Object.entries(report.schedulesBy))
      schedulesBy[by] = (schedulesBy[by] ?? 0) + schedules
    if (report.end !== null && (end === null || report.end.iteration < end.iteration)) end = report.end
  }
  return { iterations, steps, schedulesBy, coverage: tally.coverage, end }
}
