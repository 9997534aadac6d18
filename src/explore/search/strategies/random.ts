/** The random walk: every ready event is equally likely. No guarantee, yet hard to beat on deadlocks. */
import { floor } from '../../../kernel/arithmetic.ts'
import { Entropy } from '../../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'

export function random(): ExploreStrategy {
  let entropy = new Entropy(0, 'random')
  return {
    name: 'random',
    begin(seed) {
      entropy = new Entropy(seed, 'random')
    },
    pick(ready) {
      return below(entropy, ready.length)
    },
  }
}

/** An unbiased-enough integer below n: n is the number of ready events, tiny against 2^32. */
export function below(entropy: Entropy, n: number): number {
  return floor((entropy.uint32() * n) / 0x1_0000_0000)
}
