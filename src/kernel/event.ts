/**
 * Events: what can happen next. An event has a *window* [time, latest] of virtual microseconds. By time, it happens at
 * the start of its window; a strategy may let it happen later within it, but no event may overtake another's `latest`,
 * and the events of one *lane* keep their order (bytes of one stream, timers of one process).
 */
import type { Actor } from './actor.ts'

/** A read or a write of something shared. Two accesses race if they name the same resource and one of them writes. */
export interface Access {
  readonly resource: string
  readonly write: boolean
}

export class KernelEvent {
  /** Earliest virtual time, in microseconds. */
  time = 0
  /** Latest virtual time; equal to `time` where lateness is not allowed. */
  latest = 0
  /** Order among events of the same time. */
  seq = 0
  /** Place in the queue's heap, or −1 while not queued. */
  slot = -1
  /** The step that scheduled it. */
  cause = 0
  /** Events of the same lane run in the order in which they were scheduled; 0 is no lane. */
  lane = 0
  /** The task it belongs to: inherited from the step that scheduled it, unless set. */
  task = 0
  /** Everything it touches, where that is declared: lets strategies see which events commute. */
  access: Access | null = null
  /** What it touches besides the state of its own actor: a file of the host, say. */
  also: Access | null = null
  /** It keeps nothing alive, as an unref'd timer does not: a world in which nothing else is left stands still. */
  idle = false
  /** What it is about, for people: a path, an address. Only where the kernel is `worded`. */
  detail: string | null = null
  /** Where it was asked for, in the terms of {@link Kernel.originOf}. */
  origin: object | null = null
  /** What it is, for traces: `timer`, `segment`, `fs`, … */
  readonly kind: string
  /** Whose event it is: when that actor is dead it never happens, when paused it waits. */
  readonly actor: Actor
  readonly run: () => void

  constructor(kind: string, actor: Actor, run: () => void) {
    this.kind = kind
    this.actor = actor
    this.run = run
  }
}
