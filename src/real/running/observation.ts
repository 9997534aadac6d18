/**
 * What is seen of a real run: events in one order, invariants over them, and both on disk as they happen. Before an
 * event is published, everything that nodes have written is read, so that a line that a node printed before it answered
 * stands before the answer. Where nodes do not talk to each other the order says nothing, as it says nothing in reality.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { EventLog, type PublishedData, type PublishedEvent } from '../../sim/authoring/event-log.ts'
import type { SimulationDefinition } from '../../sim/authoring/definition.ts'
import { InvariantWatch } from '../../sim/authoring/invariants.ts'
import type { FailureCategory } from '../../sim/running/failure.ts'
import { isMistake, mistakeText } from '../../sim/running/mistake.ts'
import type { OutsideFiles } from './real-files.ts'
import type { RealInvariant } from './result.ts'

export interface ObservationOptions {
  readonly definition: Pick<SimulationDefinition, 'invariants' | 'needsTank'>
  readonly files: OutsideFiles
  /** Microseconds since the run began. */
  readonly nowUs: () => number
  /** Reads what nodes have written. */
  readonly drain: () => void
  readonly fail: (category: FailureCategory, title: string, message: string) => void
  /** Why this run shows invariants too little of what they read; null: it shows all that a real run can. */
  readonly blind: string | null
  /** Called after an event was published. */
  readonly saw?: (event: PublishedEvent) => void
  /** The file of events; null: events are not kept. */
  readonly path: string | null
}

interface Watched {
  readonly name: string
  readonly watch: InvariantWatch
  status: RealInvariant['status']
  reason: string | null
}

export class Observation {
  readonly events = new EventLog()
  readonly #options: ObservationOptions
  readonly #watched: Watched[]
  readonly #file: number | null
  #draining = false

  constructor(options: ObservationOptions) {
    this.#options = options
    const { invariants = {}, needsTank = [] } = options.definition
    this.#watched = Object.entries(invariants).map(([name, invariant]) => {
      const watch = new InvariantWatch(this.events, { [name]: invariant }, options.files)
      const reason = needsTank.includes(name)
        ? 'its author says that it needs the tank (needsTank)'
        : options.blind
      return { name, watch, status: reason === null ? 'held' : 'left out', reason }
    })
    this.#file = options.path === null ? null : openSync(options.path, 'a')
  }

  publish<Name extends keyof PublishedData>(source: string, name: Name, data: PublishedData[Name]): void
  publish(source: string, name: string, data: unknown): void
  publish(source: string, name: string, data: unknown): void {
    if (!this.#draining) this.drain()
    this.take({ step: this.events.length, timeUs: this.#options.nowUs(), source, name, data })
  }

  /** Reads what nodes have written; their lines become events. */
  drain(): void {
    this.#draining = true
    try {
      this.#options.drain()
    } finally {
      this.#draining = false
    }
  }

  /** Adds an event as it is, and asks the invariants. */
  take(event: Omit<PublishedEvent, 'seq'>): void {
    this.events.publish(event)
    if (this.#file !== null) writeSync(this.#file, `${JSON.stringify(event)}\n`)
    for (const watched of this.#watched) if (watched.status === 'held') this.#ask(watched, event.timeUs)
    this.#options.saw?.({ ...event, seq: this.events.length - 1 })
  }

  invariants(): RealInvariant[] {
    return this.#watched.map(({ name, watch, status, reason }) => {
      return { name, checks: watch.counts()[0].checks, status, reason }
    })
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
  }

  #ask(watched: Watched, timeUs: number): void {
    const violation = watched.watch.check(timeUs / 1000)
    const needs = this.#options.files.takeReason()
    if (needs !== null) {
      watched.status = 'left out'
      watched.reason = needs
      return
    }
    if (violation === null) return
    const { name, reason } = violation
    const mistake = isMistake(reason)
    watched.status = mistake ? 'left out' : 'violated'
    watched.reason = mistake ? mistakeText(reason) : reason instanceof Error ? reason.message : String(reason)
    this.#options.fail(mistake ? 'mistake' : 'invariant', name, watched.reason)
  }
}
