/** Threads that measure cells, one per core: what a cell is does not depend on the thread that measured it. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Cell, Column } from './cell.ts'
import type { Delivery, Order } from './worker.ts'

interface Job {
  readonly order: Order
  readonly resolve: (cell: Cell) => void
  readonly reject: (error: Error) => void
}

export class CellPool {
  private readonly jobs: Job[] = []
  private readonly threads: Worker[] = []
  private readonly idle: Worker[] = []

  constructor() {
    for (let i = 0; i < availableParallelism(); i++) {
      const thread = new Worker(new URL('./worker.ts', import.meta.url))
      this.threads.push(thread)
      this.idle.push(thread)
    }
  }

  measure(program: string, column: Column, trials: number): Promise<Cell> {
    return new Promise((resolve, reject) => {
      this.jobs.push({ order: { program, column, trials }, resolve, reject })
      this.assign()
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.terminate()))
  }

  private assign(): void {
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop()) {
      const job = this.jobs.shift()
      if (job === undefined) {
        this.idle.push(thread)
        return
      }
      this.hand(job, thread)
    }
  }

  private hand(job: Job, thread: Worker): void {
    thread.once('error', job.reject)
    thread.once('message', ({ cell }: Delivery) => {
      thread.removeListener('error', job.reject)
      job.resolve(cell)
      this.idle.push(thread)
      this.assign()
    })
    thread.postMessage(job.order) // oxlint-disable-line unicorn/require-post-message-target-origin
  }
}
