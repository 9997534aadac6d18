/**
 * The recording of a run for people: what every step was about (a call and its path, a packet, a timer), where the program
 * asked for it, and which files it touched. Recording multiplies the cost of a run, so only runs that are looked at are
 * recorded; the run is the same one, step for step.
 *
 * All timers of a process share one event, which the previous timer arms. The cause of a timer's step is the step that set
 * the timer, so that a slice does not follow one timer to all others.
 */
import { createHook } from 'node:async_hooks'
import { floor } from '../../kernel/arithmetic.ts'
import type { Access, KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { TraceRow } from '../../kernel/trace.ts'
import { Origins, type Frame, type Origin } from '../../node/bare.ts'

/** A step of a recorded run. */
export interface RecordedStep extends TraceRow {
  /** What it is about: `open /data/x`, `timer of 100 ms`; its kind if that says it all. */
  readonly what: string
  /** Where the program asked for it, as `file:line:column`. */
  readonly position: string | null
  /** The function it stands in. */
  readonly inside: string | null
  /** Where the project's own code called into the package that the position lies in. */
  readonly via: Frame | null
  /** The file that it read or changed. */
  readonly access: Access | null
}

/** A callback of Node's one timer per process, or of its check phase. */
interface Fired {
  readonly what: string
  readonly origin: Origin | null
  readonly setIn: number
}

type Words = Omit<RecordedStep, keyof TraceRow> & { readonly setIn: number | null }

const NOTHING: Words = { what: '', position: null, inside: null, via: null, access: null, setIn: null }

export class StepRecorder {
  private readonly kernel: Kernel
  private readonly process: () => object | null
  private readonly origins = new Origins('')
  private readonly words: Words[] = []
  /** By process and number: the numbers begin anew with every boot. */
  private readonly timers = new WeakMap<object, Map<number, Fired>>()
  private fired: Fired | null = null
  private running: Words & { readonly origin: Origin | null } = { ...NOTHING, origin: null }

  /** `process` is the process whose code is running. */
  constructor(kernel: Kernel, process: () => object | null) {
    this.kernel = kernel
    this.process = process
    // Without the program's code on the stack, a callback continues the work of its step.
    kernel.originOf = (event) => this.origins.take() ?? (isOfLoop(event) ? null : this.running.origin)
    kernel.beforeStep = (event) => this.begins(event)
    kernel.afterStep.push(() => this.ends())
  }

  async during<T>(run: () => Promise<T>): Promise<T> {
    const hook = createHook({
      init: (id, type, _, resource) => {
        if (type === 'Timeout' || type === 'Immediate')
          this.timersHere().set(id, {
            what: type === 'Immediate' ? 'immediate' : timerWords(resource),
            origin: this.origins.take(),
            setIn: this.kernel.step,
          })
      },
      before: (id) => {
        const fired = this.timersHere().get(id)
        if (fired !== undefined) this.fired ??= fired
      },
    }).enable()
    try {
      return await run()
    } finally {
      hook.disable()
    }
  }

  /** A row of the run's trace with its words. */
  stepOf(row: TraceRow): RecordedStep {
    const { setIn, ...words } = this.words[row.step] ?? { ...NOTHING, what: row.kind }
    return { ...row, ...words, cause: setIn ?? row.cause }
  }

  /** The event is read now: if the step arms it again, it describes the next occurrence. */
  private begins({ kind, detail, access, also, origin }: KernelEvent): void {
    const where = origin as Origin | null
    this.running = {
      what: detail ?? kind,
      ...placeOf(where),
      access: access ?? also,
      setIn: null,
      origin: where,
    }
    this.fired = null
  }

  private ends(): void {
    const { fired } = this
    const { origin: _, ...words } = this.running
    this.words[this.kernel.step] =
      fired === null ? words : { ...words, what: fired.what, ...placeOf(fired.origin), setIn: fired.setIn }
  }

  private timersHere(): Map<number, Fired> {
    const process = this.process() ?? this
    const known = this.timers.get(process)
    if (known !== undefined) return known
    const timers = new Map<number, Fired>()
    this.timers.set(process, timers)
    return timers
  }
}

interface TimerResource {
  readonly _idleTimeout?: number
  readonly _repeat?: number | null
}

function timerWords({ _idleTimeout: delayMs, _repeat: repeatMs }: TimerResource): string {
  return `${repeatMs ? 'interval' : 'timer'} of ${floor(delayMs ?? 0)} ms`
}

function placeOf(origin: Origin | null): Pick<RecordedStep, 'position' | 'inside' | 'via'> {
  return {
    position: origin?.position ?? null,
    inside: origin?.inside ?? null,
    via: origin?.via ?? null,
  }
}

/**
 * All code of a process shares its one timer and the turns of its loop: the code that sets them is not what they run. The
 * turns of clients belong to no line of code.
 */
function isOfLoop(event: KernelEvent | null): boolean {
  return event?.kind === 'timer' || event?.kind === 'turn' || event?.kind === 'workload'
}
