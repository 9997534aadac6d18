/**
 * What a check may spend: wall time and memory. Every search asks the same object, so that a check which consists of
 * several searches keeps one limit, and a search that stops says which limit stopped it.
 *
 * - **Time** is the host's. A checker may run inside a simulated process, where `performance.now` is virtual and stands
 *   still during a computation, so the host's function is taken when this file is loaded.
 * - **Memory** is what the searches count: each holds the bytes of the tables and states that it allocates. The count is
 *   an estimate, so the real heap of the thread is a second limit: above {@link HEAP_SHARE} of it the budget is spent,
 *   because the next step would be the end of the process (exit code 134) instead of an answer.
 *
 * A spent budget stays spent. The verdict is then `unknown`, with {@link Budget.reason}, never `valid` or `invalid`.
 */
import { getHeapStatistics } from 'node:v8'

const { performance } = globalThis
const hostNowMs = performance.now.bind(performance)

/** Limits of a check, as users give them. */
export interface Limits {
  /** Wall time of the host. Default 60,000. */
  readonly timeoutMs?: number | undefined
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
/** Asking for the heap's size costs more than asking for the time. */
const HEAP_EVERY_MS = 50

/** Thrown by {@link Budget.ask}; no one but {@link Budget.within} sees it. */
class BudgetSpent extends Error {}

export class Budget {
  readonly timeoutMs: number
  readonly memoryMb: number
  /** Why the budget is spent: `the time limit of 60000 ms was reached`; null while it is not. */
  reason: string | null = null
  readonly #parent: Budget | null
  readonly #deadlineMs: number
  #heldBytes = 0
  #asksLeft = 1
  #stride = 1
  #lookedMs: number
  #heapLookedMs = 0

  constructor({ timeoutMs, memoryMb }: Limits = {}, parent: Budget | null = null) {
    this.timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS
    this.memoryMb = memoryMb ?? DEFAULT_MEMORY_MB
    this.#parent = parent
    this.#lookedMs = hostNowMs()
    this.#deadlineMs = this.#lookedMs + this.timeoutMs
  }

  /** The budget of the larger check where there is one, else a new one with these limits. */
  static of({ budget, timeoutMs, memoryMb }: BudgetOptions): Budget {
    return budget ?? new Budget({ timeoutMs, memoryMb })
  }

  get memoryBytes(): number {
    return this.memoryMb * BYTES_PER_MB
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
    return new Budget({ timeoutMs: Math.ceil(this.leftMs * fraction), memoryMb: this.memoryMb }, this)
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

  /**
   * Runs a search that holds this much from the beginning, and more if it says so; null when the budget was spent on
   * the way. In the end nothing of it is held.
   */
  within<T>(bytes: number, search: () => T): T | null {
    const before = this.heldBytes
    this.hold(bytes)
    try {
      if (this.look()) return null
      return search()
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error
      return null
    } finally {
      this.release(this.heldBytes - before)
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
    if (now > this.#deadlineMs) this.reason = `the time limit of ${this.timeoutMs} ms was reached`
    else if (this.heldBytes > this.memoryBytes)
      this.reason = `the memory limit of ${this.memoryMb} MB was reached`
    else if (now - this.#heapLookedMs > HEAP_EVERY_MS) {
      this.#heapLookedMs = now
      this.reason = crampedHeap()
    }
    return this.reason !== null
  }
}

/** Set when the heap of this thread is nearly full, whatever the searches counted. */
function crampedHeap(): string | null {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  if (limit <= 0 || used < limit * HEAP_SHARE) return null
  const limitMb = Math.round(limit / BYTES_PER_MB)
  return `the heap of this process is nearly full (${limitMb} MB; node --max-old-space-size raises it)`
}
