/**
 * Worker threads that run seeds. A slot holds one thread with one job at a time. Seeds are hermetic, so a thread serves
 * thousands of them. A thread may be lost: it makes no step for too long, because it is stuck inside a callback (a
 * synchronous loop without end), it runs out of memory, or it dies. The pool then reports the seed (`lost-seed.ts`) and
 * starts a new thread in its slot.
 *
 * A thread that ran out of memory or died may have done so because of an earlier seed. Its seed runs again in a fresh
 * thread, and only a seed that loses that one too is reported. A thread in which a program changed what cannot be put back
 * has answered, but serves no other seed.
 */
import { Worker } from 'node:worker_threads'
import { max } from '../../kernel/arithmetic.ts'
import { InternalError, UsageError } from '../../kernel/errors.ts'
import type { Declaration } from './declarations.ts'
import type { HostClock, SeedExecutor, SeedJob, SeedReport } from './executor.ts'
import { lossText, lostReport, type LostThread, type ThreadLimits } from './lost-seed.ts'

export interface ThreadPoolOptions extends ThreadLimits {
  readonly threads: number
  /** The module that a thread runs: see `tank-worker.ts`. */
  readonly worker: URL
  readonly execArgv?: readonly string[]
  /** The project's root. */
  readonly root: string
  readonly clock: HostClock
  /** Milliseconds without a step after which a thread counts as stuck, if it had a processor for half of them. */
  readonly stuckWallMs: number
  /** Megabytes of heap that a thread may use. */
  readonly memoryMb: number
  /** For a worker's module of its own: what it is given, and what it says beside its answers. */
  readonly own?: { readonly data: unknown; readonly onNote: (note: unknown) => void }
}

/** What a thread is given when it starts. */
export interface WorkerData {
  readonly root: string
  /** See {@link ThreadPoolOptions.own}. */
  readonly own: unknown
  /** One number: the step of the run. */
  readonly progress: SharedArrayBuffer
}

export type WorkerRequest =
  | { readonly type: 'run' | 'record'; readonly job: SeedJob }
  | { readonly type: 'declare'; readonly file: string }

export type WorkerAnswer =
  | { readonly value: unknown; /** The thread can run no other seed. */ readonly isStained?: boolean }
  | { readonly usage: { readonly code: string; readonly message: string } }
  | { readonly error: string }

/** What a worker's module of its own says beside its answers. */
export interface WorkerNote {
  readonly note: unknown
}

type Answer = WorkerAnswer | LostThread

interface Slot {
  readonly number: number
  thread: Worker | null
  progress: Int32Array
  waiting: ((answer: Answer) => void) | null
  /** For the watchdog: the step last seen, and since when, by the wall clock and in processor time. */
  seenStep: number
  sinceMs: number
  sinceProcessorMs: number
}

const WATCH_EVERY_MS = 250

/** The step of a thread that still loads its own program; the first request sets it to 0. */
const NOT_BEGUN = -1

/** Not a step: the watchdog has not looked yet. */
const UNSEEN = -2

/** Milliseconds that a thread has at least for that. */
const START_MS = 20_000

/** Not the number of a slot. */
const ANY = -1

/** On a machine that is busy with something else a thread has its time to make a step, but not all the time. */
const MOST_PATIENCE = 10

/** `Recorded` is what the worker's program makes of a run that is to be looked at: see `tank-worker.ts`. */
export class ThreadPool<Recorded = unknown> implements SeedExecutor {
  readonly threads: number
  private readonly options: ThreadPoolOptions
  private readonly all: Slot[]
  private readonly free: Slot[]
  private readonly queue: { readonly take: (slot: Slot) => void; readonly notSlot: number }[] = []
  private readonly stopWatching: () => void
  private closed = false

  constructor(options: ThreadPoolOptions) {
    this.options = options
    this.threads = options.threads
    this.all = Array.from({ length: options.threads }, (_, number) => emptySlot(number))
    this.free = [...this.all]
    this.stopWatching = options.clock.every(WATCH_EVERY_MS, () => this.watch())
  }

  run(job: SeedJob): Promise<SeedReport> {
    return this.onSlot(ANY, (slot) => this.runOn(slot, job))
  }

  async runTwice(job: SeedJob): Promise<readonly [SeedReport, SeedReport]> {
    let used = ANY
    const first = await this.onSlot(ANY, (slot) => {
      used = slot.number
      return this.runOn(slot, job)
    })
    return [first, await this.onSlot(used, (slot) => this.runOn(slot, job))]
  }

  /** Runs a job and gives back everything about the run. */
  record(job: SeedJob): Promise<Recorded> {
    return this.onSlot(ANY, async (slot) => {
      const answer = await this.ask(slot, { type: 'record', job })
      return this.valueOf(answer, `seed ${job.seed}`) as Recorded
    })
  }

  /** The simulations that a file declares. */
  declarations(file: string): Promise<Declaration[]> {
    return this.onSlot(ANY, async (slot) => {
      const answer = await this.ask(slot, { type: 'declare', file })
      return this.valueOf(answer, file) as Declaration[]
    })
  }

  async close(): Promise<void> {
    this.closed = true // a seed that loses its thread by this must not start another
    this.stopWatching()
    for (const { thread } of this.all) await thread?.terminate()
  }

  private async runOn(slot: Slot, job: SeedJob): Promise<SeedReport> {
    const first = await this.attempt(slot, job)
    if (!('lost' in first)) return this.valueOf(first, `seed ${job.seed}`) as SeedReport
    if (first.lost === 'stuck') return this.reportLost(slot, job, first)
    const second = await this.attempt(slot, job)
    if ('lost' in second) return this.reportLost(slot, job, second)
    return this.valueOf(second, `seed ${job.seed}`) as SeedReport
  }

  /** Runs a job. An error of ours inside it may have any cause and any effect: the thread is given up. */
  private async attempt(slot: Slot, job: SeedJob): Promise<Answer> {
    const answer = await this.ask(slot, { type: 'run', job })
    if (!('error' in answer)) return answer
    const lastStep = max(0, stepOf(slot))
    this.giveUp(slot)
    return { lost: 'crashed', why: answer.error, lastStep }
  }

  private giveUp(slot: Slot): void {
    const { thread } = slot
    slot.thread = null
    void thread?.terminate()
  }

  private async onSlot<T>(notSlot: number, use: (slot: Slot) => Promise<T>): Promise<T> {
    const slot = await this.acquire(notSlot)
    try {
      return await use(slot)
    } finally {
      this.release(slot)
    }
  }

  private acquire(notSlot: number): Promise<Slot> {
    const only = this.threads === 1 ? ANY : notSlot
    const index = this.free.findIndex((slot) => slot.number !== only)
    if (index >= 0) return Promise.resolve(this.free.splice(index, 1)[0])
    return new Promise((take) => this.queue.push({ take, notSlot: only }))
  }

  private release(slot: Slot): void {
    const next = this.queue.findIndex(({ notSlot }) => notSlot !== slot.number)
    if (next < 0) this.free.push(slot)
    else this.queue.splice(next, 1)[0].take(slot)
  }

  private ask(slot: Slot, request: WorkerRequest): Promise<Answer> {
    if (this.closed) return Promise.reject(new InternalError('the threads have been closed'))
    slot.thread ??= this.start(slot)
    slot.seenStep = UNSEEN
    return new Promise((resolve) => {
      slot.waiting = resolve
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      slot.thread!.postMessage(request)
    })
  }

  private start(slot: Slot): Worker {
    const { worker, root, execArgv, memoryMb, own } = this.options
    const progress = new SharedArrayBuffer(4)
    slot.progress = new Int32Array(progress).fill(NOT_BEGUN)
    const workerData: WorkerData = { root, progress, own: own?.data }
    const thread = new Worker(worker, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
    })
    // A thread that was given up may still have something to say; its slot has another one by then.
    const settleOwn = (answer: WorkerAnswer | WorkerNote): void => {
      if (slot.thread !== thread) return
      if ('note' in answer) return own?.onNote(answer.note)
      if ('value' in answer && answer.isStained === true) this.giveUp(slot)
      settle(slot, answer)
    }
    const lose = (lost: LostThread['lost'], why: string): void => {
      if (slot.thread !== thread) return
      slot.thread = null
      settle(slot, { lost, why, lastStep: max(0, stepOf(slot)) })
    }
    thread.on('message', settleOwn)
    thread.on('error', (error: NodeJS.ErrnoException) => {
      lose(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out-of-memory' : 'crashed',
        error.stack ?? error.message,
      )
    })
    thread.on('exit', (code) => lose('crashed', `it exited with code ${code}`))
    return thread
  }

  /** Kills threads whose step did not change for too long. */
  private watch(): void {
    const { clock, stuckWallMs } = this.options
    const nowMs = clock.nowMs()
    const processorMs = clock.processorMs()
    const busy = this.all.filter(({ waiting }) => waiting !== null)
    for (const slot of busy) {
      const step = stepOf(slot)
      if (step !== slot.seenStep) {
        slot.seenStep = step
        slot.sinceMs = nowMs
        slot.sinceProcessorMs = processorMs
      } else if (
        isStuck(
          step === NOT_BEGUN ? max(stuckWallMs, START_MS) : stuckWallMs,
          nowMs - slot.sinceMs,
          (processorMs - slot.sinceProcessorMs) / busy.length,
        )
      ) {
        this.giveUp(slot)
        settle(slot, { lost: 'stuck', why: '', lastStep: max(0, step) })
      }
    }
  }

  /** A fresh thread runs the seed again up to the step before, and says whose callback comes next. */
  private async reportLost(slot: Slot, job: SeedJob, thread: LostThread): Promise<SeedReport> {
    const answer = await this.ask(slot, { type: 'run', job: { ...job, untilStep: thread.lastStep } })
    const before = 'value' in answer ? (answer.value as SeedReport) : null
    return lostReport(job, thread, before, this.options)
  }

  /** The value of an answer, of whatever type was asked for; problems are thrown. */
  private valueOf(answer: Answer, what: string): unknown {
    if ('lost' in answer)
      throw new UsageError(LOST[answer.lost], `${what}: ${lossText(answer, null, this.options)}`)
    if ('usage' in answer) throw new UsageError(answer.usage.code, answer.usage.message)
    if ('error' in answer) throw new InternalError(`${what}: ${answer.error}`)
    return answer.value
  }
}

/** A loop without end uses the processor; a thread that waits for one does not, and is given more time. */
function isStuck(stuckWallMs: number, wallMs: number, processorMs: number): boolean {
  return wallMs > stuckWallMs && (processorMs > stuckWallMs / 2 || wallMs > MOST_PATIENCE * stuckWallMs)
}

const LOST = {
  stuck: 'ERR_WAVETANK_STUCK',
  'out-of-memory': 'ERR_WAVETANK_OUT_OF_MEMORY',
  crashed: 'ERR_WAVETANK_CRASHED',
} as const

function emptySlot(number: number): Slot {
  return {
    number,
    thread: null,
    progress: new Int32Array(1),
    waiting: null,
    seenStep: UNSEEN,
    sinceMs: 0,
    sinceProcessorMs: 0,
  }
}

function stepOf({ progress }: Slot): number {
  return Atomics.load(progress, 0)
}

function settle(slot: Slot, answer: Answer): void {
  const { waiting } = slot
  slot.waiting = null
  waiting?.(answer)
}
