/**
 * PCT for the first part of a run, then a random walk, as in Coyote: pure PCT starves low priorities forever, so a program
 * that waits by polling would never end. The switch comes after the length of the longest run so far.
 */
import { min } from '../../../kernel/arithmetic.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { pct, type PctOptions } from './pct.ts'
import { random } from './random.ts'
import { RunLength } from './run-length.ts'

export function fairPct(options: PctOptions = {}): ExploreStrategy {
  const first = pct(options)
  const rest = random()
  const length = new RunLength()
  let contested = 0
  return {
    name: 'fairPct',
    begin(seed) {
      contested = 0
      first.begin(seed)
      rest.begin(seed)
    },
    pick(ready, step) {
      return (++contested <= length.estimate ? first : rest).pick(ready, step)
    },
    end(outcome) {
      first.end?.(outcome)
      // A run that spun because it was unfair must not move the switch out of reach of the next.
      length.learn(min(outcome.contested, 2 * length.estimate))
    },
  }
}
