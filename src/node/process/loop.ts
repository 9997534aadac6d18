/**
 * The event loop of one process, with libuv's phases (`uv_run` since 1.45): poll, check, closing, timers, and round
 * again. The world delivers callbacks; when the loop is blocked in poll they run at once, otherwise they wait for the
 * poll phase of the next turn. Every callback is a step of its own: the rest of the turn continues as a further event
 * at the same virtual time. A turn costs a microsecond, so a process that polls with `setImmediate` does
 * not stop the world's clock.
 *
 * One poll brings everything that is ready when it returns. That includes callbacks that arrive before a turn has begun
 * to poll. If a callback woke a blocked loop, it also includes those that were under way already and could have arrived
 * by then.
 *
 * Time as libuv sees it is a cached number of milliseconds since the boot, renewed after polling and before timers.
 * Node has one libuv timer and one check handle per process: all due timers are one callback, all immediates are one.
 */
import { abs, floor, max } from '../../kernel/arithmetic.ts'
import { KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Actor } from '../../kernel/actor.ts'

/** What the loop needs from the process above it. */
export interface LoopHost {
  /** Runs something as the process. */
  enter(run: () => void): void
  /** One libuv callback: Node's `processTimers`; hands on the next expiry as Node does (negative: unref'd, 0: none). */
  runTimers(nowMs: number, arm: (nextMs: number) => void): void
  runImmediates(): void
  /** Nothing keeps the loop alive any longer: `beforeExit`, and `exit` when that brought nothing new. */
  drained(): void
}

type Phase = 'poll' | 'check' | 'closing' | 'timers' | 'next'

export class EventLoop {
  /** How late a strategy may let timers run; by time they are punctual. */
  timerLatenessUs = 0
  /** immediateInfo of the timers binding: how many, how many ref'd, whether some are outstanding after a throw. */
  readonly immediateInfo = new Uint32Array(3)
  /** Ref'd, active handles. */
  private refs = 0
  private requests = 0
  private timerDueMs = -1
  private timerRef = false
  private readonly polled: (() => void)[] = []
  private polledNext = 0
  /** The end of the part of `polled` that belongs to this turn; open until the turn begins to poll. */
  private batchEnd = 0
  private batchIsOpen = false
  private closing: (() => void)[] = []
  /** Immediates of C++: they run before JavaScript's and do not keep the loop alive. */
  private unrefImmediates: (() => void)[] = []
  private phase: Phase = 'poll'
  /** Blocked in poll: nothing is due, and the next arrival runs at once. */
  private blocked = false
  /** The step in which a poll that had blocked brought something, and the time of it; 0 when the turn has gone on. */
  private wokenStep = 0
  private wokenUs = 0
  /** A callback of that poll is running. */
  private inCallback = false
  private stopped = false
  private nowMs = 0
  /** How often it went round, and how long it has been blocked in poll. */
  turns = 0
  idleUs = 0
  private blockedAt = 0
  private readonly bootUs: number
  private readonly turnEvent: KernelEvent
  private readonly timerEvent: KernelEvent
  private readonly kernel: Kernel
  private readonly host: LoopHost

  constructor(kernel: Kernel, actor: Actor, host: LoopHost) {
    this.kernel = kernel
    this.host = host
    this.bootUs = kernel.now
    this.turnEvent = new KernelEvent('turn', actor, () => this.host.enter(this.turn))
    this.timerEvent = new KernelEvent('timer', actor, () => this.timerFired())
    this.timerEvent.lane = kernel.lane()
    this.timerEvent.idle = true
  }

  /** The cached loop time. */
  get timeMs(): number {
    return this.nowMs
  }

  updateTime(): void {
    this.nowMs = floor((this.kernel.now - this.bootUs) / 1000)
  }

  get alive(): boolean {
    return (
      this.refs > 0 ||
      this.requests > 0 ||
      this.immediateInfo[1] > 0 ||
      this.closing.length > 0 ||
      (this.timerRef && this.timerDueMs >= 0) ||
      this.polledNext < this.polled.length
    )
  }

  /** After the main script: the first turn begins with timers, as `uv_run` does. */
  start(): void {
    this.phase = 'timers'
    this.kernel.arm(this.turnEvent, this.kernel.now)
  }

  stop(): void {
    this.stopped = true
    this.kernel.cancel(this.turnEvent)
    this.kernel.cancel(this.timerEvent)
    this.polled.length = this.polledNext = this.batchEnd = 0
    this.batchIsOpen = false
    this.closing = []
    this.unrefImmediates = []
  }

  /** Something arrived from the world: a callback for the poll phase. */
  readonly receive = (callback: () => void): void => {
    if (this.stopped) return
    if (this.blocked) {
      this.wokenStep = this.kernel.step
      this.wokenUs = this.kernel.now
      this.unblock()
      this.updateTime()
    } else if (!this.wasReady()) {
      this.polled.push(callback)
      return
    }
    this.inCallback = true
    this.host.enter(callback)
    this.inCallback = false
    if (this.stopped) return
    this.phase = 'check'
    this.settle()
  }

  /** Whether what arrives now may have been there when the loop woke up. */
  private wasReady(): boolean {
    const { event } = this.kernel
    if (this.wokenStep === 0 || this.inCallback || event === null) return false
    return event.cause < this.wokenStep && event.time <= this.wokenUs
  }

  handleActive(refs: 1 | -1): void {
    this.refs += refs
    if (this.blocked && this.refs === 0) this.wake()
  }

  requestStarted(): void {
    this.requests++
  }

  requestEnded(): void {
    this.requests--
    if (this.blocked && this.requests === 0) this.wake()
  }

  /** Queues a handle's close callback for the closing phase. */
  close(callback: () => void): void {
    this.closing.push(callback)
    this.wake()
  }

  /** Runs something in the next check phase, should there be one. */
  unrefImmediate(callback: () => void): void {
    this.unrefImmediates.push(callback)
  }

  scheduleTimer(afterMs: number): void {
    this.timerDueMs = this.nowMs + max(1, afterMs)
    this.armTimer()
  }

  toggleTimerRef(ref: boolean): void {
    this.timerRef = ref
    this.timerEvent.idle = !ref
  }

  /** Something became due although nothing arrived: the loop must not stay blocked in poll. */
  wake(): void {
    if (!this.blocked) return
    this.unblock()
    this.phase = 'check'
    this.kernel.arm(this.turnEvent, this.kernel.now)
  }

  /** Nothing is left to do, but something may turn up before the next event. */
  lookAgain(): void {
    this.phase = 'next'
    this.continue()
  }

  private unblock(): void {
    this.blocked = false
    this.turns++
    this.idleUs += this.kernel.now - this.blockedAt
    this.kernel.readClock()
  }

  private armTimer(): void {
    this.kernel.arm(this.timerEvent, this.bootUs + this.timerDueMs * 1000, this.timerLatenessUs)
  }

  private timerFired(): void {
    // A loop in the middle of a turn gets to its timers by itself.
    if (!this.blocked) return
    this.unblock()
    this.phase = this.immediateInfo[0] > 0 || this.unrefImmediates.length > 0 ? 'check' : 'timers'
    this.host.enter(this.turn)
  }

  /** Runs the next callback that is due in this turn, then arranges for the one after it. */
  private readonly turn = (): void => {
    if (this.stopped) return
    this.wokenStep = 0
    switch (this.phase) {
      case 'poll': {
        if (this.batchIsOpen) this.batchEnd = this.polled.length
        this.batchIsOpen = false
        if (this.polledNext === this.batchEnd) {
          this.phase = this.hasImmediates ? 'check' : 'closing'
          return this.turn()
        }
        const callback = this.polled[this.polledNext++]
        if (this.polledNext === this.polled.length) this.polled.length = this.polledNext = this.batchEnd = 0
        callback()
        break
      }
      case 'check':
        this.phase = 'closing'
        this.runUnrefImmediates()
        if (this.stopped) return
        if (this.immediateInfo[0] > 0 || this.immediateInfo[2] > 0) this.host.runImmediates()
        break
      case 'closing': {
        this.phase = 'timers'
        const { closing } = this
        this.closing = []
        for (const callback of closing) if (!this.stopped) callback()
        break
      }
      case 'timers':
        this.phase = 'next'
        this.runTimers()
        break
      case 'next':
        break
    }
    if (!this.stopped) this.settle()
  }

  private get hasImmediates(): boolean {
    return this.immediateInfo[0] > 0 || this.immediateInfo[2] > 0 || this.unrefImmediates.length > 0
  }

  private runUnrefImmediates(): void {
    const { unrefImmediates } = this
    if (unrefImmediates.length === 0) return
    this.unrefImmediates = []
    for (const callback of unrefImmediates) if (!this.stopped) callback()
  }

  private runTimers(): void {
    this.updateTime()
    if (this.timerDueMs < 0 || this.timerDueMs > this.nowMs) return
    this.timerDueMs = -1
    this.host.runTimers(this.nowMs, (next) => {
      if (this.stopped) return
      // As in node::Environment::RunTimers: relative to the cached time, at least a millisecond.
      this.timerRef = next > 0
      if (next !== 0) this.scheduleTimer(abs(next) - this.nowMs)
    })
  }

  /** Moves through the phases that have nothing to do; arms a turn for the first that has, or blocks. */
  private settle(): void {
    for (;;) {
      switch (this.phase) {
        case 'poll':
          if (this.polledNext < this.batchEnd) return this.continue()
          this.phase = 'check'
          continue
        case 'check':
          if (this.hasImmediates) return this.continue()
          this.phase = 'closing'
          continue
        case 'closing':
          if (this.closing.length > 0) return this.continue()
          this.phase = 'timers'
          continue
        case 'timers': {
          const nowMs = floor((this.kernel.now - this.bootUs) / 1000)
          if (this.timerDueMs >= 0 && this.timerDueMs <= nowMs) return this.continue()
          this.phase = 'next'
          continue
        }
        case 'next':
          if (this.alive) return this.nextTurn()
          if (this.unrefImmediates.length > 0) {
            this.phase = 'check'
            return this.continue()
          }
          this.host.drained()
          if (this.stopped || !this.alive) return
      }
    }
  }

  /** Goes round: polls what has arrived, looks in when something else is due, or blocks. */
  private nextTurn(): void {
    this.phase = 'poll'
    if (this.polledNext < this.polled.length || this.immediateInfo[1] > 0 || this.closing.length > 0) {
      this.turns++
      this.kernel.readClock()
      this.batchIsOpen = true
      this.continue()
    } else {
      this.wokenStep = 0
      this.blocked = true
      this.blockedAt = this.kernel.now
    }
  }

  private continue(): void {
    this.kernel.arm(this.turnEvent, this.kernel.now)
  }
}
