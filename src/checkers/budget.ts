/**
 * What a check may spend: wall time and memory. Every part of a check asks the same object, so that a check which
 * consists of several searches keeps one limit, and one that stops says which limit stopped it.
 *
 * - **Time** is the host's. A checker may run inside a simulated process, where `performance.now` is virtual and stands
 *   still during a computation, so the host's function is taken when this file is loaded.
 * - **Memory** is counted twice, and the larger count decides. Searches hold the bytes of the tables and states that
 *   they are about to make, which is exact where one large table decides and known before it is made. Everything else
 *   is measured (memory-in-use.ts): by how much the thread has grown since the budget was made, or, for a budget of
 *   the whole process, everything that the process has. When much of it may be garbage, it is collected first.
 * - **The heap** has a limit of its own, set by V8: above {@link HEAP_SHARE} of it the budget is spent, because the next
 *   step would be the end of the process (exit code 134) instead of an answer.
 *
 * A spent budget stays spent. The verdict is then `unknown`, with {@link Budget.reason}, never `valid` or `invalid`.
 *
 * A check is synchronous, so at any time at most one budget is being spent in a thread. Parts that only make tables need
 * not be handed that budget: they call {@link askRunning} and {@link reserve}.
 */
import { getHeapStatistics } from 'node:v8'
import { GarbageCollection, memoryInUse, residentBytes } from './memory-in-use.ts'

const { performance } = globalThis
const hostNowMs = performance.now.bind(performance)

/** Limits of a check, as users give them. */
export interface Limits {
  /** Wall time of the host. Default 60,000. */
  readonly timeoutWallMs?: number | undefined
  /** Default 1,024. */
  readonly memoryMb?: number | undefined
}

/** A check that is part of a larger one gets the larger one's budget; its own limits do not count then. */
export interface BudgetOptions extends Limits {
  readonly budget?: Budget | undefined
}

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MEMORY_MB = 1024
const BYTES_PER_MB = 1024 * 1024

/** Share of the thread's heap limit above which no search goes on. */
const HEAP_SHARE = 0.85
/** Asks between two looks at the clock, at most; a slow search looks more often. */
const MOST_ASKS = 256
/** A look at the clock comes about this often. */
const LOOK_EVERY_MS = 5
/** Asking for memory costs more than asking for the time. */
const MEMORY_EVERY_MS = 50
/**
 * Growth of a thread up to this is not held against a check: V8 lets its heap grow by about as much before it collects
 * the garbage, which need not be the check's.
 */
const UNMEASURED_BYTES = 64 * BYTES_PER_MB
/** What is measured may be this share of the limit; V8 needs the rest while it collects, and between two looks. */
const MEASURED_SHARE = 0.92
/** From this share of the limit on, garbage is collected before the limit is said to be reached. */
const COLLECT_SHARE = 0.85

/** Thrown by {@link Budget.ask}; only {@link Budget.within} and {@link Budget.during} see it. */
class BudgetSpent extends Error {}

export class Budget {
  readonly timeoutWallMs: number
  readonly memoryMb: number
  /** Why the budget is spent: `the time limit of 60000 ms was reached`; null while it is not. */
  reason: string | null = null
  readonly #parent: Budget | null
  #deadlineMs: number
  #heldBytes = 0
  #asksLeft = 1
  #stride = 1
  #lookedMs: number
  #memoryLookedMs: number
  /** Memory in use that is not this check's, and up to where no growth is held against it. */
  #othersBytes: number
  #unmeasuredBytes: number
  readonly #garbage: GarbageCollection

  constructor({ timeoutWallMs, memoryMb }: Limits = {}, parent: Budget | null = null) {
    this.timeoutWallMs = timeoutWallMs ?? DEFAULT_TIMEOUT_MS
    this.memoryMb = memoryMb ?? DEFAULT_MEMORY_MB
    this.#parent = parent
    this.#othersBytes = parent === null ? memoryInUse() : 0
    this.#memoryLookedMs = parent === null ? 0 : parent.#memoryLookedMs
    this.#unmeasuredBytes = parent === null ? UNMEASURED_BYTES : parent.#unmeasuredBytes
    this.#garbage = parent === null ? new GarbageCollection(hostNowMs) : parent.#garbage
    this.#lookedMs = hostNowMs()
    this.#deadlineMs = this.#lookedMs + this.timeoutWallMs
  }

  /** The budget of the larger check where there is one, else a new one with these limits. */
  static of({ budget, timeoutWallMs, memoryMb }: BudgetOptions): Budget {
    return budget ?? new Budget({ timeoutWallMs, memoryMb })
  }

  /**
   * For a process that does nothing else: all of its resident memory counts, what it had before the budget was made
   * included.
   */
  static ofProcess(limits: Limits): Budget {
    const budget = new Budget(limits)
    budget.#othersBytes = memoryInUse() - residentBytes()
    budget.#unmeasuredBytes = 0
    return budget
  }

  /**
   * For what comes after the work that this budget was made for: finite limits go on from where they began, the others
   * are the defaults, from now on.
   */
  continued(): Budget {
    const given = (limit: number): number | undefined => (Number.isFinite(limit) ? limit : undefined)
    const next = new Budget({ timeoutWallMs: given(this.timeoutWallMs), memoryMb: given(this.memoryMb) })
    if (Number.isFinite(this.timeoutWallMs)) next.#deadlineMs = this.#deadlineMs
    if (Number.isFinite(this.memoryMb)) {
      next.#othersBytes = this.#othersBytes
      next.#unmeasuredBytes = this.#unmeasuredBytes
    }
    return next
  }

  get memoryBytes(): number {
    return this.memoryMb * BYTES_PER_MB
  }

  /** Bytes that this check has made the thread, or the process, take so far. */
  get measuredBytes(): number {
    return this.#parent === null ? memoryInUse() - this.#othersBytes : this.#parent.measuredBytes
  }

  /** Bytes that searches hold now. */
  get heldBytes(): number {
    return this.#parent === null ? this.#heldBytes : this.#parent.heldBytes
  }

  get leftBytes(): number {
    return this.memoryBytes - this.heldBytes
  }

  get leftMs(): number {
    return Math.max(0, this.#deadlineMs - hostNowMs())
  }

  /** A search allocated this much; it asks `isSpent` afterwards. */
  hold(bytes: number): void {
    if (this.#parent !== null) this.#parent.hold(bytes)
    else this.#heldBytes += bytes
  }

  /** A search let go of what it held. */
  release(bytes: number): void {
    this.hold(-bytes)
  }

  /**
   * A budget for an attempt that may use only a share of the time that is left; memory is common to both. When the
   * attempt has spent its share, this budget goes on.
   */
  share(fraction: number): Budget {
    return new Budget({ timeoutWallMs: Math.ceil(this.leftMs * fraction), memoryMb: this.memoryMb }, this)
  }

  /** Whether to stop. Made for inner loops: most calls only count. */
  isSpent(): boolean {
    if (--this.#asksLeft > 0) return this.reason !== null
    return this.look()
  }

  /** For searches with nothing to return when they stop: ends them, up to the nearest {@link Budget.within}. */
  ask(): void {
    if (this.isSpent()) throw new BudgetSpent(this.reason!)
  }

  /** Asks for room before this many bytes are allocated, and ends the search if there is none. */
  reserve(bytes: number): void {
    if (!this.look()) this.#lookAtMemory(bytes)
    if (this.reason !== null) throw new BudgetSpent(this.reason)
  }

  /**
   * Runs a search that holds this much from the beginning, and more if it says so; null when the budget was spent on
   * the way. In the end nothing of it is held.
   */
  within<T>(bytes: number, search: () => T): T | null {
    const before = this.heldBytes
    this.hold(bytes)
    try {
      if (this.look()) return null
      return spending(this, search)
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error
      // What ended the search may be a part of a larger one, whose budget is spent, too.
      if (this.reason === null && !this.look()) throw error
      return null
    } finally {
      this.release(this.heldBytes - before)
    }
  }

  /** `within` for work that waits, such as reading: it asks this budget itself. */
  async during<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error
      return null
    }
  }

  /** `isSpent` without skipping a look at the clock and at memory. */
  look(): boolean {
    if (this.reason !== null) return true
    const now = hostNowMs()
    const elapsedMs = now - this.#lookedMs
    this.#lookedMs = now
    this.#stride =
      elapsedMs > LOOK_EVERY_MS ? Math.max(1, this.#stride >> 2) : Math.min(MOST_ASKS, this.#stride * 2)
    this.#asksLeft = this.#stride
    if (now > this.#deadlineMs) this.reason = `the time limit of ${this.timeoutWallMs} ms was reached`
    else if (this.heldBytes > this.memoryBytes) this.reason = this.#memoryReached()
    else if (now - this.#memoryLookedMs > MEMORY_EVERY_MS) this.#lookAtMemory(0)
    return this.reason !== null
  }

  #memoryReached(): string {
    return `the memory limit of ${this.memoryMb} MB was reached`
  }

  /** Whether there is room for some more bytes. */
  #lookAtMemory(bytes: number): void {
    if (this.#isCrowded(bytes, COLLECT_SHARE)) {
      this.#garbage.collect()
      if (this.#isCrowded(bytes, MEASURED_SHARE)) this.reason = this.#memoryReached()
    }
    this.reason ??= crampedHeap()
    this.#memoryLookedMs = hostNowMs()
  }

  #isCrowded(bytes: number, share: number): boolean {
    return this.measuredBytes + bytes > Math.max(this.memoryBytes * share, this.#unmeasuredBytes)
  }
}

/** The budget that is being spent in this thread. */
let running: Budget | null = null

function spending<T>(budget: Budget, work: () => T): T {
  const around = running
  running = budget
  try {
    return work()
  } finally {
    running = around
  }
}

/** For parts of a check that were handed no budget: ends the check when its budget is spent. */
export function askRunning(): void {
  running?.ask()
}

/** For parts of a check that were handed no budget: ends the check when there is no room for these bytes. */
export function reserve(bytes: number): void {
  running?.reserve(bytes)
}

/** Set when the heap of this thread is nearly full, whatever the searches counted. */
function crampedHeap(): string | null {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  if (limit <= 0 || used < limit * HEAP_SHARE) return null
  const limitMb = Math.round(limit / BYTES_PER_MB)
  return `the heap of this process is nearly full (${limitMb} MB; node --max-old-space-size raises it)`
}
