/**
 * The tasks of an explored run: strands of asynchronous code with a name. `t.task` makes them; the body itself is one.
 * A task is carried through promises and callbacks, so that an event scheduled by a continuation belongs to the task
 * whose code it is, not to the one whose step happened to resolve a promise.
 *
 * In the tank an AsyncLocalStorage of the host carries it, through everything that Node's library does. Where there are
 * only promises (the bare environment), promise hooks do: before Node 24 a store in use costs an async id, a stack
 * entry and a call of every hook for each promise.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { promiseHooks } from 'node:v8'
import type { RunningTasks } from '../kernel/kernel.ts'

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
/** Takes the hooks off; null while none are set. */
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
 * Carries tasks through promises, and nothing else, while something runs. To set hooks and take them off takes as long as
 * some steps do, and mostly another run follows at once; so they stay until the thread comes to its microtasks and nothing
 * runs.
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

/** A run is over: nothing carries its tasks any more, and nothing pays for that. */
export function forgetTasks(): void {
  storage.disable()
}

/** The body's own: the first that is made. */
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

  /** The task whose code is running; the main one where nobody said. */
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
