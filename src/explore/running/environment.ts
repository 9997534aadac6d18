/**
 * Where the body of an exploration runs. A run needs an actor whose events are its steps, and a way to run a callback to
 * quiescence (all ticks and microtasks drained before it returns) that reports uncaught errors. The bare environment is the
 * host's own thread, for bodies that await only scheduling points; the tank is a simulated process with timers, sockets
 * and files (see tank-environment.ts).
 */
import type { Actor } from '../../kernel/actor.ts'
import type { Kernel, Pause } from '../../kernel/kernel.ts'
import { keepGarbageYoung } from '../../node/bare.ts'
import type { RaceContext } from '../authoring/context.ts'
import type { RaceWorld } from '../authoring/race-world.ts'
import { carryThroughPromises } from './tasks.ts'

export type RaceBody = (t: RaceContext) => unknown

export interface Environment {
  readonly actor: Actor
  /** Prepares the run, and passes the body to `begin` in a step of its own. */
  start(begin: (body: RaceBody) => void): void
  /** Runs a callback of the body's event loop, and everything it sets off, to quiescence. */
  call(work: () => void): void
  /** Boots further processes; null if there is no world. */
  readonly processes: RaceWorld | null
  /** Runs the kernel; with `swept`, then restores what the run has changed in the thread. */
  run(steps: number, swept: boolean): Pause
  /** Ends the run: none of its code may run again. */
  dispose(): void
}

export interface EnvironmentEvents {
  /** An exception or a rejection that was not handled. */
  readonly uncaught: (error: unknown) => void
  /** The body could not be loaded: a mistake of the caller, not a failure of the program. */
  readonly broken: (error: unknown) => void
  /** Called by each `await` of a rewritten file: gives its value, in a step of its own (see every-await.ts). */
  readonly awaited: (value: unknown) => unknown
}

/** Makes the environment of one run. */
export type EnvironmentFactory = (kernel: Kernel, events: EnvironmentEvents) => Environment

type TickCallback = () => void

/** The host's own thread. Must be entered from a macrotask: inside a microtask the drain does nothing. */
export function bareEnvironment(body: RaceBody): EnvironmentFactory {
  keepGarbageYoung()
  const drain = (process as unknown as { _tickCallback: TickCallback })._tickCallback
  return (kernel, events) => new BareEnvironment(body, drain, kernel, events)
}

class BareEnvironment implements Environment {
  readonly actor: Actor
  readonly processes = null
  private readonly body: RaceBody
  private readonly drain: TickCallback
  private readonly kernel: Kernel
  private readonly events: EnvironmentEvents

  constructor(body: RaceBody, drain: TickCallback, kernel: Kernel, events: EnvironmentEvents) {
    this.actor = kernel.actor('race')
    this.body = body
    this.drain = drain
    this.kernel = kernel
    this.events = events
  }

  start(begin: (body: RaceBody) => void): void {
    this.kernel.schedule(this.actor, 'start', 0, () => this.call(() => begin(this.body)))
  }

  call(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.events.uncaught(error)
    }
    for (;;) {
      try {
        this.drain.call(process)
        return
      } catch (error) {
        this.events.uncaught(error)
      }
    }
  }

  run(steps: number): Pause {
    return carryThroughPromises(() => this.kernel.run(steps))
  }

  dispose(): void {}
}
