/**
 * What the shares of an exploration know of each other, in memory that their threads have in common: which shares are
 * taken, the iteration that each has reached, and the last iteration that still matters because no earlier one failed.
 */
const LAST = 0
const SHARES = 1
const MOST_ITERATIONS = 2 ** 31 - 1

export class ShareBoard {
  readonly memory: SharedArrayBuffer
  private readonly cells: Int32Array

  /** A new board for a number of shares, or a view of one that another thread has made. */
  constructor(of: number | SharedArrayBuffer) {
    this.memory = typeof of === 'number' ? new SharedArrayBuffer(4 * (SHARES + of)) : of
    this.cells = new Int32Array(this.memory)
    if (typeof of === 'number') this.cells[LAST] = MOST_ITERATIONS
  }

  /** Iterations after this one need not be run. */
  get last(): number {
    return Atomics.load(this.cells, LAST)
  }

  /** An iteration did not hold, so later ones do not matter. With 0, none matters any more. */
  endAt(iteration: number): void {
    for (let last = this.last; iteration < last; last = this.last)
      Atomics.compareExchange(this.cells, LAST, last, iteration)
  }

  /** Takes a share for the calling thread; false if another thread has it. */
  take(share: number): boolean {
    return Atomics.compareExchange(this.cells, SHARES + share, 0, share + 1) === 0
  }

  enter(share: number, iteration: number): void {
    Atomics.store(this.cells, SHARES + share, iteration)
  }

  /** The iteration that a share has reached, or the last one that it ran; 0 if no thread has taken it. */
  at(share: number): number {
    return Atomics.load(this.cells, SHARES + share)
  }
}
