/**
 * One boot of a simulated Node process: its loop, its instances of Node's library, its handles and the way in and out
 * of its JavaScript. `enter` makes it the running process; `makeCallback` is what `node::MakeCallback` is in C++: a call
 * into JavaScript in an async scope, after which ticks and microtasks are drained and what was thrown is treated as
 * Node treats it. How it ends is in process-end.ts.
 */
import { Buffer } from 'node:buffer'
import type { Actor } from '../../kernel/actor.ts'
import type { ChoiceStream } from '../../kernel/choices.ts'
import type { KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { InternalError } from '../../kernel/errors.ts'
import { Entropy } from '../../kernel/prng.ts'
import { uvCode } from '../bindings/binding.ts'
import { ProcessModules } from '../library/builtins.ts'
import { running, setRunning } from './current.ts'
import type { ExitSignal } from './exit-signal.ts'
import type { Handle, Request, Resource } from './handle.ts'
import type { Binding } from '../library/internals.ts'
import type { ProgramLoader } from '../loader/index.ts'
import { EventLoop, type LoopHost } from './loop.ts'
import { bootProcess } from './boot.ts'
import { ProcessEnd } from './process-end.ts'
import { Descriptors, type Stdio } from './stdio.ts'
import { registers } from '../library/registers.ts'
import { noteSettings } from '../isolation/shared-settings.ts'
import type { NodeThread } from '../isolation/thread.ts'
import type { ProcessPlacement } from './placement.ts'
import type { NativeResource, RunningProcess } from './running-process.ts'

/** After this many turns of the host's loop without a call from a native object, none is expected. */
const QUIET_TURNS = 2

/** Fields of the task queue's `tickInfo`. */
const TICK_SCHEDULED = 0
const REJECTION_TO_WARN = 1

export type Completion = () => void

/**
 * Node leaves the ticks after one that threw to its next callback. Here they run at once, but when each throws again,
 * timers and immediates must get in between.
 */
const MAX_DRAINS = 100

/** The result of a callback that threw. */
const THREW = Symbol('threw')

/** Handles an exception in the scope that it was thrown in. One function serves all processes: it takes the running one. */
function attempt(this: unknown, callback: (...args: any[]) => unknown, args: unknown[]): unknown {
  try {
    return Reflect.apply(callback, this, args)
  } catch (error) {
    running!.threw(error)
    return THREW
  }
}

export class NodeProcess implements LoopHost, RunningProcess {
  readonly thread: NodeThread
  readonly placement: ProcessPlacement
  readonly kernel: Kernel
  readonly actor: Actor
  readonly loop: EventLoop
  readonly modules: ProcessModules
  /** The program's module loaders. */
  loader: ProgramLoader | null = null
  /** Random values of this boot. */
  readonly entropy: Entropy
  /** How long its thread pool takes. */
  readonly poolChoices: ChoiceStream
  /** The simulated `process` and `globalThis`. */
  object!: Record<string | symbol, any>
  global!: Record<string | symbol, any>
  readonly handles = new Set<Handle>()
  readonly natives = new Set<NativeResource>()
  /** Requests that are under way in the thread pool. */
  readonly requests = new Set<Request>()
  /** Worker threads, which end with it; and the next number for one, counted for the whole process. */
  readonly threads = new Set<RunningProcess>()
  threadIds = { next: 1 }
  childrenStarted = 0
  /** Async hooks it has made, and ids whose destruction they have not heard of yet. */
  readonly hooks = new Set<{ disable(): unknown }>()
  readonly destroyedIds: number[] = []
  private lastAsyncId = 1
  /** How many native objects need a turn of the host's loop after every step. */
  hostTurns = 0
  /** How many of them brought nothing since the loop had nothing left to do. */
  private quietTurns = 0
  /** Set once it has exited: what every binding throws from then on. */
  zombie: ExitSignal | null = null
  /** Filled in by Node's bootstrap through the bindings. */
  processImmediate: () => void = () => {}
  processTimers: (nowMs: number) => number = () => 0
  rejected: ((type: number, promise: Promise<unknown>, reason: unknown) => void) | null = null
  tickCallback: () => void = () => {}
  /** Whether ticks are queued, and whether rejections wait to be warned of. */
  readonly tickInfo = new Uint8Array(2)
  /** Handlers of signals, by name. */
  readonly signals = new Map<string, Set<() => void>>()
  readonly stdio: readonly (Stdio | undefined)[]
  readonly descriptors = new Descriptors()
  /** The main thread of this process: itself, unless it is a worker. */
  main: NodeProcess = this
  umask = 0o22
  title: unknown = 'node'
  debugPort: unknown = 9229
  private directory: string
  /** Values that modules of the thread have looked up for this process (see library/slots.ts). */
  readonly slots: unknown[] = []
  /** Per-process state of bindings, by a key of the binding's own. */
  readonly state = new Map<unknown, unknown>()
  private readonly bindings = new Map<string, Binding>()
  private depth = 0
  /** A callback threw: Node leaves its ticks and microtasks to the next one. Here they wait for the end of the step. */
  private undrained = false
  private readonly end = new ProcessEnd(this)

  constructor(thread: NodeThread, placement: ProcessPlacement) {
    this.thread = thread
    this.placement = placement
    this.kernel = placement.kernel
    this.directory = placement.cwd
    this.stdio = placement.stdio
    this.actor = placement.actor
    this.entropy = new Entropy(placement.kernel.choices.seed, `${placement.name}#${placement.boot}`)
    this.poolChoices = placement.kernel.choices.stream(placement.name, 'pool')
    this.loop = new EventLoop(placement.kernel, placement.actor, this)
    this.loop.timerLatenessUs = placement.lateness.timerUs
    this.modules = new ProcessModules(thread.library, this)
    placement.actor.receive = this.loop.receive
  }

  /** Boots Node's library and runs the entry, as the first steps of the process. */
  start(delayUs = 0): void {
    this.kernel.schedule(this.actor, 'boot', delayUs, () => {
      this.enter(() => {
        this.boot()
        this.guarded(() => this.thread.scopes.asMain(() => this.placement.run(this)))
        if (this.zombie !== null) return
        this.binding('performance').markLoop('START')
        this.loop.start()
      })
    })
  }

  private boot(): void {
    try {
      bootProcess(this)
    } catch (error) {
      throw new InternalError(`Node's library did not boot for process ${this.placement.name}`, {
        cause: error,
      })
    }
  }

  /** The host's wall clock; reading it takes a microsecond. */
  wallMs(): number {
    this.kernel.readClock()
    return this.placement.wallMs()
  }

  /** `process.chdir`: the directory must exist. */
  chdir(directory: string): void {
    const { resolve } = this.modules.require('path')
    const path: string = resolve(this.cwd, directory)
    let code: string | null = null
    try {
      if (!this.modules.require('fs').statSync(path).isDirectory()) code = 'ENOTDIR'
    } catch (error) {
      code = (error as { code: string }).code
    }
    if (code !== null) {
      const { UVException } = this.modules.require('internal/errors')
      throw new UVException({ errno: uvCode(code), syscall: 'chdir', path: this.cwd, dest: directory })
    }
    this.directory = path
  }

  /** The working directory, which threads share. */
  get cwd(): string {
    return this.main.directory
  }

  /** Writes to standard error without the program's streams: what Node's C++ prints. */
  printError(text: string): void {
    const bytes = Buffer.from(text)
    const stdio = this.stdio[2]
    if (stdio?.type === 'pipe') stdio.endpoint.write([bytes], () => {})
    else if (stdio?.type === 'output') this.placement.output(stdio.fd, bytes)
  }

  /** Names of what keeps the loop alive, as `process.getActiveResourcesInfo()` gives them. */
  activeResources(): string[] {
    const names: string[] = Array.from(this.requests, ({ constructor }) => constructor.name)
    for (const handle of this.handles) if (handle.hasRef()) names.push(handle.publicName)
    const timeouts = this.binding('timers').timeoutInfo[0] as number
    for (let i = 0; i < timeouts; i++) names.push('Timeout')
    for (let i = 0; i < this.loop.immediateInfo[1]; i++) names.push('Immediate')
    return names
  }

  /** The kind of a descriptor, as `uv_guess_handle` says. */
  guessHandleType(fd: number): string {
    const stdio = this.stdio[fd]
    if (stdio !== undefined) return stdio.type === 'pipe' || stdio.type === 'output' ? 'PIPE' : 'FILE'
    return this.descriptors.kind(fd) ?? 'FILE'
  }

  /** Whether a handle already waits for something on a descriptor (`uv__fd_exists`). */
  isWatched(fd: number): boolean {
    for (const handle of this.handles)
      if (handle.active && (handle as { fd?: unknown }).fd === fd) return true
    return false
  }

  binding(name: string): Binding {
    let binding = this.bindings.get(name)
    if (binding === undefined) {
      const make = this.thread.processBindings[name]
      binding = this.loader?.binding(name) ?? (make === undefined ? this.thread.binding(name) : make(this))
      this.bindings.set(name, binding)
    }
    return binding
  }

  /** Runs something as this process. */
  enter(run: () => void): void {
    const outer = running as NodeProcess | null // no other class implements it
    const { scopes } = this.thread
    const lastIdOutside = scopes.lastId
    if (outer !== this) {
      if (outer !== null) outer.lastAsyncId = lastIdOutside
      scopes.lastId = this.lastAsyncId
    }
    setRunning(this)
    if (registers.dirty) registers.switchTo(this)
    try {
      run()
    } catch (error) {
      if (error instanceof InternalError) throw error
      this.uncaught(error)
    } finally {
      if (this.undrained && outer !== this) this.drain()
      if (this.end.isDue && outer !== this) this.end.bury()
      if (this.hostTurns > 0) this.thread.requestTurn(this)
      setRunning(outer)
      if (outer !== this) {
        noteSettings(this)
        this.lastAsyncId = scopes.lastId
        scopes.lastId = outer?.lastAsyncId ?? lastIdOutside
      }
    }
  }

  /** A function that native code calls: it runs as this process, also when no step of it is under way. */
  inside<A extends unknown[], R>(run: (...args: A) => R): (...args: A) => R | undefined {
    const enter = (self: unknown, args: A): R | undefined => {
      if (running === this) return Reflect.apply(run, self, args)
      if (this.zombie !== null) return undefined
      this.quietTurns = 0
      let result: R | undefined
      this.enter(() =>
        this.guarded(() => {
          result = Reflect.apply(run, self, args)
        }),
      )
      return result
    }
    return function (this: unknown, ...args: A): R | undefined {
      return enter(this, args)
    }
  }

  /** Calls into the process's JavaScript in a resource's async scope: one libuv callback. */
  makeCallback<A extends unknown[]>(
    resource: Resource,
    callback: (...args: A) => unknown,
    self: unknown,
    ...args: A
  ): unknown {
    if (this.zombie !== null) return undefined
    this.depth++
    const result = resource.runInAsyncScope(attempt, self, callback, args)
    if (result === THREW) return undefined
    this.depth--
    this.drain()
    return result
  }

  /** A callback threw: once that is handled, all scopes are left. */
  threw(error: unknown): void {
    this.depth--
    this.uncaught(error)
    this.thread.scopes.clear()
    this.undrained = true
  }

  /** Calls into JavaScript from native frames inside a step: what is thrown is uncaught, as in a nested callback. */
  contained<A extends unknown[], R>(callback: (...args: A) => R, self: unknown, args: A): R | undefined {
    try {
      return Reflect.apply(callback, self, args)
    } catch (error) {
      this.uncaught(error)
      return undefined
    }
  }

  /** Calls into JavaScript without a resource: the main script, `beforeExit`, timers. */
  guarded(callback: () => void): void {
    this.depth++
    try {
      callback()
    } catch (error) {
      this.depth--
      this.uncaught(error)
      this.undrained = true
      return
    }
    this.depth--
    this.drain()
  }

  /** The thread pool: runs something later, as a poll-phase callback. The loop stays alive until then. */
  complete(kind: string, delayUs: number, run: Completion): KernelEvent {
    this.loop.requestStarted()
    const done = (): void => {
      this.loop.requestEnded()
      run()
    }
    const { poolUs } = this.placement.lateness
    const delay = delayUs + this.thread.poolLatency(this)
    return this.kernel.schedule(this.actor, kind, delay, () => this.loop.receive(done), poolUs)
  }

  /** Runs something of the process later, as a callback of its own that does not keep the loop alive. */
  later(kind: string, delayUs: number, run: () => void): void {
    this.kernel.schedule(this.actor, kind, delayUs, () => this.loop.receive(() => this.guarded(run)))
  }

  /** Completes a request: `oncomplete` in the request's own scope. */
  finish(request: Request, ...args: unknown[]): void {
    if (typeof request.oncomplete === 'function')
      this.makeCallback(request, request.oncomplete, request, ...args)
    this.requests.delete(request)
    request.emitDestroy()
  }

  runTimers(nowMs: number, arm: (nextMs: number) => void): void {
    const run = (): number => {
      const next = this.processTimers.call(this.object, nowMs)
      arm(next) // before ticks and microtasks, which may set timers of their own
      return next
    }
    while (this.repeat(run) === undefined && this.zombie === null);
  }

  runImmediates(): void {
    while (
      this.repeat(() => (this.processImmediate.call(this.object), 0)) === undefined &&
      this.zombie === null
    );
  }

  /** Timers and immediates go on with the rest of their queue after a throw. */
  private repeat(run: () => number): number | undefined {
    let result: number | undefined
    this.guarded(() => {
      result = run()
    })
    return result
  }

  drained(): void {
    // A native object may have something to say that it queued for the host's loop.
    if (this.hostTurns > 0 && this.quietTurns < QUIET_TURNS) {
      this.quietTurns++
      this.thread.requestTurn(this)
      this.loop.lookAgain()
      return
    }
    this.enter(() => this.end.leave())
  }

  /** Something was thrown and not caught. */
  uncaught(error: unknown, fromPromise = false): void {
    this.end.uncaught(error, fromPromise)
  }

  /** The process ends now. What is left of its step runs as a zombie. */
  exit(code: number | null, signal: string | null): void {
    this.end.exit(code, signal)
  }

  /** A signal arrived that a process may handle. */
  signal(name: string): void {
    this.end.signal(name)
  }

  /** Ends it from outside, without a word: SIGKILL, power loss. */
  destroy(): void {
    this.end.destroy()
  }

  /** A process of this thread draws ticks from here as long as it lives. */
  drain(): void {
    if (this.depth > 0) return
    this.undrained = false
    for (let rounds = 0; rounds < MAX_DRAINS; rounds++) {
      try {
        if (this.zombie !== null) this.thread.runMicrotasks()
        else this.runTicks()
        return
      } catch (error) {
        this.uncaught(error)
      }
    }
  }

  /** As `InternalCallbackScope::Close` does in C++. */
  private runTicks(): void {
    const { tickInfo } = this
    if (tickInfo[TICK_SCHEDULED] === 0) this.thread.runMicrotasks()
    if (tickInfo[TICK_SCHEDULED] !== 0 || tickInfo[REJECTION_TO_WARN] !== 0)
      this.tickCallback.call(this.object)
  }
}
