/**
 * The recording of a run for people: every step with its task, its kind, its place in the source, and what else could have
 * been next. Recording multiplies the cost of a run, so only the last run of an investigation and replays are recorded.
 */
import { createHook, type AsyncHook } from 'node:async_hooks'
import type { Actor } from '../../kernel/actor.ts'
import { floor } from '../../kernel/arithmetic.ts'
import type { Access, KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Origins, type Frame, type Origin } from '../../node/bare.ts'
import type { Task, Tasks } from './tasks.ts'
import { Waits } from './waits.ts'

/** One row of a recorded schedule. */
export interface ScheduleStep {
  readonly step: number
  readonly timeUs: number
  /** How long the process stalled before the step, if it did: see kernel/stall.ts. */
  readonly stalledUs?: number
  readonly task: string
  /** The further process that made the step; null for the test's own process and for the network. */
  readonly process: string | null
  /** The branch of a `Promise.all` inside the task, if it is known: `deposit #2`. */
  readonly strand: string | null
  readonly what: string
  /** Where the program asked for the step, as `file:line:column`. */
  readonly position: string | null
  /** The function it stands in. */
  readonly inside: string | null
  /** Where the project's own code called into the package that the position lies in. */
  readonly via: Frame | null
  readonly cause: number
  readonly access: Access | null
  /** The events that were ready when it was picked, in the order of the choice's values: `who: what`. Empty if it was alone. */
  readonly ready: readonly string[]
  /** The steps in which these events ran later; 0 for an event that never did. */
  readonly readySteps: readonly number[]
}

/** A callback of Node's one timer per process, or of its check phase. */
interface Fired {
  readonly what: string
  readonly task: Task
  readonly origin: Origin | null
}

/** The event of the running step, as it was when the step began. */
interface Running extends Pick<ScheduleStep, 'task' | 'cause' | 'what' | 'access'> {
  readonly origin: Origin | null
}

const NOTHING: Running = { task: 'main', cause: 0, what: '', access: null, origin: null }

interface TimerResource {
  readonly _idleTimeout?: number
  readonly _repeat?: number | null
}

export class Recording {
  readonly schedule: ScheduleStep[] = []
  readonly origins: Origins
  private readonly kernel: Kernel
  private readonly tasks: Tasks
  /** The process of the test itself. */
  private readonly subject: () => Actor
  private readonly waits: Waits
  private readonly timers = new Map<number, Fired>()
  private fired: Fired | null = null
  /** The code that asked for each tick: the stack inside a tick ends there. */
  private readonly ticks = new Map<number, Origin | null>()
  private originOfTick: Origin | null = null
  private running: Running = NOTHING
  private ready: readonly string[] = []
  private readySteps: number[] = []
  /** The places in lists of `readySteps` that events have not filled in yet. */
  private readonly pending = new Map<KernelEvent, { readonly steps: number[]; readonly at: number }[]>()
  /** The branch of a `Promise.all` whose code scheduled something in this step. */
  private strandOfStep: string | null = null

  constructor(kernel: Kernel, tasks: Tasks, subject: () => Actor, root: string) {
    this.kernel = kernel
    this.tasks = tasks
    this.subject = subject
    this.origins = new Origins(root)
    this.waits = new Waits(() => tasks.current, this.origins.take)
    kernel.originOf = (event) => {
      const origin = this.origins.take() ?? this.originOfTick
      this.strandOfStep ??= origin?.strand ?? null
      // Without the program's code on the stack, a callback continues the work of its step.
      return origin ?? (isOfLoop(event) ? null : this.running.origin)
    }
  }

  /** A step begins. Its event is read now: if the step arms it again, it describes the next occurrence. */
  begins({ task, cause, kind, detail, access, also, origin }: KernelEvent): void {
    this.running = {
      task: this.tasks.nameOf(task),
      cause,
      what: detail ?? kind,
      access: access ?? also,
      origin: origin as Origin | null,
    }
  }

  during<T>(run: () => T): T {
    const hook: AsyncHook = createHook({
      init: (id, type, _, resource) => {
        if (type === 'TickObject') this.ticks.set(id, this.origins.take() ?? this.originOfTick)
        if (type !== 'Timeout' && type !== 'Immediate') return
        const { _idleTimeout: delayMs, _repeat: repeatMs } = resource as TimerResource
        const what =
          type === 'Immediate'
            ? 'immediate'
            : `${repeatMs ? 'interval' : 'timer'} of ${floor(delayMs ?? 0)} ms`
        this.timers.set(id, { what, task: this.tasks.current, origin: this.origins.take() })
      },
      before: (id) => {
        const fired = this.timers.get(id)
        if (fired !== undefined && (this.fired?.origin ?? null) === null) this.fired = fired
        this.originOfTick = this.ticks.get(id) ?? null
      },
      after: (id) => {
        if (this.ticks.delete(id)) this.originOfTick = null
      },
    }).enable()
    try {
      return this.waits.during(run)
    } finally {
      hook.disable()
    }
  }

  choosing(ready: readonly KernelEvent[]): void {
    const steps = ready.map(() => 0)
    this.readySteps = steps
    ready.forEach((event, at) => {
      const places = this.pending.get(event)
      if (places === undefined) this.pending.set(event, [{ steps, at }])
      else places.push({ steps, at })
    })
    this.ready = ready.map((event) => {
      const origin = event.origin as Origin | null
      const [task, strand] = [this.tasks.nameOf(event.task), origin?.strand ?? null]
      return `${actorOf({ process: this.processOf(event), task, strand })}: ${event.detail ?? event.kind}`
    })
  }

  ran(event: KernelEvent, step: number): void {
    const { fired, running } = this
    for (const { steps, at } of this.pending.get(event) ?? []) steps[at] = step
    this.pending.delete(event)
    const origin = fired?.origin ?? running.origin
    this.schedule.push({
      step,
      timeUs: this.kernel.now,
      ...(this.kernel.stalledUs > 0 ? { stalledUs: this.kernel.stalledUs } : {}),
      task: fired?.task.name ?? running.task,
      process: this.processOf(event),
      strand: origin?.strand ?? this.strandBegun(origin),
      what: fired?.what ?? running.what,
      position: origin?.position ?? null,
      inside: origin?.inside ?? null,
      via: origin?.via ?? null,
      cause: running.cause,
      access: running.access,
      ready: this.ready,
      readySteps: this.readySteps,
    })
    this.ready = []
    this.readySteps = []
    this.fired = null
    this.strandOfStep = null
  }

  /** The further process that an event belongs to. */
  private processOf({ actor }: KernelEvent): string | null {
    return actor.ordered && actor !== this.subject() ? actor.name : null
  }

  /** What a task waits for, and where. */
  waitOf(task: Task): string {
    const origin = this.waits.of(task)
    if (origin === null) return task.waitingFor
    const { inside, position } = origin.via ?? origin
    return `${task.waitingFor}${inside === null ? '' : ` in ${inside}`} (${position})`
  }

  /** Where tasks wait, as a stack: a frame for each whose place is known. */
  waitStack(tasks: readonly Task[]): string | null {
    const frames = tasks.flatMap((task) => {
      const origin = this.waits.of(task)
      if (origin === null) return []
      const { position } = origin.via ?? origin
      return [`    at ${task.name} (${position})`]
    })
    return frames.length === 0 ? null : frames.join('\n')
  }

  /**
   * Before its first `await` a function runs on its caller's stack, which does not know yet which branch it will be. After
   * the `await` the stack knows.
   */
  private strandBegun(origin: Origin | null): string | null {
    const { strandOfStep } = this
    if (origin === null || strandOfStep === null) return null
    return strandOfStep.startsWith(`${origin.outer} #`) ? strandOfStep : null
  }
}

/** All code of a process shares its one timer and the turns of its loop: the code that sets them is not what they run. */
function isOfLoop(event: KernelEvent | null): boolean {
  return event?.kind === 'timer' || event?.kind === 'turn'
}

/** A task, and the strand of it, as they are called in schedules. */
function whoOf(task: string, strand: string | null): string {
  if (strand === null) return task
  return task === 'main' ? strand : `${task} › ${strand}`
}

/** Who made a step: a further process by its name, the test's own process by task and strand. */
export function actorOf({
  process,
  task,
  strand,
}: Pick<ScheduleStep, 'process' | 'task' | 'strand'>): string {
  return process ?? whoOf(task, strand)
}

/** A turn of an event loop that says nothing about the program. */
export function isTurn({ what, position }: ScheduleStep): boolean {
  return what === 'turn' && position === null
}
