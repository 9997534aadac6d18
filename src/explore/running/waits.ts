/**
 * The waits of a recorded run: every `await` that has not continued yet, by task, with its place in the source. While
 * promise hooks are set, V8 makes a promise of its own for each `await`; the hooks see that promise again when the function
 * continues. So at the end of a run that cannot go on, the promises that were not seen again are the waits.
 *
 * Not all of them hold up their task: a task may have started work that it does not wait for. So the wait of a task is
 * searched from its own code inwards: if that code waits for the result of an async function, the wait is in that
 * function.
 */
import { promiseHooks } from 'node:v8'
import { min } from '../../kernel/arithmetic.ts'
import type { Origin } from '../../node/bare.ts'
import type { Task } from './tasks.ts'

interface Wait {
  readonly task: Task
  readonly origin: Origin
  readonly awaited: object
}

export class Waits {
  private readonly pending = new Map<object, Wait>()
  /** Where promises without a parent were made: those of async functions, in the function. */
  private readonly makers = new WeakMap<object, Origin>()
  private readonly currentTask: () => Task
  private readonly origin: () => Origin | null

  constructor(currentTask: () => Task, origin: () => Origin | null) {
    this.currentTask = currentTask
    this.origin = origin
  }

  /** Observes the awaits of a run. */
  during<T>(run: () => T): T {
    const over = (promise: object): void => void this.pending.delete(promise)
    const stop = promiseHooks.createHook({
      init: (promise: object, parent: object | undefined) => {
        const origin = this.origin()
        if (origin === null) return
        if (parent === undefined) this.makers.set(promise, origin)
        else this.pending.set(promise, { task: this.currentTask(), origin, awaited: parent })
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

  /** Where a task waits. */
  of(task: Task): Origin | null {
    const waits = [...this.pending.values()].filter((wait) => wait.task === task)
    const least = min(...waits.map(({ origin }) => origin.depth))
    let wait = waits.findLast(({ origin }) => origin.depth === least)
    if (wait === undefined) return null
    for (let inner = this.within(wait, waits); inner !== undefined; inner = this.within(wait, waits))
      wait = inner
    return wait.origin
  }

  /** The wait, of those given, that another one waits for. */
  private within({ origin: outer, awaited }: Wait, waits: readonly Wait[]): Wait | undefined {
    const deeper = waits.filter(({ origin }) => origin.depth > outer.depth)
    const inside = this.makers.get(awaited)?.inside ?? null
    const inFunction = deeper.filter(({ origin }) => inside !== null && origin.inside === inside)
    if (inFunction.length > 0) return inFunction.at(-1)
    // A `Promise.all` waits for all of its branches.
    const branches = deeper.filter(({ origin }) => origin.strand !== null && origin.strand !== outer.strand)
    return branches.toSorted((a, b) => b.origin.depth - a.origin.depth)[0]
  }
}
