/**
 * Work that a native addon does on the real machine: in Node's thread pool, or in threads of its own. It completes in a
 * turn of the host's loop, at no time that a seed decides. So the kernel stands still from the end of the step that began
 * the work until all of it is done; then each completion becomes an event of the process that asked for it, in the order
 * of the calls, after a latency of the simulated thread pool. What native code calls meanwhile is kept until then.
 *
 * A call that brings nothing within a minute is taken for one that waits for the world, and ends the run with an error.
 */
import { clearTimeout, setImmediate as hostTurn, setTimeout as hostTimer } from 'node:timers'
import { UnsupportedError } from '../bindings/binding.ts'
import { running } from './current.ts'
import { Request } from './handle.ts'
import type { RunningProcess } from './running-process.ts'

/** A call into an addon, from its beginning until its first callback came, or its promise settled. */
export class NativeCall {
  readonly process: RunningProcess
  readonly number: number
  /** The addon and its function, for messages. */
  readonly name: string
  /** The async scope of its callbacks; a promise has its own. */
  private request: Request | null = null
  private readonly work: NativeWork
  isUnderWay = false
  hasArrived = false

  constructor(process: RunningProcess, name: string, number: number, work: NativeWork) {
    this.process = process
    this.name = name
    this.number = number
    this.work = work
  }

  /** It has a callback. */
  openScope(): void {
    this.request ??= new Request('NATIVEADDON')
  }

  /** Calls into the process, in a step of its own. */
  deliver(run: () => void): void {
    const { process, request } = this
    process.complete('addon', 0, () => {
      if (request === null) process.guarded(run)
      else process.makeCallback(request, run, undefined)
    })
    if (!this.isUnderWay) return
    this.isUnderWay = false
    process.loop.requestEnded()
  }

  /** Something that native code brings: at once inside of a step of the process, else with the other completions. */
  bring(run: () => void): void {
    this.hasArrived = true
    if (running === this.process) run()
    else this.work.arrive(this, run)
  }

  /** The kernel must wait for it. */
  await(): void {
    if (!this.hasArrived) this.work.await(this)
  }
}

interface Arrival {
  readonly call: NativeCall
  readonly run: () => void
}

class NativeWork {
  /** How long the kernel waits for a call, in real time. */
  limitMs = 60_000
  private calls = 0
  private arrivals: Arrival[] = []
  private readonly underWay = new Set<NativeCall>()
  private go: ((error?: Error) => void) | null = null
  private limit: NodeJS.Timeout | undefined

  begin(process: RunningProcess, name: string): NativeCall {
    return new NativeCall(process, name, this.calls++, this)
  }

  await(call: NativeCall): void {
    call.isUnderWay = true
    this.underWay.add(call)
    call.process.loop.requestStarted() // it must not exit before the answer is there
    call.process.thread.requestTurn(call.process)
  }

  arrive(call: NativeCall, run: () => void): void {
    this.arrivals.push({ call, run })
    this.underWay.delete(call)
    if (this.underWay.size === 0) this.proceed()
  }

  /** Calls `go` from a macrotask of the host once no call is under way; with an error if one takes too long. */
  settled(go: (error?: Error) => void): void {
    this.go = go
    if (this.underWay.size === 0) this.proceed()
    else this.limit = hostTimer(() => this.giveUp(), this.limitMs)
  }

  private proceed(): void {
    const { go } = this
    if (go === null) return
    this.go = null
    clearTimeout(this.limit)
    hostTurn(() => {
      this.deliver()
      go()
    })
  }

  private giveUp(): void {
    const { go } = this
    const [{ name }] = this.underWay as unknown as [NativeCall]
    this.forget()
    go?.(
      new UnsupportedError(
        `the native addon's call ${name} has brought nothing within ${this.limitMs / 1_000} s: an addon in the tank may ` +
          'only compute, since nothing simulated can happen while it works',
      ),
    )
  }

  /** A world is over: what its calls still bring is of no interest. */
  forget(): void {
    this.go = null
    this.underWay.clear()
    this.arrivals = []
    clearTimeout(this.limit)
  }

  private deliver(): void {
    const { arrivals } = this
    this.arrivals = []
    arrivals.sort((a, b) => a.call.number - b.call.number) // stable: callbacks of one call keep their order
    for (const { call, run } of arrivals) if (call.process.zombie === null) call.deliver(run)
  }
}

/** The one of this thread. */
export const nativeWork: NativeWork = new NativeWork()
