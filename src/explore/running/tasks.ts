/**
 * The tasks of an explored run: named strands of asynchronous code. `t.task` makes them; the body itself is one. A task is
 * carried through promises and callbacks, so that an event belongs to the task whose code scheduled it, not to the task
 * whose step resolved a promise.
 *
 * In the tank an AsyncLocalStorage of the host carries the task through everything that Node's library does. In the bare
 * environment, which has only promises, promise hooks carry it: before Node 24 a store in use costs an async id, a stack
 * entry and a call of every hook for each promise.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { promiseHooks } from 'node:v8'
import type { RunningTasks } from '../../kernel/kernel.ts'

export interface Task {
  readonly id: number
  /** The user's name; a number is added to a name used before. */
  readonly name: string
  state: 'running' | 'done' | 'failed'
  /** What it waits for, for the message of a deadlock. */
  waitingFor: string
}

const storage = new AsyncLocalStorage<Task>()

/** The task of a promise: that of the code which made it. */
const ofPromise = Symbol('task')

type Carrying = Promise<unknown> & { [ofPromise]?: Task | undefined }

let throughPromises = false
let ofRunningCode: Task | undefined
/** Removes the hooks; null while none are set. */
let unhook: (() => void) | null = null

const SETTLED = Promise.resolve()

const HOOKS = {
  init: (promise: Carrying) => {
    promise[ofPromise] = ofRunningCode
  },
  before: (promise: Carrying) => {
    ofRunningCode = promise[ofPromise]
  },
  after: () => {
    ofRunningCode = undefined
  },
}

/**
 * Carries tasks through promises, and nothing else, during a run. Setting and removing hooks takes as long as some steps,
 * and mostly another run follows at once. So the hooks stay until the thread reaches its microtasks while nothing runs.
 */
export function carryThroughPromises<T>(run: () => T): T {
  unhook ??= promiseHooks.createHook(HOOKS) as () => void
  throughPromises = true
  try {
    return run()
  } finally {
    throughPromises = false
    ofRunningCode = undefined
    void SETTLED.then(unhookUnlessRunning)
  }
}

function unhookUnlessRunning(): void {
  if (throughPromises) return
  unhook?.()
  unhook = null
}

/** Call this when a run is over: tasks are no longer carried, and nothing pays for it. */
export function forgetTasks(): void {
  storage.disable()
}

/** The task of the body, which is made first. */
const MAIN_TASK = 1

export class Tasks implements RunningTasks {
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

  /** The task whose code is running; the main one if it is unknown. */
  get current(): Task {
    return this.carried ?? this.all[0]
  }

  /** The task whose code is running, if it came from this run. */
  get carried(): Task | undefined {
    const task = throughPromises ? ofRunningCode : storage.getStore()
    return task !== undefined && this.all[task.id - 1] === task ? task : undefined
  }

  taskOf(step: number): number {
    return this.carried?.id ?? (step || MAIN_TASK)
  }

  run<T>(task: Task, work: () => T): T {
    if (!throughPromises) return storage.run(task, work)
    const outer = ofRunningCode
    ofRunningCode = task
    try {
      return work()
    } finally {
      ofRunningCode = outer
    }
  }

  nameOf(id: number): string {
    return this.all[id - 1]?.name ?? `task ${id}`
  }
}
