/**
 * Delay-bounded scheduling: Emmi, Qadeer, Rakamarić, "Delay-Bounded Scheduling", POPL 2011. The default schedule (the
 * first ready event) is followed but for at most d steps, chosen at random, at which the default event is delayed and
 * the next one runs instead.
 */
import { Entropy } from '../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { below } from './random.ts'
import { RunLength } from './run-length.ts'

export function delayBound({ delays = 2 }: { readonly delays?: number } = {}): ExploreStrategy {
  const length = new RunLength()
  let entropy = new Entropy(0, 'delayBound')
  let points = new Map<number, number>()
  let contested = 0
  return {
    name: 'delayBound',
    begin(seed) {
      entropy = new Entropy(seed, 'delayBound')
      contested = 0
      points = new Map()
      for (let i = 0; i < delays; i++) {
        const at = 1 + below(entropy, length.estimate)
        points.set(at, (points.get(at) ?? 0) + 1)
      }
    },
    pick(ready) {
      return (points.get(++contested) ?? 0) % ready.length
    },
    end(outcome) {
      length.learn(outcome.contested)
    },
  }
}
