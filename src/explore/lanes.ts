/**
 * The lanes of an exploration together. The thread at hand runs the first; threads of their own run the others. A thread
 * takes a while to start, so none is started before the exploration has taken longer than a moment, and a lane that
 * nobody has begun when the thread at hand is done with its own is run here too. Nothing of that shows in the result:
 * the first iteration that does not hold is found whoever runs it, and every lane goes on until it is past it.
 */
import { UsageError } from '../kernel/errors.ts'
import type { HostClock } from '../sim/campaign/executor.ts'
import { LaneBoard } from './lane-board.ts'
import { runLane, type LaneEnd, type LaneNumber, type LaneReport } from './lane.ts'
import type { RaceProgram } from './program.ts'
import type { ExploreStrategy } from './strategy.ts'

/** A thread that runs a lane, if it comes to take it in time. */
export interface LaneThread {
  /** Never rejects: a thread that dies ends its lane. */
  readonly report: Promise<LaneReport>
  /** Ends it, whatever it does. */
  stop(): Promise<unknown>
}

/** Where lanes run that do not run in the thread at hand. */
export interface LaneThreads extends Pick<HostClock, 'every'> {
  start(number: LaneNumber, board: LaneBoard): LaneThread
}

export interface LanesSettings {
  /** How many. */
  readonly lanes: number
  readonly threads: LaneThreads | null
  readonly strategy: () => ExploreStrategy
  /** See `LaneSettings`. */
  readonly careful?: boolean
  readonly seed: number
  readonly iterations: number
  readonly timeBudgetMs: number
  readonly clock: () => number
}

/** What all lanes did. */
export interface LanesReport extends LaneReport {
  /** The first lane's strategy. */
  readonly strategy: ExploreStrategy
  /** What did not hold was run by another thread. */
  readonly elsewhere: boolean
}

const WATCH_EVERY_MS = 50

/**
 * How long after the time budget a thread may be at its last schedule. Counted in looks at the clock: what a thread has
 * said while the one at hand was busy is heard before the next.
 */
const GRACE_MS = 5_000

export function runLanes(program: RaceProgram, settings: LanesSettings): Promise<LanesReport> {
  return new Lanes(program, settings).run()
}

class Lanes {
  private readonly program: RaceProgram
  private readonly settings: LanesSettings
  private readonly board: LaneBoard
  private readonly endMs: number
  private readonly threads = new Map<number, LaneThread>()
  /** The strategies of the lanes that have run here. */
  private readonly strategies = new Map<number, ExploreStrategy>()
  private overtimeMs = 0
  private giveUp: () => void = () => {}
  /** Resolves when threads that have not ended are waited for no longer. */
  private readonly givenUp = new Promise<void>((resolve) => (this.giveUp = resolve))

  constructor(program: RaceProgram, settings: LanesSettings) {
    this.program = program
    this.settings = settings
    this.board = new LaneBoard(settings.lanes)
    this.endMs = settings.clock() + settings.timeBudgetMs
  }

  async run(): Promise<LanesReport> {
    const { lanes, threads } = this.settings
    const stopWatching = lanes === 1 ? undefined : threads?.every(WATCH_EVERY_MS, () => this.watch())
    try {
      const here = new Map<number, LaneReport>()
      for (let lane = 0; lane < lanes; lane++)
        if (this.board.take(lane)) here.set(lane, await this.runHere(lane))
      const reports: LaneReport[] = []
      for (let lane = 0; lane < lanes; lane++) reports.push(here.get(lane) ?? (await this.reportOf(lane)))
      const sum = sumOf(reports)
      const elsewhere = sum.end !== null && !here.has(reports.findIndex(({ end }) => end === sum.end))
      return { ...sum, strategy: this.strategies.get(0)!, elsewhere }
    } finally {
      stopWatching?.()
      await Promise.all([...this.threads.values()].map((thread) => thread.stop()))
    }
  }

  private runHere(lane: number): Promise<LaneReport> {
    const { lanes: of, careful, seed, iterations, clock } = this.settings
    const strategy = (): ExploreStrategy => {
      const made = this.settings.strategy()
      this.strategies.set(lane, made)
      return made
    }
    void this.threads.get(lane)?.stop() // it comes too late
    const isOver = () => clock() >= this.endMs
    const { board } = this
    return runLane(this.program, { lane, of, strategy, careful, seed, iterations, board, clock, isOver })
  }

  private watch(): void {
    const { lanes: of, threads, clock } = this.settings
    if (this.threads.size === 0) {
      for (let lane = 1; lane < of; lane++)
        if (this.board.at(lane) === 0) this.threads.set(lane, threads!.start({ lane, of }, this.board))
    }
    if (clock() < this.endMs) return
    this.board.endAt(0)
    this.overtimeMs += WATCH_EVERY_MS
    if (this.overtimeMs >= GRACE_MS) this.giveUp()
  }

  private reportOf(lane: number): Promise<LaneReport> {
    return Promise.race([this.threads.get(lane)!.report, this.givenUp.then(() => this.stuck(lane))])
  }

  /** What is known of a lane whose thread has not ended: whatever another has found comes before it. */
  private stuck(lane: number): LaneReport {
    const { timeBudgetMs } = this.settings
    const thrown = new UsageError(
      'ERR_WAVETANK_STUCK',
      `race: schedule ${this.board.at(lane)}, in a worker thread, had not ended ${GRACE_MS / 1000} s after the time budget of ${timeBudgetMs} ms: a synchronous loop without end?`,
    )
    return { iterations: 0, steps: 0, schedulesBy: {}, end: { iteration: Infinity, thrown } }
  }
}

function sumOf(reports: readonly LaneReport[]): LaneReport {
  let [iterations, steps] = [0, 0]
  let end: LaneEnd | null = null
  const schedulesBy: Record<string, number> = {}
  for (const report of reports) {
    iterations += report.iterations
    steps += report.steps
    for (const [by, schedules] of Object.entries(report.schedulesBy))
      schedulesBy[by] = (schedulesBy[by] ?? 0) + schedules
    if (report.end !== null && (end === null || report.end.iteration < end.iteration)) end = report.end
  }
  return { iterations, steps, schedulesBy, end }
}
