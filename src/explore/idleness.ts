/**
 * When a run stands still although time goes on: nothing is left but timers that keep no process alive, such as the
 * interval by which Node's HTTP servers look for connections that have been idle. They would fire for ever. One of them
 * may yet set something going, so it takes many in a row, and nothing else pending, to call it standing still.
 */
import type { KernelEvent } from '../kernel/event.ts'
import type { Kernel } from '../kernel/kernel.ts'

const MOST_IDLE_STEPS = 500

export class Idleness {
  /** Steps since anything else has happened. */
  steps = 0
  /** It was this that ended the run. */
  ended = false
  private readonly kernel: Kernel

  constructor(kernel: Kernel) {
    this.kernel = kernel
  }

  /** A step is over. */
  ran(event: KernelEvent): void {
    if (!isIdle(event)) {
      this.steps = 0
      return
    }
    if (++this.steps % MOST_IDLE_STEPS > 0 || !this.kernel.queue.pending.every(isIdle)) return
    this.ended = true
    this.kernel.stop()
  }
}

/** A turn of an event loop does nothing by itself. */
function isIdle({ idle, kind }: KernelEvent): boolean {
  return idle || kind === 'turn'
}
