/**
 * The faults of a running disk, as data, and the evidence of those that struck. Rates are per operation in parts per
 * million and all zero by default; a fault counts only when it took effect on the victim.
 *
 * Budget: unchanged image files are spared, because a program whose own code rots says nothing about its design. Losing
 * unsynced data at power loss is not a fault but the contract of a disk: see `power-loss.ts`.
 */
import { max, round } from '../../kernel/arithmetic.ts'
import type { Choices, ChoiceStream } from '../../kernel/choices.ts'
import type { Evidence } from '../evidence.ts'

export interface DiskFaults {
  /** EIO from a read. */
  readonly readErrorPpm: number
  /** EIO from a write, nothing written. */
  readonly writeErrorPpm: number
  /** EIO from fsync: the dirty pages are then taken for clean. */
  readonly syncErrorPpm: number
  /** fsync that says yes and does nothing. */
  readonly lyingSyncPpm: number
  /** A write that takes only a part of its bytes. */
  readonly shortWritePpm: number
  /** A read that gives only a part of the bytes that are there. */
  readonly shortReadPpm: number
  /** EMFILE from open. */
  readonly openErrorPpm: number
  /** A bit of a file flips; a reader notices it. */
  readonly bitRotPpm: number
  /** Per page reaching the medium: it lands in the place of another page of the file. */
  readonly misdirectedWritePpm: number
  /** Per page reaching the medium: it never arrives. */
  readonly phantomWritePpm: number
  /** An operation takes very long. */
  readonly stallPpm: number
  readonly stallMinUs: number
  readonly stallMaxUs: number
  /** Operations per second, one after the other; 0 is without limit. */
  readonly operationsPerS: number
}

/**
 * What a power loss leaves of what was not synced: by choice (`drawn`), or as one fault has it: the last page of each
 * file torn, pages in another order than written, or no name that was not synced.
 */
export type Survival = 'drawn' | 'torn' | 'reordered' | 'nameless'

export const NO_DISK_FAULTS: DiskFaults = {
  readErrorPpm: 0,
  writeErrorPpm: 0,
  syncErrorPpm: 0,
  lyingSyncPpm: 0,
  shortWritePpm: 0,
  shortReadPpm: 0,
  openErrorPpm: 0,
  bitRotPpm: 0,
  misdirectedWritePpm: 0,
  phantomWritePpm: 0,
  stallPpm: 0,
  stallMinUs: 10_000,
  stallMaxUs: 2_000_000,
  operationsPerS: 0,
}

export type DiskFaultKind =
  | 'read-error'
  | 'write-error'
  | 'sync-error'
  | 'lying-sync'
  | 'short-write'
  | 'short-read'
  | 'no-descriptor'
  | 'bit-rot'
  | 'misdirected-write'
  | 'phantom-write'
  | 'stall'
  | 'throttle'
  | 'no-space'
  | 'lost-write'
  | 'torn-write'
  | 'reordered-write'
  | 'lost-name'

/** The disk faults of one host: the rates in force, the draws, and what landed. */
export class DiskFaultBook {
  rates: DiskFaults
  survival: Survival = 'drawn'
  /** Until when earlier operations occupy a throttled disk. */
  private busyUntilUs = 0
  private readonly evidence: Evidence
  private readonly host: string
  private readonly choices: Choices
  private readonly entity: string
  private readonly streams = new Map<string, ChoiceStream>()

  private readonly nowUs: () => number

  constructor(options: {
    choices: Choices
    host: string
    rates: DiskFaults
    evidence: Evidence
    nowUs: () => number
  }) {
    this.nowUs = options.nowUs
    this.choices = options.choices
    this.host = options.host
    this.entity = `disk ${options.host}`
    this.rates = options.rates
    this.evidence = options.evidence
  }

  /** Draws whether a fault strikes. A rate of zero draws nothing, so that a quiet disk costs and records nothing. */
  strikes(kind: DiskFaultKind, ppm: number): boolean {
    return ppm > 0 && this.stream(kind).chance(ppm)
  }

  stream(label: string): ChoiceStream {
    let stream = this.streams.get(label)
    if (stream === undefined) this.streams.set(label, (stream = this.choices.stream(this.entity, label)))
    return stream
  }

  /** A fault took effect: evidence of kind `disk-<kind>`, with the inode number of the victim. */
  land(kind: DiskFaultKind, ino: number): void {
    this.evidence.report(`disk-${kind}`, { host: this.host, ino })
  }

  /** How much longer than usual an operation takes. */
  stallUs(): number {
    const { stallPpm, stallMinUs, stallMaxUs, operationsPerS } = this.rates
    const throttledUs = operationsPerS === 0 ? 0 : this.waitInLine(operationsPerS)
    if (!this.strikes('stall', stallPpm)) return throttledUs
    this.land('stall', 0)
    return throttledUs + this.stream('stall length').between(stallMinUs, stallMaxUs)
  }

  private waitInLine(operationsPerS: number): number {
    const now = this.nowUs()
    this.busyUntilUs = max(this.busyUntilUs, now) + round(1_000_000 / operationsPerS)
    this.land('throttle', 0)
    return this.busyUntilUs - now
  }
}
