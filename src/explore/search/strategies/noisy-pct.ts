/**
 * PCT with noise, as Lockstep's "pos" does it: the ready task of highest priority runs, and at every step, with
 * probability ½, all ready tasks draw new priorities. Between a random walk and PCT: good at tight read-modify-writes.
 */
import { Entropy } from '../../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'

const RESAMPLE_PROBABILITY = 0.5

export function noisyPct(): ExploreStrategy {
  let entropy = new Entropy(0, 'noisyPct')
  let priorities = new Map<number, number>()
  return {
    name: 'noisyPct',
    begin(seed) {
      entropy = new Entropy(seed, 'noisyPct')
      priorities = new Map()
    },
    pick(ready) {
      const resample = entropy.float() < RESAMPLE_PROBABILITY
      let best = 0
      let bestPriority = -1
      for (let i = 0; i < ready.length; i++) {
        const { task } = ready[i]
        let priority = priorities.get(task)
        if (priority === undefined || resample) priorities.set(task, (priority = entropy.float()))
        if (priority > bestPriority) {
          best = i
          bestPriority = priority
        }
      }
      return best
    },
  }
}
