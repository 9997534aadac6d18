/**
 * Who waits for what: in a recorded run, every `await` that has not gone on yet, by task, with its place in the source.
 * V8 makes a promise of its own for an `await` while promise hooks are set; that promise is seen again when the function
 * goes on. So at the end of a run that cannot go on, the ones not seen again are what everybody waits for.
 */
import { promiseHooks } from 'node:v8'
import type { Origin } from './origin.ts'
import type { Task } from './tasks.ts'

interface Wait {
  readonly task: Task
  readonly origin: Origin
}

export class Waits {
  private readonly pending = new Map<object, Wait>()
  private readonly currentTask: () => Task
  private readonly origin: () => Origin | null

  constructor(currentTask: () => Task, origin: () => Origin | null) {
    this.currentTask = currentTask
    this.origin = origin
  }

  /** Looks on while something runs. */
  during<T>(run: () => T): T {
    const over = (promise: object): void => void this.pending.delete(promise)
    const stop = promiseHooks.createHook({
      init: (promise: object, parent: object | undefined) => {
        const origin = parent === undefined ? null : this.origin()
        if (origin !== null) this.pending.set(promise, { task: this.currentTask(), origin })
      },
      before: over,
      settled: over,
    }) as () => void
    try {
      return run()
    } finally {
      stop()
    }
  }

  /** Where a task waits: of the calls that wait for each other, the innermost, which has the most callers. */
  of(task: Task): Origin | null {
    let innermost: Origin | null = null
    for (const wait of this.pending.values()) {
      if (wait.task === task && wait.origin.depth >= (innermost?.depth ?? 0)) innermost = wait.origin
    }
    return innermost
  }
}
