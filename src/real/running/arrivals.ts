/**
 * An open loop of load: turns are due by a schedule that does not wait for the system. A free client takes the oldest
 * turn that is due; while all are busy, turns wait, and the time that they wait counts as theirs. So a system that
 * stands still for a second is seen by all that would have asked in that second, not by the few that were asking
 * (coordinated omission).
 */

/** Turns per second in all, and a number from 0 to 1 for the next gap. */
export interface ArrivalsOptions {
  readonly rate: number
  readonly random: () => number
  /** Times are those of `performance.now()`. */
  readonly beginMs: number
  readonly untilMs: number
}

type Taker = (dueMs: number | null) => void

export class Arrivals {
  readonly #options: ArrivalsOptions
  readonly #meanMs: number
  /** Due and not taken, the oldest first. */
  readonly #due: number[] = []
  readonly #free: Taker[] = []
  #nextMs: number
  #timer: NodeJS.Timeout | undefined
  #over = false

  constructor(options: ArrivalsOptions) {
    this.#options = options
    this.#meanMs = 1000 / options.rate
    this.#nextMs = options.beginMs + this.#gap()
    this.#plan()
  }

  /** When the next turn was due; null: there are no more. */
  next(): Promise<number | null> {
    this.#fall()
    const dueMs = this.#due.shift()
    if (dueMs !== undefined) return Promise.resolve(dueMs)
    if (this.#over) return Promise.resolve(null)
    return new Promise((resolve) => this.#free.push(resolve))
  }

  /** Ends the schedule. Returns the turns that were due and found no free client. */
  end(): readonly number[] {
    this.#fall()
    clearTimeout(this.#timer)
    this.#over = true
    for (const take of this.#free.splice(0)) take(null)
    return this.#due.splice(0)
  }

  /** Makes due what is due by now, and hands it out. */
  #fall(): void {
    const { untilMs } = this.#options
    for (const nowMs = performance.now(); this.#nextMs <= nowMs && this.#nextMs < untilMs;) {
      this.#due.push(this.#nextMs)
      this.#nextMs += this.#gap()
    }
    while (this.#due.length > 0 && this.#free.length > 0) this.#free.shift()!(this.#due.shift()!)
  }

  #plan(): void {
    if (this.#nextMs >= this.#options.untilMs) return
    this.#timer = setTimeout(
      () => {
        this.#fall()
        if (!this.#over) this.#plan()
      },
      Math.max(0, this.#nextMs - performance.now()),
    )
  }

  /** Exponential: arrivals of many callers that know nothing of each other. */
  #gap(): number {
    return -Math.log(1 - this.#options.random()) * this.#meanMs
  }
}
