/**
 * A simulated process as the rest of this layer sees it: bindings, the library, globals and loaders know this, not the
 * class that implements it (process.ts). By concern: where it is, how its JavaScript is called, what it holds open, and
 * its instances of Node's library.
 */
import type { Actor } from '../../kernel/actor.ts'
import type { ChoiceStream } from '../../kernel/choices.ts'
import type { KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Entropy } from '../../kernel/prng.ts'
import type { PortGroup } from '../bindings/threads/message-port.ts'
import type { Binding, Internals } from '../library/internals.ts'
import type { ExitSignal } from './exit-signal.ts'
import type { Handle, Request, Resource } from './handle.ts'
import type { EventLoop } from './loop.ts'
import type { ProcessPlacement } from './placement.ts'
import type { Descriptors, Stdio } from './stdio.ts'

/** The identity of a process, and its place. */
export interface ProcessIdentity {
  readonly placement: ProcessPlacement
  readonly kernel: Kernel
  readonly actor: Actor
  /** Random values of this boot. */
  readonly entropy: Entropy
  /** The main thread of this process: itself, unless it is a worker. */
  readonly main: RunningProcess
  /** Set once it has exited: every binding throws it from then on. */
  readonly zombie: ExitSignal | null
  umask: number
  title: unknown
  debugPort: unknown
  /** The working directory, which threads share. */
  readonly cwd: string
  /** `process.chdir`: the directory must exist. */
  chdir(directory: string): void
  /** The host's wall clock; reading it takes a microsecond. */
  wallMs(): number
}

/** The ways into a process's JavaScript, and out of it. */
export interface ProcessCalls {
  /** Runs something as this process. */
  enter(run: () => void): void
  /** A function that native code calls: it runs as this process, also when no step of it is under way. */
  inside<A extends unknown[], R>(run: (...args: A) => R): (...args: A) => R | undefined
  /** Calls into the process's JavaScript in a resource's async scope: one libuv callback. */
  makeCallback<A extends unknown[]>(
    resource: Resource,
    callback: (...args: A) => unknown,
    self: unknown,
    ...args: A
  ): unknown
  /** Calls into JavaScript from native frames inside a step: an exception is uncaught, as in a nested callback. */
  contained<A extends unknown[], R>(callback: (...args: A) => R, self: unknown, args: A): R | undefined
  /** Calls into JavaScript without a resource: the main script, `beforeExit`, timers. */
  guarded(callback: () => void): void
  /** The thread pool: runs something later, as a poll-phase callback. The loop stays alive until then. */
  complete(kind: string, delayUs: number, run: () => void): KernelEvent
  /** Runs something of the process later, as a callback of its own that does not keep the loop alive. */
  later(kind: string, delayUs: number, run: () => void): void
  /** Completes a request: `oncomplete` in the request's own scope. */
  finish(request: Request, ...args: unknown[]): void
  /** Runs ticks and microtasks, unless a callback is under way. */
  drain(): void
  /** A callback threw: once that is handled, all scopes are left. */
  threw(error: unknown): void
  /** Something was thrown and not caught. */
  uncaught(error: unknown, fromPromise?: boolean): void
  /** Writes to standard error without the program's streams: what Node's C++ prints. */
  printError(text: string): void
  /** The process ends now. The rest of its step runs without effect. */
  exit(code: number | null, signal: string | null): void
  /** Ends it from outside, without running any of its code: SIGKILL, power loss. */
  destroy(): void
  /** Set by Node's bootstrap through the bindings. */
  processImmediate: () => void
  processTimers: (nowMs: number) => number
  rejected: ((type: number, promise: Promise<unknown>, reason: unknown) => void) | null
  tickCallback: () => void
  /** Whether ticks are queued, and whether rejections wait to be warned of. */
  readonly tickInfo: Uint8Array
}

/** A native object that must be closed when its process ends, or it leaks. */
export interface NativeResource {
  close(): void
}

/** The resources that a process holds open, and those that keep it alive. */
export interface ProcessResources {
  readonly loop: EventLoop
  readonly handles: Set<Handle>
  readonly natives: Set<NativeResource>
  /** Requests that are under way in the thread pool. */
  readonly requests: Set<Request>
  readonly stdio: readonly (Stdio | undefined)[]
  readonly descriptors: Descriptors
  /** Handlers of signals, by name. */
  readonly signals: Map<string, Set<() => void>>
  /** Worker threads, which end with it; and the next number for one, counted for the whole process. */
  readonly threads: Set<RunningProcess>
  readonly threadIds: { next: number }
  childrenStarted: number
  /** How many native objects need a turn of the host's loop after every step. */
  hostTurns: number
  /** How long its thread pool takes. */
  readonly poolChoices: ChoiceStream
  /** Async hooks it has made, and ids whose destruction they have not heard of yet. */
  readonly hooks: Set<{ disable(): unknown }>
  readonly destroyedIds: number[]
  /** Names of what keeps the loop alive, as `process.getActiveResourcesInfo()` gives them. */
  activeResources(): string[]
  /** The kind of a descriptor, as `uv_guess_handle` says. */
  guessHandleType(fd: number): string
  /** Whether a handle already waits for something on a descriptor (`uv__fd_exists`). */
  isWatched(fd: number): boolean
}

/** A process's instances of Node's library modules (library/builtins.ts). */
export interface ModuleInstances {
  /** A module as the process's own instances of the library see it. */
  readonly require: (id: string) => any
  /** A public module as programs see it. */
  readonly requirePublic: (id: string) => any
  /** Whether the process has made its instance of a module yet. */
  has(id: string): boolean
  /** The process's instance of a module of its own; made now if there is none. */
  instance(id: string): any
  /** An instance of a module for this process alone; made anew with every call. */
  own(id: string): any
  /** Evaluates one of Node's bootstrap scripts for this process, with its `require` narrowed. */
  bootstrap(id: string, require: (id: string) => any): void
}

/** A program's module loaders (loader/program-loader.ts). */
export interface ProcessLoader {
  require(id: string): any
  initialize(): void
  runMain(filename: string): void
  import(url: string): Promise<any>
}

/** The part of a thread that bindings and the library use (isolation/thread.ts). */
export interface SharedThread {
  readonly internals: Internals
  readonly library: {
    /** A module of the host's own instance of the library. */
    hostModule(id: string): any
    /** One more instance of a module for the thread, beside those that processes have. */
    another(id: string): any
  }
  readonly leaks: {
    /** Watches what programs reach of a module or a binding of this thread. */
    include(id: string, exports: unknown): void
  }
  /** The process whose step asked for a turn of the host's loop. */
  readonly turnOwner: RunningProcess | null
  /** A native object of this process needs a turn of the host's loop before the next event. */
  requestTurn(process: RunningProcess): void
  readonly scopes: {
    /** Runs something with the async scopes that are there, and leaves them as they were. */
    within(run: () => void): void
  }
  /** How long the thread pool takes, beyond the work itself. */
  poolLatency(process: RunningProcess): number
  /** The broadcast channel of a name among the threads of one process. */
  broadcastGroup(process: RunningProcess, name: string): PortGroup
}

/** Node's library, bindings and globals of a process. */
export interface ProcessLibrary {
  readonly thread: SharedThread
  readonly modules: ModuleInstances
  readonly loader: ProcessLoader | null
  /** The simulated `process` and `globalThis`. */
  readonly object: Record<string | symbol, any>
  readonly global: Record<string | symbol, any>
  binding(name: string): Binding
  /** Values that modules of the thread have looked up for this process, by number (see library/slots.ts). */
  readonly slots: unknown[]
  /** Per-process state of bindings, by a key of the binding's own (see process-slot.ts). */
  readonly state: Map<unknown, unknown>
}

export interface RunningProcess extends ProcessIdentity, ProcessCalls, ProcessResources, ProcessLibrary {}
