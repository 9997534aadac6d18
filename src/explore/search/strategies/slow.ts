/**
 * Runs on a slow machine. Elsewhere time passes only while everything waits; here it also passes before steps, as under a
 * garbage collection, a long computation or a busy neighbour (see kernel/stall.ts). So two timers of equal length that
 * were armed some I/O apart are due in different milliseconds, and timers that are due in different milliseconds run back
 * to back, before I/O, immediates and closing handles.
 *
 * A run draws how often it stalls (before every second to every eighth step), from which step on (in two of three runs from
 * the first) and its longest stall (2 ms to all that it may take), so short delays everywhere are as likely as one long
 * one. All stalls of a run together take at most `stallUs`.
 *
 * Most runs are ordinary otherwise: one event is late, or d events, each by as much as the events that were ready with it. That
 * is delay-bounded scheduling as in the paper (see delay-bound.ts), where newer events queue up behind a delayed one: an
 * answer comes after the first of two timers and before the second. Every sixth run is a random walk.
 */
import { clz32, floor, min } from '../../../kernel/arithmetic.ts'
import { Entropy } from '../../../kernel/prng.ts'
import { STALL_VALUES, stallUs } from '../../../kernel/stall.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { delaysAt } from './delay-bound.ts'
import { below, random } from './random.ts'
import { RunLength } from './run-length.ts'

/** The rates of stalls: 1/2, 1/4, … */
const RATES = 3
/** In one of this number of runs, several events are late. */
const SEVERAL_EVERY = 4
/** One of this number of runs is a random walk. */
const WALK_EVERY = 6

export function slow({ delays = 2 }: { readonly delays?: number } = {}): ExploreStrategy {
  const length = new RunLength()
  const steps = new RunLength()
  const walk = random()
  let run = walk
  let stalls = new Stalls(0, 0, 0)
  return {
    name: 'slow',
    begin(seed, info) {
      const entropy = new Entropy(seed, 'slow')
      stalls = new Stalls(seed, info?.stallUs ?? 0, steps.estimate)
      const count = below(entropy, SEVERAL_EVERY) === 0 ? delays : 1
      const points = Array.from({ length: count }, () => 1 + below(entropy, length.estimate))
      run = below(entropy, WALK_EVERY) === 0 ? walk : delaysAt(points, { behindNewer: false })
      run.begin(seed)
    },
    pick: (ready, step) => run.pick(ready, step),
    stall: () => stalls.next(),
    end(outcome) {
      length.learn(outcome.contested)
      steps.learn(stalls.asked)
    },
  }
}

/** The stalls of one run. */
class Stalls {
  private readonly entropy: Entropy
  /** A stall comes before one of this number of steps. */
  private readonly every: number
  private readonly longest: number
  /** The number of steps before the first that may stall. */
  private readonly punctual: number
  private leftUs: number
  asked = 0

  constructor(seed: number, mostUs: number, steps: number) {
    this.entropy = new Entropy(seed, 'stalls')
    this.every = 2 ** (1 + below(this.entropy, RATES))
    this.longest = 2 + below(this.entropy, longestWithin(mostUs) - 1)
    this.punctual = below(this.entropy, 3) > 0 ? 0 : below(this.entropy, steps)
    this.leftUs = mostUs
  }

  /** The value of the next choice. */
  next(): number {
    if (this.asked++ < this.punctual || below(this.entropy, this.every) > 0) return 0
    const value = min(1 + below(this.entropy, this.longest), longestWithin(this.leftUs))
    this.leftUs -= stallUs(value)
    return value
  }
}

/** The greatest value whose stall is no longer than that; 0 if there is none. */
function longestWithin(us: number): number {
  const shortest = floor(min(us / stallUs(1), 2 ** STALL_VALUES))
  return min(32 - clz32(shortest), STALL_VALUES - 1)
}
