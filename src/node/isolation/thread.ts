/**
 * The node layer of one thread: Node's internals, the compiled library, the shared bindings, and the *burst*: the time
 * during which simulated processes run in this thread. Outside a burst the host is untouched, since a test runner or a
 * reporter shares the thread; inside it, what shared modules see of the host (its process object, its globals, its
 * promise rejections) is the current process's.
 *
 * A burst must start from a macrotask, because V8 drains no microtasks while one is running.
 */
import { setImmediate as hostTurn } from 'node:timers'
import type { Kernel, Pause } from '../../kernel/kernel.ts'
import { UsageError } from '../../kernel/errors.ts'
import { takeDownHooks } from './async-hooks.ts'
import { AsyncScopes } from './async-scopes.ts'
import { hostBindings, processBindings, threadBindings } from '../bindings/index.ts'
import { Library } from '../library/builtins.ts'
import { putConstructorsBack, swapConstructors } from '../globals/own-members.ts'
import { running } from '../process/current.ts'
import { nativeWork } from '../process/native-work.ts'
import { hostGlobals } from './host-globals.ts'
import { HostProcess } from './host-process.ts'
import { pinStackDepth, restoreStackDepth, withPinnedStackDepth } from './stack-depth.ts'
import { region } from './region.ts'
import { takeInternals, type Binding, type Internals } from '../library/internals.ts'
import { closed } from '../bindings/binding.ts'
import { shareBlobStreams } from './blob-streams.ts'
import { LeakWatch, type Leak } from './leaks.ts'
import { LoaderThread } from '../loader/index.ts'
import { PortGroup } from '../bindings/threads/message-port.ts'
import { preloadHost } from './preload.ts'
import { registers } from '../library/registers.ts'
import { RealTraps } from './real-traps.ts'
import { adaptSharedClasses } from './shared-classes.ts'
import { simulatedPrimordials } from '../library/primordials.ts'
import type { NodeProcess } from '../process/process.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { keepGarbageYoung } from './young-garbage.ts'

/** How many changes one warning names. */
const MOST_NAMES = 20

let ofThisThread: NodeThread | undefined

export class NodeThread {
  readonly internals: Internals
  readonly library: Library
  /** Compiled programs. */
  readonly loaders: LoaderThread
  readonly processBindings: Readonly<Record<string, (process: RunningProcess) => Binding>> = processBindings
  readonly runMicrotasks: () => void
  private readonly bindings = new Map<string, Binding>()
  private readonly hostProcess: HostProcess
  readonly scopes: AsyncScopes
  /** Changes that programs leave behind in the thread: restored after every run. */
  readonly leaks: LeakWatch
  private readonly warnedOf = new Set<string>()
  private inWorld = false
  private readonly traps: RealTraps
  private hostStackDepth = 0
  /** Whether the host's members are swapped. */
  private isSwapped = false
  /** Whether something runs that wants them so. */
  private bursting = false
  /** The process whose step asked for a turn of the host's loop. */
  turnOwner: RunningProcess | null = null
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
      current: () => (running as NodeProcess | null)?.loader ?? null,
    })
    this.hostProcess = new HostProcess()
    this.scopes = new AsyncScopes(this.internals)
    this.traps = new RealTraps(this.internals)
    shareBlobStreams(this.library) // before anything is watched: it is our change, not a program's
    this.leaks = new LeakWatch()
    this.library.loaded = (id, exports) => this.leaks.include(id, exports)
    this.library.viewed = (id, exports) => this.leaks.include(id, exports)
    this.library.given = (id, exports) => this.leaks.compare(id, exports)
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
        try {
          this.beginBurst()
        } catch (error) {
          reject(error)
          return
        }
        go()
      }
      const go = (): void => {
        try {
          const pause = kernel.run(steps)
          if (pause === 'host-turn') {
            this.suspend()
            nativeWork.settled(again)
            return
          }
          this.endBurst()
          this.putBack()
          resolve(pause)
        } catch (error) {
          stop(error)
        }
      }
      const stop = (error: unknown): void => {
        this.endBurst()
        this.putBack()
        reject(error)
      }
      const again = (error?: Error): void => {
        this.resume()
        if (error === undefined) go()
        else stop(error)
      }
      hostTurn(begin)
    })
  }

  /**
   * A world is over: what its programs changed for all processes of this thread is put back, so that the next one does not
   * depend on it. Warns once of each such thing, since within the world other processes met it too.
   */
  endWorld(): readonly Leak[] {
    this.inWorld = false
    nativeWork.forget()
    takeDownHooks()
    putConstructorsBack()
    const leaks = withPinnedStackDepth(() => this.leaks.restore(this.isSwapped ? 'swapped' : 'plain'))
    if (this.isSwapped) swapConstructors()
    const news = leaks.filter(({ path }) => !this.warnedOf.has(path)).map(({ path }) => path)
    if (news.length > 0) {
      for (const path of news) this.warnedOf.add(path)
      const code = 'WAVETANK_LEAK'
      const more = news.length > MOST_NAMES ? ` and ${news.length - MOST_NAMES} more` : ''
      const names = `${news.slice(0, MOST_NAMES).join(', ')}${more}`
      process.emitWarning(`a simulated program changed ${names} for all processes`, { code })
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

  /** Whether a world has left something behind that cannot be put back: the thread must run no other. */
  get isStained(): boolean {
    return this.leaks.stains.length > 0
  }

  private beginBurst(): void {
    if (this.isStained && !this.inWorld) throw stained(this.leaks.stains)
    if (!this.inWorld) forgetLastMatch()
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
    region.refresh()
    this.hostStackDepth = pinStackDepth()
    this.traps.set()
    this.hostProcess.swap()
    hostGlobals.swap()
    swapConstructors()
    if (!this.inWorld) this.leaks.noteSwappedGlobals()
  }

  private putBack(): void {
    this.isSwapped = false
    putConstructorsBack()
    hostGlobals.restore()
    this.hostProcess.restore()
    this.traps.remove()
    restoreStackDepth(this.hostStackDepth)
  }

  private putBackSoon(): void {
    // The plain queue, of which async hooks do not hear. Another burst may drain it, and then asks again.
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
  requestTurn(process: RunningProcess): void {
    this.turnOwner = process
    process.kernel.requestHostTurn()
  }

  /** The broadcast channel of a name among the threads of one process. */
  broadcastGroup(process: RunningProcess, name: string): PortGroup {
    const key = `${process.placement.host.name} ${process.placement.pid} ${name}`
    let groups = this.broadcasts.get(process.kernel)
    if (groups === undefined) this.broadcasts.set(process.kernel, (groups = new Map()))
    let group = groups.get(key)
    if (group === undefined) groups.set(key, (group = new PortGroup(true)))
    return group
  }

  /** How long the thread pool takes, beyond the work itself. */
  poolLatency(process: RunningProcess): number {
    return 10 + process.poolChoices.below(90)
  }
}

function stained(stains: readonly Leak[]): UsageError {
  const paths = stains.map(({ path }) => path).join(', ')
  return new UsageError(
    'ERR_WAVETANK_STAINED',
    `a simulated program has changed ${paths} in a way that JavaScript cannot take back, so this thread can run no other ` +
      'world. Run the simulation in worker threads (`wavetank run`), which are replaced, or make the change revocable.',
  )
}

/** `RegExp.$1` and its like are one per realm. */
function forgetLastMatch(): void {
  NO_MATCH.test('')
}

const NO_MATCH = /^/

function dispatchRejection(type: number, promise: Promise<unknown>, reason: unknown): void {
  if (running === null) throw reason
  if (running.zombie === null) running.rejected?.(type, promise, reason)
}
