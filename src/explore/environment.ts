/**
 * Where the body of an exploration runs. A run needs little: an actor whose events are its steps, and a way to run a
 * callback to quiescence (all ticks and microtasks drained before it returns) that says what went uncaught. The bare
 * environment is the host's own thread, for bodies that await nothing but scheduling points; the tank is a simulated
 * process with timers, sockets and files (see tank-environment.ts).
 */
import type { Actor } from '../kernel/actor.ts'
import type { Kernel, Pause } from '../kernel/kernel.ts'
import { keepGarbageYoung } from '../node/young-garbage.ts'
import type { RaceContext } from './context.ts'
import type { RaceWorld } from './race-world.ts'
import { carryThroughPromises } from './tasks.ts'

export type RaceBody = (t: RaceContext) => unknown

export interface Environment {
  readonly actor: Actor
  /** Gets ready, and hands over the body in a step of its own. */
  start(begin: (body: RaceBody) => void): void
  /** Runs a callback of the body's event loop, and everything it sets off, to quiescence. */
  call(work: () => void): void
  /** Boots further processes; null where there is no world. */
  readonly world: RaceWorld | null
  /** Runs the world, and then puts back what it has changed in the thread, if it is to be swept. */
  run(steps: number, swept: boolean): Pause
  /** Ends the run: nothing of it may ever run again. */
  dispose(): void
}

export interface EnvironmentEvents {
  /** An exception or a rejection that nobody handled. */
  readonly uncaught: (error: unknown) => void
  /** The body could not even be found: not a failure of the program, but a mistake of the caller's. */
  readonly broken: (error: unknown) => void
  /** What an `await` in a rewritten file waits for: its value, in a step of its own (see every-await.ts). */
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
  readonly world = null
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
