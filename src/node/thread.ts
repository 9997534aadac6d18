/**
 * The node layer of one thread: Node's internals, the compiled library, the shared bindings, and the *burst*: the time
 * during which simulated processes run in this thread. Outside a burst the host is untouched, since a test runner or a
 * reporter shares the thread; inside it, what shared modules see of the host (its process object, its globals, its
 * promise rejections) is the current process's.
 *
 * A burst must start from a macrotask, because V8 drains no microtasks while one is running.
 */
import { setImmediate as hostTurn } from 'node:timers'
import type { Kernel, Pause } from '../kernel/kernel.ts'
import { AsyncScopes } from './async-scopes.ts'
import { hostBindings, processBindings, threadBindings } from './bindings/index.ts'
import { Library } from './builtins.ts'
import { running } from './current.ts'
import { hostGlobals } from './host-globals.ts'
import { HostProcess } from './host-process.ts'
import { pinStackDepth, restoreStackDepth, withPinnedStackDepth } from './stack-depth.ts'
import { pinTimeZone, restoreTimeZone } from './time-zone.ts'
import { takeInternals, type Binding, type Internals } from './internals.ts'
import { closed } from './bindings/binding.ts'
import { shareBlobStreams } from './blob-streams.ts'
import { LeakWatch, type Leak } from './leaks.ts'
import { LoaderThread } from './loader/index.ts'
import { PortGroup } from './bindings/message-port.ts'
import { preloadHost } from './preload.ts'
import { registers } from './registers.ts'
import { RealTraps } from './real-traps.ts'
import { adaptSharedClasses } from './shared-classes.ts'
import { simulatedPrimordials } from './primordials.ts'
import type { NodeProcess } from './process.ts'
import { keepGarbageYoung } from './young-garbage.ts'

let ofThisThread: NodeThread | undefined

export class NodeThread {
  readonly internals: Internals
  readonly library: Library
  /** Compiled programs. */
  readonly loaders: LoaderThread
  readonly processBindings: Readonly<Record<string, (process: NodeProcess) => Binding>> = processBindings
  readonly runMicrotasks: () => void
  private readonly bindings = new Map<string, Binding>()
  private readonly hostProcess: HostProcess
  readonly scopes: AsyncScopes
  /** What programs leave behind in the thread: to be restored after every run. */
  readonly leaks: LeakWatch
  private readonly warnedOf = new Set<string>()
  private inWorld = false
  private readonly traps: RealTraps
  private hostZone: string | null | undefined = null
  private hostStackDepth = 0
  /** Whether the host's members are swapped. */
  private isSwapped = false
  /** Whether something runs that wants them so. */
  private bursting = false
  /** The process whose step asked for a turn of the host's loop. */
  turnOwner: NodeProcess | null = null
  private readonly broadcasts = new WeakMap<Kernel, Map<string, PortGroup>>()
  private readonly setPromiseRejectCallback: (callback: unknown) => void
  private readonly enqueueMicrotask: (callback: () => void) => void

  /** The one of this thread; made on first use. */
  static get(): NodeThread {
    return (ofThisThread ??= new NodeThread())
  }

  private constructor() {
    keepGarbageYoung()
    this.internals = takeInternals()
    preloadHost(this.internals)
    adaptSharedClasses(this.internals)
    this.library = new Library(this.internals, simulatedPrimordials(this.internals), process, (name) =>
      this.binding(name),
    )
    this.loaders = new LoaderThread({
      internals: this.internals,
      require: this.library.require,
      current: () => running?.loader ?? null,
    })
    this.hostProcess = new HostProcess()
    this.scopes = new AsyncScopes(this.internals)
    this.traps = new RealTraps(this.internals)
    shareBlobStreams(this.library) // before anything is watched: it is our change, not a program's
    this.leaks = new LeakWatch()
    this.library.loaded = (id, exports) => this.leaks.include(id, exports)
    const taskQueue = this.internals.internalBinding('task_queue')
    this.runMicrotasks = taskQueue.runMicrotasks
    this.setPromiseRejectCallback = taskQueue.setPromiseRejectCallback
    this.enqueueMicrotask = taskQueue.enqueueMicrotask
    hostGlobals.added = (name) => this.leaks.noteSwappedGlobal(name)
  }

  /** A binding as modules of this thread see it. */
  binding(name: string): Binding {
    let binding = this.bindings.get(name)
    if (binding === undefined) this.bindings.set(name, (binding = this.makeBinding(name)))
    return binding
  }

  private makeBinding(name: string): Binding {
    const make = threadBindings[name]
    if (make !== undefined) return make(this)
    if (hostBindings.has(name)) return this.internals.internalBinding(name)
    if (processBindings[name] !== undefined) return this.library.bindingFacade(name) as Binding
    return closed(name, {})
  }

  /** Runs a world until it pauses for a reason of its own, giving the host a turn when a native object needs one. */
  run(kernel: Kernel, steps?: number): Promise<Pause> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        this.beginBurst()
        go()
      }
      const go = (): void => {
        try {
          const pause = kernel.run(steps)
          if (pause === 'host-turn') {
            this.suspend()
            hostTurn(again)
            return
          }
          this.endBurst()
          this.putBack()
          resolve(pause)
        } catch (error) {
          this.endBurst()
          this.putBack()
          reject(error)
        }
      }
      const again = (): void => {
        this.resume()
        go()
      }
      hostTurn(begin)
    })
  }

  /**
   * A world is over: what its programs changed for everybody in this thread is put back, so that the next one does not
   * depend on it. Warns once of each such thing, since within the world other processes met it too.
   */
  endWorld(): readonly Leak[] {
    this.inWorld = false
    const leaks = withPinnedStackDepth(() => this.leaks.restore(this.isSwapped ? 'swapped' : 'plain'))
    const news = leaks.filter(({ path }) => !this.warnedOf.has(path)).map(({ path }) => path)
    if (news.length > 0) {
      for (const path of news) this.warnedOf.add(path)
      const code = 'WAVETANK_LEAK'
      process.emitWarning(`a simulated program changed ${news.join(', ')} for all processes`, { code })
    }
    return leaks
  }

  /**
   * Runs something with the host's process, globals and rejections swapped. One world after the other may be run so in
   * one macrotask: members are put back at its end, when the host's code gets a turn.
   */
  burst<T>(run: () => T): T {
    this.beginBurst()
    try {
      return run()
    } finally {
      this.endBurst()
      this.putBackSoon()
    }
  }

  private beginBurst(): void {
    if (!this.isSwapped) {
      if (!this.inWorld) withPinnedStackDepth(() => this.leaks.begin())
      this.swap()
    }
    this.inWorld = true
    this.bursting = true
    this.resume()
  }

  private endBurst(): void {
    this.suspend()
    registers.unload()
    this.bursting = false
  }

  private swap(): void {
    this.isSwapped = true
    this.hostZone = pinTimeZone()
    this.hostStackDepth = pinStackDepth()
    this.traps.set()
    this.hostProcess.swap()
    hostGlobals.swap()
    if (!this.inWorld) this.leaks.noteSwappedGlobals()
  }

  private putBack(): void {
    this.isSwapped = false
    hostGlobals.restore()
    this.hostProcess.restore()
    this.traps.remove()
    restoreTimeZone(this.hostZone)
    restoreStackDepth(this.hostStackDepth)
  }

  private putBackSoon(): void {
    // The plain queue: no async hook of whoever drains it hears of this. Another burst may drain it, and asks again.
    this.enqueueMicrotask(() => {
      if (this.isSwapped && !this.bursting) this.putBack()
    })
  }

  /** The host's loop turns once in the middle of a burst: between steps the swapped members lead to the host anyway. */
  private suspend(): void {
    this.internals.require('internal/process/promises').listenForRejections()
    this.scopes.restore()
  }

  private resume(): void {
    this.turnOwner = null
    this.scopes.save()
    this.setPromiseRejectCallback(dispatchRejection)
  }

  /** A native object of this process needs a turn of the host's loop before the next event. */
  requestTurn(process: NodeProcess): void {
    this.turnOwner = process
    process.kernel.requestHostTurn()
  }

  /** The broadcast channel of a name among the threads of one process. */
  broadcastGroup(process: NodeProcess, name: string): PortGroup {
    const key = `${process.site.host.name} ${process.site.pid} ${name}`
    let groups = this.broadcasts.get(process.kernel)
    if (groups === undefined) this.broadcasts.set(process.kernel, (groups = new Map()))
    let group = groups.get(key)
    if (group === undefined) groups.set(key, (group = new PortGroup(true)))
    return group
  }

  /** How long the thread pool takes, beyond the work itself. */
  poolLatency(process: NodeProcess): number {
    return 10 + process.poolChoices.below(90)
  }
}

function dispatchRejection(type: number, promise: Promise<unknown>, reason: unknown): void {
  if (running === null) throw reason
  if (running.zombie === null) running.rejected?.(type, promise, reason)
}
