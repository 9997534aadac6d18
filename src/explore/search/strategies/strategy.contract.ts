/**
 * The laws that every strategy keeps, each as a function that throws when its strategy breaks it. The programs are small
 * and synthetic: tasks with a fixed list of events, of which the first one left is ready, and a task that polls until
 * another is done. Events have the fields that strategies read; nothing else of the kernel takes part.
 *
 * Seeds are fixed, so a law holds or fails for good, also the one about probability: its floor is what PCT promises for a
 * bug of depth 2 in two tasks with four events, 1/(n·k) = 1/8, halved for strategies that promise nothing.
 */
import { Actor } from '../../../kernel/actor.ts'
import { KernelEvent, type Access } from '../../../kernel/event.ts'
import type { ExploreStrategy } from '../strategy.ts'

export type MakeStrategy = () => ExploreStrategy

export interface Law {
  readonly title: string
  /** Whether the law is about this strategy; all by default. */
  readonly applies?: (strategy: ExploreStrategy) => boolean
  /** Throws if the strategy breaks the law. */
  readonly check: (make: MakeStrategy) => void
}

/** A program: a list of accesses for each task. A task that polls reads until another task has written. */
interface Program {
  readonly tasks: readonly (readonly Access[])[]
  readonly poll?: { readonly task: number; readonly until: number }
}

interface Run {
  readonly picks: readonly number[]
  /** The order of what happened, as numbers of tasks. */
  readonly order: readonly number[]
  readonly abandoned: boolean
}

const read = (resource: string): Access => ({ resource, write: false })
const write = (resource: string): Access => ({ resource, write: true })

const LOST_UPDATE: Program = {
  tasks: [
    [read('x'), write('x')],
    [read('x'), write('x')],
  ],
}

const THREE_TASKS: Program = {
  tasks: [
    [read('x'), write('y'), write('x')],
    [write('x'), read('y'), read('x')],
    [read('y'), write('y')],
  ],
}

const POLLING: Program = {
  tasks: [[], [write('x'), write('y'), write('done')]],
  poll: { task: 0, until: 1 },
}

/** More steps than any program here needs, however unlucky: a strategy that takes them never ends. */
const MOST_STEPS = 2_500
const RUNS = 200

export const LAWS: readonly Law[] = [
  {
    title: 'picks one of the events that are ready, and leaves them as they are',
    check(make) {
      const strategy = make()
      for (let seed = 1; seed <= RUNS && strategy.exhausted !== true; seed++) run(strategy, THREE_TASKS, seed)
    },
  },
  {
    title: 'picks the same for the same seeds',
    check(make) {
      const [one, another] = [make(), make()]
      for (let seed = 1; seed <= RUNS && one.exhausted !== true; seed++)
        sameRun(run(one, THREE_TASKS, seed), run(another, THREE_TASKS, seed), `run ${seed}`)
    },
  },
  {
    // The events of every run have the same numbers. If those of earlier runs have others, nothing may change.
    title: 'forgets the events of earlier runs',
    applies: ({ inOrder }) => inOrder !== true, // its path through the tree is made of them
    check(make) {
      const [one, another] = [make(), make()]
      for (let seed = 1; seed <= RUNS; seed++) {
        run(one, THREE_TASKS, seed)
        run(another, THREE_TASKS, seed, 1_000 * seed)
      }
      for (let seed = RUNS + 1; seed <= RUNS + 20; seed++)
        sameRun(run(one, THREE_TASKS, seed), run(another, THREE_TASKS, seed), `run ${seed}`)
    },
  },
  {
    title: 'lets a task that polls see what it waits for, in some schedule and usually soon',
    applies: ({ inOrder }) => inOrder !== true, // a tree without an end
    check(make) {
      const strategy = make()
      let ended = 0
      for (let seed = 1; seed <= RUNS; seed++)
        if (run(strategy, POLLING, seed).order.length < MOST_STEPS) ended++
      // Priorities may starve a task: steering makes a run fair after 2,500 decisions. But not in most runs.
      if (ended < RUNS / 3) throw new Error(`only ${ended} of ${RUNS} runs ended`)
    },
  },
  {
    title: 'ends when it has been through every schedule',
    applies: ({ inOrder }) => inOrder === true,
    check(make) {
      const strategy = make()
      const orders = new Set<string>()
      for (let seed = 1; strategy.exhausted !== true; seed++) {
        if (seed > 1_000) throw new Error('it goes on after 1,000 runs of 6 interleavings')
        const { order, abandoned } = run(strategy, LOST_UPDATE, seed)
        if (!abandoned) orders.add(order.join(''))
      }
      // Of the six interleavings, both reads may come first, in either order, or one task may be done before the other.
      for (const wanted of ['0011', '1100'])
        if (!orders.has(wanted)) throw new Error(`${wanted} was never run`)
      if (![...orders].some(losesUpdate)) throw new Error('no run has lost the update')
    },
  },
  {
    title: 'finds a planted bug of depth 2 often enough',
    applies: ({ inOrder }) => inOrder !== true, // it runs each schedule once
    check(make) {
      const strategy = make()
      let found = 0
      for (let seed = 1; seed <= RUNS; seed++)
        if (losesUpdate(run(strategy, LOST_UPDATE, seed).order.join(''))) found++
      if (found < RUNS / 16) throw new Error(`${found} of ${RUNS} runs have lost the update`)
    },
  },
]

/** Both tasks have read before either has written. */
function losesUpdate(order: string): boolean {
  return order.startsWith('01') || order.startsWith('10')
}

/** Runs a program once under a strategy. `firstSeq` is the number of its first event. */
function run(strategy: ExploreStrategy, program: Program, seed: number, firstSeq = 1): Run {
  const actor = new Actor(1, 'contract')
  let seq = firstSeq
  const eventOf = (task: number, access: Access): KernelEvent => {
    const event = new KernelEvent(`${access.write ? 'write' : 'read'} ${access.resource}`, actor, () => {})
    return Object.assign(event, { seq: seq++, task: task + 1, access })
  }
  const { tasks, poll } = program
  const left = tasks.map((accesses) => [...accesses])
  const next = (task: number): KernelEvent | null => {
    const access = left[task].shift()
    if (access !== undefined) return eventOf(task, access)
    return poll?.task === task && pending[poll.until] !== null ? eventOf(task, read('done')) : null
  }
  const pending: (KernelEvent | null)[] = tasks.map(() => null)
  for (let task = tasks.length - 1; task >= 0; task--) pending[task] = next(task)
  const picks: number[] = []
  const order: number[] = []
  let lastTask = 0
  strategy.begin(seed, { seed, taskKey: String, stallUs: 0 })
  for (let step = 1; step <= MOST_STEPS; step++) {
    const ready = readyOf(pending, lastTask)
    if (ready.length === 0) break
    const pick = ready.length === 1 ? 0 : pickOf(strategy, ready, step)
    if (pick < 0) {
      strategy.end?.({ contested: picks.length, failed: false })
      return { picks, order, abandoned: true }
    }
    if (ready.length > 1) picks.push(pick)
    const event = ready[pick]
    lastTask = event.task
    const task = event.task - 1
    order.push(task)
    pending[task] = next(task)
    strategy.ran?.(event, step)
  }
  strategy.end?.({ contested: picks.length, failed: false })
  return { picks, order, abandoned: false }
}

/** As the kernel offers them: first those of the task that ran last, then the others, each by number. */
function readyOf(pending: readonly (KernelEvent | null)[], lastTask: number): KernelEvent[] {
  const ready = pending.filter((event) => event !== null)
  return ready.sort((a, b) => Number(b.task === lastTask) - Number(a.task === lastTask) || a.seq - b.seq)
}

function pickOf(strategy: ExploreStrategy, ready: readonly KernelEvent[], step: number): number {
  const offered = [...ready]
  const pick = strategy.pick(ready, step)
  if (ready.length !== offered.length || ready.some((event, i) => event !== offered[i]))
    throw new Error(`step ${step}: it changed the list of ready events`)
  const lowest = strategy.inOrder === true ? -1 : 0 // only a strategy that remembers its runs may abandon one
  if (!Number.isInteger(pick) || pick < lowest || pick >= ready.length)
    throw new Error(`step ${step}: it picked ${pick} of ${ready.length} events`)
  return pick
}

function sameRun(one: Run, another: Run, which: string): void {
  const [a, b] = [one.picks.join(), another.picks.join()]
  if (a !== b) throw new Error(`${which}: it picked ${a}, and then ${b}`)
}
