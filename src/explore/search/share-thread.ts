/**
 * Worker threads that run shares of a race. Each loads the file of the race by itself, without the test runner, as a
 * replay does. A thread runs one share and then ends. If it dies before that, its share ends with an error that names the
 * schedule it had reached.
 */
import { Worker, type ResourceLimits } from 'node:worker_threads'
import { UsageError } from '../../kernel/errors.ts'
import type { HostClock } from '../../sim/campaign/executor.ts'
import { NO_COVERAGE } from './coverage.ts'
import type { ShareBoard } from './share-board.ts'
import type { ShareNumber, ShareReport } from './share.ts'
import type { ShareThread, ShareThreads } from './shares.ts'
import { EXPLORE_DEFAULTS, runOptionsOf, type ExploreOptions, type RunOptions } from './options.ts'
import type { StrategyName } from './strategies/index.ts'
import { thrownOf, type ThrownData } from '../finding/thrown.ts'

/** What the host provides for threads. */
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

/** The options of an exploration that a share needs; all of them can be sent to another thread. */
type ShareOptions = RunOptions &
  Required<Pick<ExploreOptions, 'seed' | 'depth' | 'iterations'>> & { readonly strategy: StrategyName }

/** The start data of a thread. */
export interface ShareOrder extends Subject<ShareOptions>, ShareNumber {
  readonly board: SharedArrayBuffer
  /** Whether the exploration wants what programs print. */
  readonly output: boolean
}

/** A report whose error can be sent to another thread. */
export type SentReport = Omit<ShareReport, 'end'> & {
  readonly end: Exclude<ShareReport['end'], { thrown: unknown }> | ThrownData
}

export type ShareMessage = { readonly output: string } | { readonly report: SentReport }

export function shareThreads(
  host: ThreadHost,
  subject: Subject<ExploreOptions>,
  onOutput?: (text: string) => void,
): ShareThreads {
  return {
    every: (ms, callback) => host.every(ms, callback),
    start: (number, board) => new WorkerShare(host, subject, number, board, onOutput),
  }
}

class WorkerShare implements ShareThread {
  readonly report: Promise<ShareReport>
  private readonly number: ShareNumber
  private readonly board: ShareBoard
  private readonly thread: Worker | null = null
  private resolve: (report: ShareReport) => void = () => {}
  private isOver = false

  constructor(
    { worker, execArgv, resourceLimits }: ThreadHost,
    subject: Subject<ExploreOptions>,
    number: ShareNumber,
    board: ShareBoard,
    onOutput?: (text: string) => void,
  ) {
    this.number = number
    this.board = board
    this.report = new Promise((resolve) => (this.resolve = resolve))
    const workerData: ShareOrder = {
      ...subject,
      options: shareOptions(subject.options),
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
    this.thread.on('message', (message: ShareMessage) => {
      if ('output' in message) onOutput?.(message.output)
      else this.end(received(message.report))
    })
    this.thread.on('messageerror', (error) => this.died('sent a message that cannot be read', error))
    this.thread.on('error', (error) => this.died('died', error))
    this.thread.on('exit', (code) => this.died('died', new Error(`it exited with code ${code}`)))
  }

  async stop(): Promise<void> {
    this.isOver = true
    await this.thread?.terminate()
  }

  private end(report: ShareReport): void {
    this.isOver = true
    this.resolve(report)
  }

  /** Ends the share at the schedule that its thread had reached, unless it has reported. */
  private died(how: string, error: unknown): void {
    if (this.isOver) return
    const { share } = this.number
    const hadBegun = !this.board.take(share)
    const iteration = this.board.at(share)
    const when = hadBegun ? `at schedule ${iteration}` : `before schedule ${iteration}, its first`
    const thrown = new UsageError(
      'ERR_WAVETANK_WORKER',
      `race: a worker thread ${how} ${when}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
    this.board.endAt(iteration)
    const nothing = { iterations: 0, steps: 0, schedulesBy: {}, coverage: NO_COVERAGE }
    this.end({ ...nothing, end: { iteration, thrown } })
  }
}

function received({ end, ...done }: SentReport): ShareReport {
  if (end === null || !('stack' in end)) return { ...done, end }
  return { ...done, end: { iteration: end.iteration, thrown: thrownOf(end) } }
}

/** An exploration has several shares only if its strategy is given by name. */
function shareOptions(options: ExploreOptions): ShareOptions {
  const { strategy, seed, depth, iterations } = { ...EXPLORE_DEFAULTS, ...options }
  return { ...runOptionsOf(options), strategy: strategy as StrategyName, seed, depth, iterations }
}
