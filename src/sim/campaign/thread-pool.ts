/**
 * Worker threads that run seeds. A lane is one thread with one job at a time. Seeds are hermetic, so a thread serves
 * thousands of them; one that makes no step for too long is stuck inside a callback (a synchronous loop without end):
 * it is killed, its seed reported, and a new thread takes its place.
 */
import { Worker } from 'node:worker_threads'
import { InternalError, UsageError } from '../../kernel/errors.ts'
import type { Declaration } from '../declarations.ts'
import type { Telling } from '../telling.ts'
import type { HostClock, SeedExecutor, SeedJob, SeedReport } from './executor.ts'
import { stuckReport } from './stuck.ts'

export interface ThreadPoolOptions {
  readonly lanes: number
  /** The module that a thread runs: see `tank-worker.ts`. */
  readonly worker: URL
  readonly execArgv?: readonly string[]
  /** The project's root. */
  readonly root: string
  readonly clock: HostClock
  /** Milliseconds without a step after which a thread counts as stuck, if it had a processor for half of them. */
  readonly stuckMs: number
}

/** What a thread is given when it starts. */
export interface WorkerData {
  readonly root: string
  /** One number: the step of the run. */
  readonly progress: SharedArrayBuffer
}

export type WorkerRequest =
  | { readonly type: 'run' | 'tell'; readonly job: SeedJob }
  | { readonly type: 'declare'; readonly file: string }

export type WorkerAnswer =
  | { readonly value: unknown }
  | { readonly usage: { readonly code: string; readonly message: string } }
  | { readonly error: string }

interface Lane {
  readonly number: number
  thread: Worker | null
  progress: Int32Array
  waiting: ((answer: WorkerAnswer | 'stuck') => void) | null
  /** For the watchdog: the step last seen, and since when, by the wall clock and in processor time. */
  seenStep: number
  sinceMs: number
  sinceProcessorMs: number
}

const WATCH_EVERY_MS = 250

/** On a machine that is busy with something else a thread has its time to make a step, but not all the time. */
const MOST_PATIENCE = 10

export class ThreadPool implements SeedExecutor {
  readonly lanes: number
  private readonly options: ThreadPoolOptions
  private readonly all: Lane[]
  private readonly free: Lane[]
  private readonly queue: { readonly take: (lane: Lane) => void; readonly notLane: number }[] = []
  private readonly stopWatching: () => void

  constructor(options: ThreadPoolOptions) {
    this.options = options
    this.lanes = options.lanes
    this.all = Array.from({ length: options.lanes }, (_, number) => emptyLane(number))
    this.free = [...this.all]
    this.stopWatching = options.clock.every(WATCH_EVERY_MS, () => this.watch())
  }

  async run(job: SeedJob, notLane = -1): Promise<SeedReport> {
    return this.onLane(notLane, async (lane) => {
      const answer = await this.ask(lane, { type: 'run', job })
      if (answer === 'stuck') return this.reportStuck(lane, job)
      return { ...(valueOf(answer, `seed ${job.seed}`) as Omit<SeedReport, 'lane'>), lane: lane.number }
    })
  }

  /** Runs a job and tells everything about it. */
  tell(job: SeedJob): Promise<Telling> {
    return this.onLane(-1, async (lane) => {
      const answer = await this.ask(lane, { type: 'tell', job })
      return valueOf(answer, `seed ${job.seed}`) as Telling
    })
  }

  /** The simulations that a file declares. */
  declarations(file: string): Promise<Declaration[]> {
    return this.onLane(-1, async (lane) => {
      const answer = await this.ask(lane, { type: 'declare', file })
      return valueOf(answer, file) as Declaration[]
    })
  }

  async close(): Promise<void> {
    this.stopWatching()
    for (const { thread } of this.all) await thread?.terminate()
  }

  private async onLane<T>(notLane: number, use: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = await this.acquire(notLane)
    try {
      return await use(lane)
    } finally {
      this.release(lane)
    }
  }

  private acquire(notLane: number): Promise<Lane> {
    const only = this.lanes === 1 ? -1 : notLane
    const index = this.free.findIndex((lane) => lane.number !== only)
    if (index >= 0) return Promise.resolve(this.free.splice(index, 1)[0])
    return new Promise((take) => this.queue.push({ take, notLane: only }))
  }

  private release(lane: Lane): void {
    const next = this.queue.findIndex(({ notLane }) => notLane !== lane.number)
    if (next < 0) this.free.push(lane)
    else this.queue.splice(next, 1)[0].take(lane)
  }

  private ask(lane: Lane, request: WorkerRequest): Promise<WorkerAnswer | 'stuck'> {
    lane.thread ??= this.start(lane)
    lane.seenStep = -1
    return new Promise((resolve) => {
      lane.waiting = resolve
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      lane.thread!.postMessage(request)
    })
  }

  private start(lane: Lane): Worker {
    const { worker, root, execArgv } = this.options
    const progress = new SharedArrayBuffer(4)
    lane.progress = new Int32Array(progress)
    const workerData: WorkerData = { root, progress }
    const thread = new Worker(worker, {
      workerData,
      ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
    })
    // A thread that was given up may still have something to say; its lane has another one by then.
    const settleOwn = (answer: WorkerAnswer): void => {
      if (lane.thread === thread) settle(lane, answer)
    }
    thread.on('message', settleOwn)
    thread.on('error', (error) => {
      settleOwn({ error: `the worker thread died: ${error.stack ?? error.message}` })
    })
    thread.on('exit', (code) => {
      settleOwn({ error: `the worker thread exited with code ${code}` })
      if (lane.thread === thread) lane.thread = null
    })
    return thread
  }

  /** Kills threads whose step did not change for too long. */
  private watch(): void {
    const nowMs = this.options.clock.nowMs()
    const processorMs = this.options.clock.processorMs()
    const busy = this.all.filter(({ waiting }) => waiting !== null)
    for (const lane of busy) {
      const step = Atomics.load(lane.progress, 0)
      if (step !== lane.seenStep) {
        lane.seenStep = step
        lane.sinceMs = nowMs
        lane.sinceProcessorMs = processorMs
      } else if (this.isStuck(nowMs - lane.sinceMs, (processorMs - lane.sinceProcessorMs) / busy.length)) {
        const { thread } = lane
        lane.thread = null
        settle(lane, 'stuck')
        void thread?.terminate()
      }
    }
  }

  /** A loop without end uses the processor; a thread that waits for one does not, and is given more time. */
  private isStuck(wallMs: number, processorMs: number): boolean {
    const { stuckMs } = this.options
    return wallMs > stuckMs && (processorMs > stuckMs / 2 || wallMs > MOST_PATIENCE * stuckMs)
  }

  /** A fresh thread runs the seed again up to the step before, and says whose callback comes next. */
  private async reportStuck(lane: Lane, job: SeedJob): Promise<SeedReport> {
    const lastStep = lane.seenStep
    const answer = await this.ask(lane, { type: 'run', job: { ...job, untilStep: lastStep } })
    const before = answer !== 'stuck' && 'value' in answer ? (answer.value as Omit<SeedReport, 'lane'>) : null
    return { ...stuckReport(job, lastStep, before, this.options.stuckMs), lane: lane.number }
  }
}

/** The value of an answer, of whatever type was asked for; problems are thrown. */
function valueOf(answer: WorkerAnswer | 'stuck', what: string): unknown {
  if (answer === 'stuck') throw new UsageError('ERR_WAVETANK_STUCK', `${what}: a callback does not return`)
  if ('usage' in answer) throw new UsageError(answer.usage.code, answer.usage.message)
  if ('error' in answer) throw new InternalError(`${what}: ${answer.error}`)
  return answer.value
}

function emptyLane(number: number): Lane {
  return {
    number,
    thread: null,
    progress: new Int32Array(1),
    waiting: null,
    seenStep: -1,
    sinceMs: 0,
    sinceProcessorMs: 0,
  }
}

function settle(lane: Lane, answer: WorkerAnswer | 'stuck'): void {
  const { waiting } = lane
  lane.waiting = null
  waiting?.(answer)
}
