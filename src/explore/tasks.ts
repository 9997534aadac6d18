/**
 * The tasks of an explored run: strands of asynchronous code with a name. `t.task` makes them; the body itself is one.
 * A task is carried through promises and callbacks by an AsyncLocalStorage of the host, so that an event scheduled by a
 * continuation belongs to the task whose code it is, not to the one whose step happened to resolve a promise.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Task {
  readonly id: number
  /** The user's name; a number is added to a name used before. */
  readonly name: string
  state: 'running' | 'done' | 'failed'
  /** What it waits for, for the message of a deadlock. */
  waitingFor: string
}

const carrier = new AsyncLocalStorage<Task>()

export class Tasks {
  readonly all: Task[] = []
  private readonly uses = new Map<string, number>()

  create(name: string): Task {
    const use = (this.uses.get(name) ?? 0) + 1
    this.uses.set(name, use)
    const unique = use === 1 ? name : `${name} #${use}`
    const task: Task = { id: this.all.length + 1, name: unique, state: 'running', waitingFor: 'a promise' }
    this.all.push(task)
    return task
  }

  /** The task whose code is running; the main one where nobody said. */
  get current(): Task {
    return this.carried ?? this.all[0]
  }

  /** The task whose code is running, if it came from this run. */
  get carried(): Task | undefined {
    const task = carrier.getStore()
    return task !== undefined && this.all[task.id - 1] === task ? task : undefined
  }

  run<T>(task: Task, work: () => T): T {
    return carrier.run(task, work)
  }

  nameOf(id: number): string {
    return this.all[id - 1]?.name ?? `task ${id}`
  }
}
