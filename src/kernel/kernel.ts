/**
 * The kernel: virtual time, the pending events, and the loop that takes one event after another. A step is one event's
 * callback run to quiescence; the layer above drains ticks and microtasks before the callback returns. Everything is
 * synchronous: a whole run is a plain loop, and no turn of the host's event loop is needed unless a process asks for one.
 *
 * Time is an integer number of microseconds since the world began. It moves to the time of each event, and by one
 * microsecond whenever a process reads a clock or goes round its event loop, so that busy-waiting ends.
 */
import { Actor } from './actor.ts'
import { min } from './arithmetic.ts'
import { Choices, type ChoiceOptions, type ChoiceStream } from './choices.ts'
import { EventQueue, type PendingEvents } from './event-queue.ts'
import { KernelEvent } from './event.ts'
import { RunHash } from './hash.ts'
import { keyOf } from './prng.ts'
import { STALL_VALUES, stallUs } from './stall.ts'
import type { Strategy } from './strategy.ts'
import { Timeline } from './timeline.ts'
import { Trace } from './trace.ts'

export interface KernelOptions extends ChoiceOptions {
  /** How many steps the trace keeps. */
  readonly traceCapacity?: number
  readonly strategy?: Strategy
  /** How late any event may happen under a strategy, in virtual microseconds. */
  readonly latenessUs?: number
  /** See {@link Kernel.worded}. */
  readonly worded?: boolean
}

/** Knows the tasks of running code. */
export interface RunningTasks {
  /** The task of the running code, in a step of this task. */
  taskOf(step: number): number
}

/** Why {@link Kernel.run} returned. */
export type Pause =
  /** Nothing is pending. */
  | 'idle'
  /** {@link Kernel.stop} was called. */
  | 'stopped'
  /** The strategy has seen what would follow: the rest of the run is not worth running. */
  | 'abandoned'
  /** The given number of steps is done. */
  | 'steps'
  /** A native object needs one turn of the host's event loop before the next event. */
  | 'host-turn'

const NO_WINDOW = 0

export class Kernel {
  /** Virtual microseconds since the world began. */
  now = 0
  /** The number of the step that is running, or that ran last. Steps count from 1. */
  step = 0
  /** The task of the running step; events scheduled in it inherit it, unless `tasks` knows better. */
  task = 0
  tasks: RunningTasks | null = null
  /** What an event should remember of where it was asked for; null if it is never looked at. */
  originOf: ((event: KernelEvent | null) => object | null) | null = null
  /** Called before an event runs, with the number of its step, so that a run can be stopped there. */
  beforeStep: ((event: KernelEvent, step: number) => void) | null = null
  /** Whether events should say what they touch: strategies read it, and slices. */
  readonly described: boolean
  /** Whether events should say in words what they are about: if a person will read the run. */
  readonly worded: boolean
  readonly choices: Choices
  readonly hash = new RunHash()
  /** Calls of programs that drew randomness which no seed decides: two runs may part after them. */
  readonly unseeded = new Set<string>()
  readonly trace: Trace
  readonly queue: PendingEvents
  /** How long the running step was kept waiting: see stall.ts. */
  stalledUs = 0
  /** Whose callback is running. */
  event: KernelEvent | null = null
  /** Called after every step: invariants, detectors, hash logs. */
  readonly afterStep: ((event: KernelEvent) => void)[] = []
  private readonly strategy: Strategy | null
  private readonly timeline: Timeline | null
  private readonly latenessUs: number
  private readonly ready: KernelEvent[] = []
  private readonly schedules: ChoiceStream
  private readonly stalls: ChoiceStream
  private abandoned = false
  private nextSeq = 1
  private nextActor = 1
  private nextLane = 1
  private stopping = false
  private hostTurn = false

  constructor(options: KernelOptions) {
    this.choices = new Choices(options)
    this.choices.hash = this.hash
    this.choices.steps = this
    this.trace = new Trace(options.traceCapacity ?? 4096)
    this.strategy = options.strategy ?? null
    this.timeline = this.strategy === null ? null : new Timeline()
    this.queue = this.timeline ?? new EventQueue()
    this.latenessUs = options.latenessUs ?? NO_WINDOW
    this.worded = options.worded ?? false
    this.described = this.strategy !== null || this.worded
    this.schedules = this.choices.stream('schedule', 'pick')
    this.stalls = this.choices.stream('clock', 'stall')
    this.strategy?.begin?.(options.seed)
  }

  /** A new actor; see {@link Actor.ordered}. */
  actor(name: string, { ordered = true }: { readonly ordered?: boolean } = {}): Actor {
    return new Actor(this.nextActor++, name, ordered)
  }

  /** The task of the code that is running. */
  get currentTask(): number {
    return this.tasks === null ? this.task : this.tasks.taskOf(this.task)
  }

  /** A new lane: its events keep their order under every strategy. */
  lane(): number {
    return this.nextLane++
  }

  /** Reads the clock, which takes a microsecond. */
  readClock(): number {
    return ++this.now
  }

  /** Schedules a callback `delayUs` from now, at the latest `latenessUs` after that. */
  schedule(
    actor: Actor,
    kind: string,
    delayUs: number,
    run: () => void,
    latenessUs: number = NO_WINDOW,
  ): KernelEvent {
    const event = new KernelEvent(kind, actor, run)
    this.arm(event, this.now + delayUs, latenessUs)
    return event
  }

  /** (Re)arms an event for a virtual time; it keeps its callback, so a timer can be armed forever without garbage. */
  arm(event: KernelEvent, time: number, latenessUs: number = NO_WINDOW): void {
    if (event.slot >= 0) this.queue.remove(event)
    event.time = time > this.now ? time : this.now
    event.latest = event.time + (latenessUs > this.latenessUs ? latenessUs : this.latenessUs)
    event.seq = this.nextSeq++
    event.cause = this.step
    event.task = this.currentTask
    if (this.originOf !== null) event.origin = this.originOf(event)
    this.queue.push(event)
  }

  cancel(event: KernelEvent): void {
    this.queue.remove(event)
  }

  /**
   * Hands a callback to an actor inside the current step: at once if it runs, later if it is paused, never if it is
   * dead. The step is then the actor's.
   */
  deliver(actor: Actor, callback: () => void): void {
    if (actor.state === 'dead') return
    if (actor.state === 'paused') {
      actor.held.push(callback)
      return
    }
    if (actor.lastStep !== this.step) {
      this.trace.attribute(this.step, actor)
      actor.lastStep = this.step
    }
    actor.receive(callback)
  }

  pause(actor: Actor): void {
    if (actor.state === 'running') actor.state = 'paused'
  }

  /** Resumes an actor: what it missed happens now, in the order in which it came. */
  resume(actor: Actor): void {
    if (actor.state !== 'paused') return
    actor.state = 'running'
    for (const held of actor.held.splice(0)) {
      if (held instanceof KernelEvent) this.arm(held, this.now, held.latest - held.time)
      else this.schedule(actor, 'resume', 0, () => actor.receive(held))
    }
  }

  kill(actor: Actor): void {
    actor.state = 'dead'
    actor.held.length = 0
    actor.receive = ignore // a trace may name it for as long as the world lasts
    this.queue.drop(actor) // or the timers of every boot would pile up until they are due
  }

  /** Ends {@link run} after the current step. */
  stop(): void {
    this.stopping = true
  }

  /** Ends {@link run} after the current step so that the host's loop can turn once. */
  requestHostTurn(): void {
    this.hostTurn = true
  }

  /** Runs events until nothing is pending, it is stopped, or `steps` are done. */
  run(steps: number = Number.POSITIVE_INFINITY): Pause {
    this.stopping = false
    this.hostTurn = false
    for (let done = 0; done < steps;) {
      const event = this.take()
      if (event === undefined) return this.abandoned ? 'abandoned' : 'idle'
      const { actor } = event
      if (actor.state !== 'running') {
        if (actor.state === 'paused') actor.held.push(event)
        continue
      }
      if (event.time > this.now) this.now = event.time
      if (this.timeline !== null) this.stall(this.timeline)
      const step = ++this.step
      this.task = event.task
      this.trace.record(step, this.now, event.kind, actor, event.cause)
      this.hash.add(kindHash(event.kind) ^ actor.id)
      this.hash.addWide(this.now)
      actor.lastStep = step
      this.beforeStep?.(event, step)
      this.event = event
      event.run()
      this.event = null
      this.strategy?.ran?.(event, step)
      for (const after of this.afterStep) after(event)
      done++
      if (this.stopping) return 'stopped'
      if (this.hostTurn) return 'host-turn'
    }
    return 'steps'
  }

  /** Lets time pass before a step, as long as every pending event still has time. */
  private stall({ deadlineUs }: Timeline): void {
    this.stalledUs = 0
    const drawn = this.strategy!.stall?.(this.step + 1) ?? -1
    if (drawn < 0) return
    const value = this.stalls.decide(STALL_VALUES, drawn)
    if (value === 0 || deadlineUs <= this.now) return
    this.stalledUs = min(stallUs(value), deadlineUs - this.now)
    this.now += this.stalledUs
  }

  private take(): KernelEvent | undefined {
    const { strategy, timeline } = this
    if (strategy === null || timeline === null) return this.queue.pop()
    const event = this.pickReady(strategy, timeline)
    if (event !== undefined) timeline.remove(event)
    return event
  }

  private pickReady(strategy: Strategy, timeline: Timeline): KernelEvent | undefined {
    const { ready } = this
    const unable = timeline.collectReady(ready, this.task)
    if (unable !== null) return unable // held if its actor is paused, dropped if it is dead
    if (ready.length <= 1) return ready[0]
    const drawn = strategy.pick(ready, this.step + 1)
    if (drawn < 0) {
      this.abandoned = true
      return undefined
    }
    return ready[this.schedules.decide(ready.length, drawn)]
  }
}

/** Hashes of kinds, for all kernels of the thread: there are few, but a program may make up its own, so there is a limit. */
const kindHashes = new Map<string, number>()
const MOST_KIND_HASHES = 4_096

function kindHash(kind: string): number {
  let hash = kindHashes.get(kind)
  if (hash === undefined) {
    hash = keyOf(kind).lo
    if (kindHashes.size < MOST_KIND_HASHES) kindHashes.set(kind, hash)
  }
  return hash
}

function ignore(): void {}
