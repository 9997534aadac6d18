/**
 * What the lanes of an exploration know of each other, in memory that their threads share: who runs which lane, at which
 * iteration it is, and which iteration is the last that still matters, since an earlier one has not held.
 */
const LAST = 0
const LANES = 1
const MOST_ITERATIONS = 2 ** 31 - 1

export class LaneBoard {
  readonly memory: SharedArrayBuffer
  private readonly cells: Int32Array

  /** A board for so many lanes, or one that another thread has made. */
  constructor(of: number | SharedArrayBuffer) {
    this.memory = typeof of === 'number' ? new SharedArrayBuffer(4 * (LANES + of)) : of
    this.cells = new Int32Array(this.memory)
    if (typeof of === 'number') this.cells[LAST] = MOST_ITERATIONS
  }

  /** Iterations after this one need not be run. */
  get last(): number {
    return Atomics.load(this.cells, LAST)
  }

  /** An iteration has not held, so that later ones do not matter; with 0, none does any more. */
  endAt(iteration: number): void {
    for (let last = this.last; iteration < last; last = this.last)
      Atomics.compareExchange(this.cells, LAST, last, iteration)
  }

  /** Takes a lane for the calling thread; false where another thread has it. */
  take(lane: number): boolean {
    return Atomics.compareExchange(this.cells, LANES + lane, 0, lane + 1) === 0
  }

  enter(lane: number, iteration: number): void {
    Atomics.store(this.cells, LANES + lane, iteration)
  }

  /** The iteration that a lane is at, or the last that it ran; 0 while nobody has taken it. */
  at(lane: number): number {
    return Atomics.load(this.cells, LANES + lane)
  }
}
