/**
 * Delay-bounded scheduling: Emmi, Qadeer, Rakamarić, "Delay-Bounded Scheduling", POPL 2011. A deterministic schedule is
 * followed (the task that ran last goes on, else the earliest event is next) but for at most d steps, chosen at random:
 * there the event whose turn it is goes to the end of the queue, and the next one runs instead. What was delayed stays
 * behind until nothing else can run: one answer that is very late in an otherwise ordinary run.
 *
 * Departure: the paper enumerates the delays; here they are drawn, over as many steps as earlier runs had.
 */
import type { KernelEvent } from '../../kernel/event.ts'
import { Entropy } from '../../kernel/prng.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { below } from './random.ts'
import { RunLength } from './run-length.ts'

export function delayBound({ delays = 2 }: { readonly delays?: number } = {}): ExploreStrategy {
  const length = new RunLength()
  let run = delaysAt([])
  return {
    name: 'delayBound',
    begin(seed) {
      const entropy = new Entropy(seed, 'delayBound')
      run = delaysAt(Array.from({ length: delays }, () => 1 + below(entropy, length.estimate)))
    },
    pick: (ready, step) => run.pick(ready, step),
    end(outcome) {
      length.learn(outcome.contested)
    },
  }
}

/** One run with delays at given steps, counted from 1 over those at which there is anything to choose. */
export function delaysAt(points: readonly number[]): ExploreStrategy {
  const delayed: number[] = [] // events, in the order in which they were delayed
  let contested = 0

  /** The first event that was not delayed, or else the one whose delay is oldest. */
  function first(ready: readonly KernelEvent[]): number {
    const on = ready.findIndex(({ seq }) => !delayed.includes(seq))
    if (on >= 0) return on
    const oldest = delayed.find((seq) => ready.some((event) => event.seq === seq))
    return ready.findIndex(({ seq }) => seq === oldest)
  }

  return {
    name: 'delays',
    begin() {},
    pick(ready) {
      contested++
      for (const point of points) if (point === contested) delayed.push(ready[first(ready)].seq)
      return first(ready)
    },
  }
}
