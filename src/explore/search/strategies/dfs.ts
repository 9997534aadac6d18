/**
 * Exhaustive search, depth first, with sleep sets (Godefroid, "Partial-Order Methods for the Verification of Concurrent
 * Systems", LNCS 1032, 1996) and a bound on preemptions (Musuvathi, Qadeer, "Iterative Context Bounding", PLDI 2007).
 *
 * A run replays the path to the deepest undecided point and goes on from there with the first candidate. An event sleeps
 * in a subtree while it commutes with everything chosen since its own subtree was explored: running it there leads to
 * states already seen.
 *
 * Bounding and sleeping do not mix freely: a schedule may be pruned as equivalent to one that the bound cut off. So an
 * event sleeps only if nothing was cut off below it; then nothing within the bound is ever lost.
 */
import type { KernelEvent } from '../../../kernel/event.ts'
import { InternalError } from '../../../kernel/errors.ts'
import { races, type ExploreStrategy } from '../strategy.ts'

export interface DfsOptions {
  /** How often a task that could go on may be interrupted; infinite by default. */
  readonly preemptionBound?: number
  /** For tests: plain enumeration. */
  readonly sleepSets?: boolean
}

/** A place where more than one event was ready. */
interface Fork {
  /** The candidates' seqs, in the order in which they are tried. */
  readonly candidates: readonly number[]
  /** Position of the candidate whose subtree is being explored. */
  at: number
  /** The bound left something out below the candidate at this position (or here, for position −1). */
  readonly cutBelow: Set<number>
}

export interface Dfs extends ExploreStrategy {
  readonly preemptionBound: number
  /** Schedules that ran to their end. */
  readonly schedules: number
  /** Whether the bound left anything out. */
  readonly bounded: boolean
}

export function dfs({ preemptionBound = Number.POSITIVE_INFINITY, sleepSets = true }: DfsOptions = {}): Dfs {
  const path: Fork[] = []
  let exhausted = false
  let schedules = 0
  let bounded = false
  // Of the current run:
  let depth = 0
  let preemptions = 0
  let lastTask = -1
  let pruned = false
  let asleep = new Map<number, KernelEvent>()

  /** The fork at the end of the path, or null when everything that could run here is asleep or beyond the bound. */
  function open(ready: readonly KernelEvent[]): Fork | null {
    const mayPreempt = preemptions < preemptionBound || !ready.some((event) => event.task === lastTask)
    const awake = ready.filter((event) => !asleep.has(event.seq))
    const candidates = awake
      .filter((event) => mayPreempt || event.task === lastTask)
      .map((event) => event.seq)
    const cut = candidates.length < awake.length
    if (cut) bounded = true
    if (candidates.length === 0) {
      const parent = path.at(-1)
      if (cut && parent !== undefined) parent.cutBelow.add(parent.at)
      return null
    }
    const fork = { candidates, at: 0, cutBelow: new Set(cut ? [-1] : []) }
    path.push(fork)
    return fork
  }

  return {
    name: 'dfs',
    inOrder: true,
    preemptionBound,
    get exhausted() {
      return exhausted
    },
    get schedules() {
      return schedules
    },
    get bounded() {
      return bounded
    },
    begin() {
      depth = 0
      preemptions = 0
      lastTask = -1
      pruned = false
      asleep = new Map()
    },
    pick(ready) {
      const fork = path[depth++] ?? open(ready)
      if (fork === null) {
        pruned = true
        return -1
      }
      const position = ready.findIndex((event) => event.seq === fork.candidates[fork.at])
      if (position < 0)
        throw new InternalError('dfs: a schedule could not be replayed: a pending event is gone')
      if (ready[position].task !== lastTask && ready.some((event) => event.task === lastTask)) preemptions++
      if (sleepSets) {
        for (const event of ready) {
          const tried = fork.candidates.indexOf(event.seq)
          if (tried >= 0 && tried < fork.at && !fork.cutBelow.has(tried)) asleep.set(event.seq, event)
        }
      }
      return position
    },
    ran(event) {
      lastTask = event.task
      asleep.delete(event.seq)
      for (const [seq, sleeper] of asleep) if (races(sleeper, event)) asleep.delete(seq)
    },
    end() {
      if (!pruned) schedules++
      for (let fork = path.at(-1); fork !== undefined; fork = path.at(-1)) {
        if (++fork.at < fork.candidates.length) return
        path.pop()
        const parent = path.at(-1)
        if (fork.cutBelow.size > 0) parent?.cutBelow.add(parent.at)
      }
      exhausted = true
    },
  }
}
