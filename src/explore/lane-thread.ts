/**
 * Worker threads that run lanes of a race: each loads the file of the race for itself, as a replay does, without the test
 * runner. A thread has one lane and ends with it. Whatever ends it otherwise ends its lane, with what is known of it.
 */
import { Worker, type ResourceLimits } from 'node:worker_threads'
import { UsageError } from '../kernel/errors.ts'
import type { HostClock } from '../sim/campaign/executor.ts'
import type { LaneBoard } from './lane-board.ts'
import type { LaneNumber, LaneReport } from './lane.ts'
import type { LaneThread, LaneThreads } from './lanes.ts'
import { EXPLORE_DEFAULTS, runOptionsOf, type ExploreOptions, type RunOptions } from './options.ts'
import type { StrategyName } from './strategies/index.ts'
import { thrownOf, type ThrownData } from './thrown.ts'

/** What the host has for threads. */
export interface ThreadHost extends Pick<HostClock, 'every'> {
  /** The module that a thread runs: see `race-worker.ts`. */
  readonly worker: URL
  readonly execArgv?: readonly string[]
  readonly resourceLimits?: ResourceLimits
}

/** A race that is declared in a file. */
interface Subject<Options> {
  readonly file: string
  readonly name: string
  readonly options: Options
}

/** Options of an exploration that a lane must know, all of which can be sent to another thread. */
type LaneOptions = RunOptions &
  Required<Pick<ExploreOptions, 'seed' | 'depth' | 'iterations'>> & { readonly strategy: StrategyName }

/** What a thread is given when it starts. */
export interface LaneOrder extends Subject<LaneOptions>, LaneNumber {
  readonly board: SharedArrayBuffer
  /** Whether somebody listens to what programs print. */
  readonly output: boolean
}

/** A report whose error can be sent to another thread. */
export type SentReport = Omit<LaneReport, 'end'> & {
  readonly end: Exclude<LaneReport['end'], { thrown: unknown }> | ThrownData
}

export type LaneMessage = { readonly output: string } | { readonly report: SentReport }

export function laneThreads(
  host: ThreadHost,
  subject: Subject<ExploreOptions>,
  onOutput?: (text: string) => void,
): LaneThreads {
  return {
    every: (ms, callback) => host.every(ms, callback),
    start: (number, board) => new WorkerLane(host, subject, number, board, onOutput),
  }
}

class WorkerLane implements LaneThread {
  readonly report: Promise<LaneReport>
  private readonly number: LaneNumber
  private readonly board: LaneBoard
  private readonly thread: Worker | null = null
  private resolve: (report: LaneReport) => void = () => {}
  private isOver = false

  constructor(
    { worker, execArgv, resourceLimits }: ThreadHost,
    subject: Subject<ExploreOptions>,
    number: LaneNumber,
    board: LaneBoard,
    onOutput?: (text: string) => void,
  ) {
    this.number = number
    this.board = board
    this.report = new Promise((resolve) => (this.resolve = resolve))
    const workerData: LaneOrder = {
      ...subject,
      options: laneOptions(subject.options),
      ...number,
      board: board.memory,
      output: onOutput !== undefined,
    }
    try {
      this.thread = new Worker(worker, {
        workerData,
        resourceLimits,
        ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
      })
    } catch (error) {
      this.died('could not be started', error)
      return
    }
    this.thread.on('message', (message: LaneMessage) => {
      if ('output' in message) onOutput?.(message.output)
      else this.end(received(message.report))
    })
    this.thread.on('messageerror', (error) => this.died('said what cannot be read', error))
    this.thread.on('error', (error) => this.died('died', error))
    this.thread.on('exit', (code) => this.died('died', new Error(`it exited with code ${code}`)))
  }

  async stop(): Promise<void> {
    this.isOver = true
    await this.thread?.terminate()
  }

  private end(report: LaneReport): void {
    this.isOver = true
    this.resolve(report)
  }

  /** Ends the lane where its thread was, if it has not reported. */
  private died(how: string, error: unknown): void {
    if (this.isOver) return
    const { lane } = this.number
    const hadBegun = !this.board.take(lane)
    const iteration = this.board.at(lane)
    const when = hadBegun ? `at schedule ${iteration}` : `before schedule ${iteration}, its first`
    const thrown = new UsageError(
      'ERR_WAVETANK_WORKER',
      `race: a worker thread ${how} ${when}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
    this.board.endAt(iteration)
    this.end({ iterations: 0, steps: 0, schedulesBy: {}, end: { iteration, thrown } })
  }
}

function received({ end, ...done }: SentReport): LaneReport {
  if (end === null || !('stack' in end)) return { ...done, end }
  return { ...done, end: { iteration: end.iteration, thrown: thrownOf(end) } }
}

/** Only strategies that are given by their names have several lanes. */
function laneOptions(options: ExploreOptions): LaneOptions {
  const { strategy, seed, depth, iterations } = { ...EXPLORE_DEFAULTS, ...options }
  return { ...runOptionsOf(options), strategy: strategy as StrategyName, seed, depth, iterations }
}
