/**
 * Invariants: promises that hold after every step. An invariant sees a run through its published events, so a step
 * that published nothing cannot change its verdict and costs nothing. It keeps what it needs to remember in variables
 * of the simulation file, which is evaluated afresh for every seed.
 *
 * An invariant is violated if it throws, returns `false`, or returns a string that says what is wrong. A TypeError or
 * ReferenceError of its own is a mistake in the invariant and says nothing about the system (`running/mistake.ts`); so is
 * any other answer, such as the promise of an `async` function, which would hold forever.
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
  /** One for all its turns: a simulation has dozens of invariants and hundreds of events. */
  readonly context: { -readonly [Name in keyof InvariantContext]: InvariantContext[Name] }
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
  private seen = 0

  constructor(log: EventLog, invariants: Readonly<Record<string, Invariant>>, files: ProcessFiles) {
    this.log = log
    this.watches = Object.entries(invariants).map(([name, invariant]) => {
      const cursor = new EventCursor(log)
      return { name, invariant, cursor, context: { events: cursor, nowMs: 0, files }, checks: 0 }
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
      watch.context.nowMs = nowMs
      watch.checks++
      const violation = this.ask(watch)
      if (violation !== null) return violation
    }
    return null
  }

  counts(): InvariantCount[] {
    return this.watches.map(({ name, checks, invariant, cursor }) => {
      return { name, checks, ...(isCounting(invariant) && { facts: invariant.factsIn(cursor) }) }
    })
  }

  private ask({ name, invariant, context }: Watch): InvariantViolation | null {
    try {
      const answer: unknown = invariant(context)
      if (answer === true || answer === undefined) return null
      if (answer === false) return this.violation(name, `'${name}' does not hold`)
      return this.violation(name, typeof answer === 'string' ? answer : wrongAnswer(answer))
    } catch (error) {
      return this.violation(name, error)
    }
  }

  private violation(name: string, reason: unknown): InvariantViolation {
    return { name, reason, event: this.log.length > 0 ? this.log.at(this.log.length - 1) : null }
  }
}

function wrongAnswer(answer: unknown): TypeError {
  const isPromise = typeof (answer as { then?: unknown } | null)?.then === 'function'
  return new TypeError(
    `an invariant: expected true, false, a sentence or nothing, and got ${inspect(answer, { depth: 0 })}` +
      (isPromise ? '; it cannot wait' : ''),
  )
}
