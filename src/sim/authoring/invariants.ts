/**
 * Invariants: promises that hold after every step. An invariant sees a run through its published events, so a step
 * that published nothing cannot change its verdict and costs nothing. It keeps what it needs to remember in variables
 * of the simulation file, which is evaluated afresh for every seed.
 *
 * An invariant is violated if it throws, returns `false`, or returns a string that says what is wrong. A TypeError or
 * ReferenceError of its own is a mistake in the invariant and says nothing about the system (`running/mistake.ts`); so is
 * any other answer, such as the promise of an `async` function, which would hold for ever.
 */
import { inspect } from 'node:util'
import { EventCursor, type EventLog, type Events, type PublishedEvent } from './event-log.ts'
import type { InvariantCount } from '../campaign/result.ts'
import type { ProcessFiles } from './watched-files.ts'

export interface InvariantContext {
  /** What is new since this invariant's last turn; `all` and `last` reach back to the beginning. */
  readonly events: Events
  /** Virtual milliseconds since the world began. */
  readonly nowMs: number
  /** What processes have on their disks. */
  readonly files: ProcessFiles
}

export type Invariant = (context: InvariantContext) => boolean | string | void

/** An invariant that knows how many facts it has judged in a run: one that saw none has shown nothing. */
export interface CountingInvariant extends Invariant {
  factsIn(events: Events): number
}

function isCounting(invariant: Invariant): invariant is CountingInvariant {
  return typeof (invariant as Partial<CountingInvariant>).factsIn === 'function'
}

interface Watch {
  readonly name: string
  readonly invariant: Invariant
  readonly cursor: EventCursor
  checks: number
}

export interface InvariantViolation {
  readonly name: string
  /** A sentence, or what the invariant threw. */
  readonly reason: unknown
  /** The newest event it saw. */
  readonly event: PublishedEvent | null
}

export class InvariantWatch {
  private readonly watches: Watch[]
  private readonly log: EventLog
  private readonly files: ProcessFiles
  private seen = 0

  constructor(log: EventLog, invariants: Readonly<Record<string, Invariant>>, files: ProcessFiles) {
    this.log = log
    this.files = files
    this.watches = Object.entries(invariants).map(([name, invariant]) => {
      return { name, invariant, cursor: new EventCursor(log), checks: 0 }
    })
  }

  /** Whether something was published since the last check. */
  get due(): boolean {
    return this.log.length > this.seen && this.watches.length > 0
  }

  /** Checks all; the first violation, or null. */
  check(nowMs: number): InvariantViolation | null {
    this.seen = this.log.length
    for (const watch of this.watches) {
      watch.cursor.advance()
      watch.checks++
      const violation = this.ask(watch, nowMs)
      if (violation !== null) return violation
    }
    return null
  }

  counts(): InvariantCount[] {
    return this.watches.map(({ name, checks, invariant, cursor }) => {
      return { name, checks, ...(isCounting(invariant) && { facts: invariant.factsIn(cursor) }) }
    })
  }

  private ask(watch: Watch, nowMs: number): InvariantViolation | null {
    const { name } = watch
    const event = this.log.length > 0 ? this.log.at(this.log.length - 1) : null
    try {
      const answer = watch.invariant({ events: watch.cursor, nowMs, files: this.files })
      if (answer === false) return { name, reason: `'${name}' does not hold`, event }
      if (typeof answer === 'string') return { name, reason: answer, event }
      return answer === true || answer === undefined ? null : { name, reason: wrongAnswer(answer), event }
    } catch (error) {
      return { name, reason: error, event }
    }
  }
}

function wrongAnswer(answer: unknown): TypeError {
  const isPromise = typeof (answer as { then?: unknown } | null)?.then === 'function'
  return new TypeError(
    `an invariant: expected true, false, a sentence or nothing, and got ${inspect(answer, { depth: 0 })}` +
      (isPromise ? '; it cannot wait' : ''),
  )
}
