/**
 * A host's wall clock: what `Date.now()` shows there. It may be off by a fixed offset, run fast or slow by a drift, and
 * jump. Monotonic time is the kernel's and knows nothing of this. All in integer microseconds.
 */
import { floor, round } from '../kernel/arithmetic.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Evidence } from './evidence.ts'

/** The wall-clock time at which every world begins: 2027-01-01T00:00:00Z. */
export const EPOCH_US = 1_798_761_600_000_000

const MILLION = 1_000_000

export class WallClock {
  private readonly kernel: Kernel
  private readonly evidence: Evidence
  private readonly host: string
  /** The clock showed `baseUs` at virtual time `sinceUs`, and has run with `drift` ppm since. */
  private baseUs: number
  private sinceUs: number
  private drift = 0
  /** A fault is under way whose first reading is its evidence. */
  private unread = false

  constructor(kernel: Kernel, evidence: Evidence, host: string, epochUs: number = EPOCH_US) {
    this.kernel = kernel
    this.evidence = evidence
    this.host = host
    this.baseUs = epochUs
    this.sinceUs = 0
    this.epochUs = epochUs
  }

  private epochUs: number

  /** Lets the clock show another date at the world's beginning. */
  beginAt(epochUs: number): void {
    this.epochUs = epochUs
    this.synchronise()
  }

  /** Parts per million by which the clock runs fast (negative: slow). */
  get driftPpm(): number {
    return this.drift
  }

  /** How far the clock is from a perfect one. */
  get offsetUs(): number {
    return this.showUs() - this.epochUs - this.kernel.now
  }

  /** Reads the clock, in microseconds since 1970. The reading itself takes no time here: see {@link Kernel.readClock}. */
  nowUs(): number {
    if (this.unread) {
      this.unread = false
      this.evidence.report('skewed-clock-read', { host: this.host, offsetUs: this.offsetUs })
    }
    return this.showUs()
  }

  /** Reads the clock in whole milliseconds, as `Date.now()` does. */
  nowMs(): number {
    return floor(this.nowUs() / 1_000)
  }

  /** Moves the clock forward or back at once. */
  jump(byUs: number): void {
    this.rebase(this.showUs() + byUs)
  }

  /** Sets how far the clock is from a perfect one. */
  setOffset(offsetUs: number): void {
    this.rebase(this.epochUs + this.kernel.now + offsetUs)
  }

  setDrift(ppm: number): void {
    this.rebase(this.showUs())
    this.drift = ppm
  }

  /** Sets the clock right, as NTP does at last: no offset, no drift. */
  synchronise(): void {
    this.setDrift(0)
    this.setOffset(0)
    this.unread = false
  }

  private rebase(shownUs: number): void {
    this.baseUs = round(shownUs)
    this.sinceUs = this.kernel.now
    this.unread = true
  }

  private showUs(): number {
    const elapsedUs = this.kernel.now - this.sinceUs
    return this.baseUs + elapsedUs + floor((elapsedUs * this.drift) / MILLION)
  }
}
