/**
 * The published events of a run: what invariants look at, and what the story is made from. A program publishes by
 * what it does anyway (lines on stdout and stderr, boots and exits, bytes on tapped wires, changes of declared files),
 * the workload by its operations, the nemesis by its faults, and any code by {@link event}. An event's place in the log
 * is its sequence number.
 */
import { currentRun } from '../running/current-run.ts'
import type { Phase } from '../running/director.ts'
import type { OperationEvent } from './operations.ts'
import type { FaultRecord } from '../../faults/fault-record.ts'
import type { DiskLoss } from '../../world/disk/disk-loss.ts'
import type { FileEvent } from './watched-files.ts'
import type { WireEvent } from './wire-taps.ts'

export interface PublishedEvent<Data = unknown> {
  readonly seq: number
  readonly step: number
  readonly timeUs: number
  /** The process or part of the world that published it. */
  readonly source: string
  /** A name of {@link PublishedData}, or one of the program's own. */
  readonly name: string
  readonly data: Data
}

/** What a `process` event carries. */
export interface ProcessEvent {
  readonly process: string
  readonly change: 'boot' | 'exit'
  readonly boot: number
  readonly code: number | null
  readonly signal: string | null
  /** Whether a fault or the simulation ordered it. */
  readonly ordered: boolean
}

/** What a `fault` event carries. */
export interface FaultEvent {
  readonly change: 'begin' | 'end'
  readonly fault: FaultRecord
}

/** What a `power-loss` event carries. */
export interface PowerLossEvent {
  readonly host: string
  /** What was not synced and is gone: names first, oldest first. */
  readonly lost: readonly DiskLoss[]
}

/** What the tank itself publishes, by the events' names. */
export interface PublishedData {
  readonly stdout: string
  readonly stderr: string
  readonly process: ProcessEvent
  readonly operation: OperationEvent
  readonly fault: FaultEvent
  readonly 'power-loss': PowerLossEvent
  readonly phase: Phase
  readonly wire: WireEvent
  readonly file: FileEvent
}

/** An event of a name: the type of its data is known if the name is the tank's. */
export type PublishedEventOf<Name extends string> = PublishedEvent<
  Name extends keyof PublishedData ? PublishedData[Name] : unknown
>

export class EventLog {
  private readonly all: PublishedEvent[] = []
  private readonly byName = new Map<string, PublishedEvent[]>()

  get length(): number {
    return this.all.length
  }

  publish(event: Omit<PublishedEvent, 'seq'>): PublishedEvent {
    const published: PublishedEvent = { seq: this.all.length, ...event }
    this.all.push(published)
    const named = this.byName.get(event.name)
    if (named === undefined) this.byName.set(event.name, [published])
    else named.push(published)
    return published
  }

  at(seq: number): PublishedEvent {
    return this.all[seq]
  }

  entries(): readonly PublishedEvent[] {
    return this.all
  }

  /** All events of a name so far, in order. */
  named<Name extends string>(name: Name): readonly PublishedEventOf<Name>[] {
    return (this.byName.get(name) ?? []) as readonly PublishedEventOf<Name>[]
  }
}

/**
 * The published events as invariants and `check` read them. Iterating gives what is new since the reader's last turn, to
 * a `check` everything; `all` and `last` look at everything.
 */
export interface Events extends Iterable<PublishedEvent> {
  /** The new events of a name, in order. */
  fresh<Name extends string>(name: Name): Iterable<PublishedEventOf<Name>>
  /** All events of a name so far, in order. */
  all<Name extends string>(name: Name): readonly PublishedEventOf<Name>[]
  /** The newest event of a name, or null. */
  last<Name extends string>(name: Name): PublishedEventOf<Name> | null
}

/** One reader's place in the log. */
export class EventCursor implements Events {
  private readonly log: EventLog
  private from = 0
  private to = 0

  constructor(log: EventLog) {
    this.log = log
  }

  /** Takes the events that were published since the last call as the new ones; false if there are none. */
  advance(): boolean {
    this.from = this.to
    this.to = this.log.length
    return this.to > this.from
  }

  *[Symbol.iterator](): Generator<PublishedEvent> {
    for (let seq = this.from; seq < this.to; seq++) yield this.log.at(seq)
  }

  *fresh<Name extends string>(name: Name): Generator<PublishedEventOf<Name>> {
    for (let seq = this.from; seq < this.to; seq++) {
      const event = this.log.at(seq)
      if (event.name === name) yield event as PublishedEventOf<Name>
    }
  }

  all<Name extends string>(name: Name): readonly PublishedEventOf<Name>[] {
    return this.log.named(name)
  }

  last<Name extends string>(name: Name): PublishedEventOf<Name> | null {
    return this.log.named(name).at(-1) ?? null
  }
}

/** Publishes an event for invariants and `check`. Does nothing outside the tank. */
export function event(name: string, data: unknown = null): void {
  const run = currentRun()
  if (run !== null) run.publish(name, data)
}
