/**
 * Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with
 * Probabilistic Guarantees of Finding Bugs", ASPLOS 2010. Every task gets a random priority; the ready task of highest
 * priority runs; at d − 1 steps chosen at random, the task that would run drops below all others. A bug of depth d is
 * found with probability at least 1/(n·k^(d−1)) per run.
 *
 * Departures: k is learned from earlier runs instead of being given, and only steps with more than one ready event
 * count; a task's events keep their order (the earliest is its next).
 */
import type { KernelEvent } from '../../../kernel/event.ts'
import { Entropy } from '../../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { below } from './random.ts'
import { RunLength } from './run-length.ts'

export interface PctOptions {
  /** The depth of the bugs looked for: how many orderings must hold for one to show. */
  readonly depth?: number
}

const DEFAULT_DEPTH = 3

export function pct(options: PctOptions = {}): ExploreStrategy {
  return prioritised(
    'pct',
    () => options.depth ?? DEFAULT_DEPTH,
    (event) => event.task,
  )
}

/** PCT over any notion of thread: a task, or a causal chain of events. */
export function prioritised(
  name: string,
  depthOf: () => number,
  threadOf: (event: KernelEvent) => number,
): ExploreStrategy {
  const length = new RunLength()
  let entropy = new Entropy(0, name)
  let priorities = new Map<number, number>()
  let changePoints: number[] = []
  let contested = 0
  let nextLow = 0

  function priority(event: KernelEvent): number {
    const thread = threadOf(event)
    let value = priorities.get(thread)
    if (value === undefined) priorities.set(thread, (value = 1 + entropy.float()))
    return value
  }

  function highest(ready: readonly KernelEvent[]): number {
    let best = 0
    for (let i = 1; i < ready.length; i++) if (priority(ready[i]) > priority(ready[best])) best = i
    return best
  }

  return {
    name,
    begin(seed) {
      entropy = new Entropy(seed, name)
      priorities = new Map()
      contested = 0
      nextLow = 0
      changePoints = Array.from({ length: depthOf() - 1 }, () => 1 + below(entropy, length.estimate))
    },
    pick(ready) {
      for (const event of ready) priority(event) // drawn in order of appearance, not of comparison
      contested++
      let best = highest(ready)
      for (const point of changePoints) {
        if (point !== contested) continue
        priorities.set(threadOf(ready[best]), --nextLow)
        best = highest(ready)
      }
      return best
    },
    end(outcome) {
      length.learn(outcome.contested)
    },
  }
}
