/**
 * Partial order sampling: Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling", CAV 2018. Every pending *event* has
 * a random priority; the highest runs; the events that race with it draw new ones, so that each partial order gets
 * a fair chance however many ways there are to interleave it.
 */
import type { KernelEvent } from '../../../kernel/event.ts'
import { Entropy } from '../../../kernel/prng.ts'
import { races, type ExploreStrategy } from '../strategy.ts'

export function pos(): ExploreStrategy {
  let entropy = new Entropy(0, 'pos')
  let priorities = new Map<number, number>()
  return {
    name: 'pos',
    begin(seed) {
      entropy = new Entropy(seed, 'pos')
      priorities = new Map()
    },
    pick(ready) {
      let best = 0
      let bestPriority = -1
      for (let i = 0; i < ready.length; i++) {
        const priority = priorityOf(ready[i])
        if (priority > bestPriority) {
          best = i
          bestPriority = priority
        }
      }
      const chosen = ready[best]
      priorities.delete(chosen.seq)
      for (const event of ready) if (event !== chosen && races(event, chosen)) priorities.delete(event.seq)
      return best
    },
  }

  function priorityOf(event: KernelEvent): number {
    let priority = priorities.get(event.seq)
    if (priority === undefined) priorities.set(event.seq, (priority = entropy.float()))
    return priority
  }
}
