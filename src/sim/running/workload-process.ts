/**
 * The process in which a simulation file is evaluated and its workload runs: an ordinary simulated process on a host
 * that never fails. The run's own asynchronous code (phases, clients, the recorder) lives in it too, so that every
 * promise it waits for is resolved in a step of this process, in Node's own order.
 */
import { round } from '../../kernel/arithmetic.ts'
import type { RunningProcess } from '../../node/index.ts'

export class WorkloadProcess {
  private readonly process: RunningProcess

  constructor(process: RunningProcess) {
    this.process = process
    process.loop.requestStarted() // it never ends by itself
  }

  /** Virtual milliseconds since the world began. */
  get nowMs(): number {
    return this.process.kernel.now / 1000
  }

  /** Runs a function in the process, as a callback of its event loop, after a delay. Returns how to cancel it. */
  after(delayMs: number, callback: () => void): () => void {
    const { kernel, actor, loop } = this.process
    const event = kernel.schedule(actor, 'workload', round(delayMs * 1000), () => {
      loop.receive(() => this.process.guarded(callback))
    })
    return () => kernel.cancel(event)
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve))
  }
}
