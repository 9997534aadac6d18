/**
 * Uniform random walk: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025. It weighs
 * each task by how many events it still has to run, as counted in earlier runs, so that every interleaving is about equally
 * likely; a plain random walk favours interleavings that finish short tasks early.
 */
import { Entropy } from '../../../kernel/prng.ts'
import type { ExploreStrategy, RunInfo } from '../strategy.ts'
import { below } from './random.ts'
import { EventCounts, weighted } from './remaining-events.ts'

/** Runs that only count: the first 3 and every 20th, since a task that ended early was counted too short. */
const PROFILING_RUNS = 3
const PROFILE_EVERY = 20

export function urw(): ExploreStrategy {
  const counts = new EventCounts()
  let runs = 0
  let profiling = true
  let entropy = new Entropy(0, 'urw')
  let keyOf: RunInfo['taskKey'] = String
  return {
    name: 'urw',
    begin(seed, info) {
      entropy = new Entropy(seed, 'urw')
      keyOf = info?.taskKey ?? String
      counts.begin()
      profiling = runs < PROFILING_RUNS || runs % PROFILE_EVERY === 0
      runs++
    },
    pick(ready) {
      if (profiling) return below(entropy, ready.length)
      return weighted(entropy, ready, (event) => counts.remaining(keyOf(event.task)))
    },
    ran(event) {
      counts.count(keyOf(event.task))
    },
  }
}
