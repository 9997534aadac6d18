/**
 * When a run stands still although time goes on: nothing is pending but timers that keep no process alive, such as the
 * interval by which Node's HTTP servers look for idle connections. They would fire forever. One of them may still start
 * something, so a run stands still only after many of them in a row with nothing else pending.
 */
import type { KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'

const MOST_IDLE_STEPS = 500

export class Idleness {
  /** Idle steps since the last other step. */
  steps = 0
  /** Whether this has ended the run. */
  ended = false
  private readonly kernel: Kernel

  constructor(kernel: Kernel) {
    this.kernel = kernel
    kernel.afterStep.push((event) => this.ran(event))
  }

  private ran(event: KernelEvent): void {
    if (!isIdle(event)) {
      this.steps = 0
      return
    }
    if (++this.steps % MOST_IDLE_STEPS > 0 || !this.standsStill(event)) return
    this.end()
  }

  /** Whether this event, the last or the next one, and all pending ones keep no process alive. */
  standsStill(event: KernelEvent): boolean {
    return isIdle(event) && this.kernel.queue.pending.every(isIdle)
  }

  end(): void {
    this.ended = true
    this.kernel.stop()
  }
}

/** A turn of an event loop does nothing by itself. */
function isIdle({ idle, kind }: KernelEvent): boolean {
  return idle || kind === 'turn'
}
