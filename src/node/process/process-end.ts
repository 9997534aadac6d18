/**
 * How a simulated process ends: its loop has nothing left to do, it calls `process.exit`, it throws something that is
 * not caught, a signal arrives, or its host loses power. Exit codes and events are Node's (src/api/exceptions.cc,
 * src/node_errors.cc).
 *
 * A process that exits cannot be stopped in the middle of its JavaScript. It becomes a zombie until its step is over:
 * bindings throw its exit signal again, its ticks are dropped, its microtasks are flushed in that step. Then it is buried:
 * whatever it held is given back, and the world hears of its end.
 */
import { running } from './current.ts'
import { ExitSignal } from './exit-signal.ts'
import { printUncaught } from './fatal-exception.ts'
import type { NodeProcess } from './process.ts'

/** Signals whose default is to do nothing. */
const IGNORED_SIGNALS = new Set(['SIGCHLD', 'SIGURG', 'SIGWINCH', 'SIGIO', 'SIGPIPE', 'SIGCONT'])

/** Node's exit codes for a broken `_fatalException`, and for a handler that throws. */
const INVALID_FATAL_EXCEPTION = 6
const HANDLER_THREW = 7

/** And for an entry point that still waits at its top level. */
const UNSETTLED = 13

export class ProcessEnd {
  private readonly process: NodeProcess
  private outcome: { readonly code: number | null; readonly signal: string | null } | null = null

  constructor(process: NodeProcess) {
    this.process = process
  }

  /** Whether it has exited in a step that is not over yet. */
  get isDue(): boolean {
    return this.outcome !== null
  }

  /** The loop has nothing left to do: `beforeExit`, and `exit` when that brought nothing new. */
  leave(): void {
    const { process } = this
    const { object } = process
    const exit = object.exitCode ?? 0
    process.guarded(() => object.emit('beforeExit', exit))
    if (process.zombie !== null || process.loop.alive) return
    process.guarded(() => {
      if (!object._exiting) {
        object._exiting = true
        process.binding('performance').markLoop('EXIT')
        object.emit('exit', object.exitCode ?? this.unsettledCode())
        process.thread.runMicrotasks() // there are no more ticks, but what was promised is still done
      }
      object.reallyExit(object.exitCode ?? this.unsettledCode())
    })
  }

  /** Node 22 and later find out natively that the entry point has not settled. */
  private unsettledCode(): number {
    return this.process.loader?.hasUnsettledEntryPoint() === true ? UNSETTLED : 0
  }

  uncaught(error: unknown, fromPromise: boolean): void {
    const { process } = this
    if (process.zombie !== null || error instanceof ExitSignal) return
    if (typeof process.object._fatalException !== 'function') {
      printUncaught(process, error)
      this.exit(INVALID_FATAL_EXCEPTION, null)
      return
    }
    let handled: boolean
    try {
      handled = process.object._fatalException(error, fromPromise) as boolean
    } catch (second) {
      if (process.zombie !== null || second instanceof ExitSignal) return
      printUncaught(process, second)
      this.exit(HANDLER_THREW, null)
      return
    }
    process.thread.scopes.clear()
    if (handled || process.zombie !== null) return
    printUncaught(process, error)
    const { exitCode } = process.object
    this.exit(typeof exitCode === 'number' ? exitCode : 1, null)
  }

  exit(code: number | null, signal: string | null): void {
    const { process } = this
    if (process.zombie !== null) return
    process.zombie = new ExitSignal()
    this.outcome = { code, signal }
    process.loop.stop()
    if (running !== process) this.bury()
  }

  signal(name: string): void {
    const handlers = this.process.signals.get(name)
    if (handlers !== undefined && handlers.size > 0) {
      for (const handler of Array.from(handlers)) handler()
    } else if (!IGNORED_SIGNALS.has(name)) this.exit(null, name)
  }

  destroy(): void {
    const { process } = this
    if (process.zombie !== null) return
    process.zombie = new ExitSignal()
    process.loop.stop()
    this.release()
    if (process.placement.thread !== null) process.kernel.kill(process.actor)
  }

  /** Its last step is over. */
  bury(): void {
    const { thread, placement } = this.process
    const { code, signal } = this.outcome!
    this.outcome = null
    thread.runMicrotasks()
    thread.scopes.clear()
    this.release()
    placement.exited(code, signal)
  }

  private release(): void {
    const { hooks, threads, handles, natives } = this.process
    try {
      this.process.loader?.forgetModules()
    } catch {
      // It ended before its loaders were ready: there is nothing to forget.
    }
    for (const hook of hooks) hook.disable()
    hooks.clear()
    for (const thread of threads) thread.destroy()
    threads.clear()
    for (const handle of handles) handle.abandon()
    handles.clear()
    for (const native of natives) native.close()
    natives.clear()
  }
}
