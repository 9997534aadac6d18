/**
 * Delay-bounded scheduling: Emmi, Qadeer, Rakamarić, "Delay-Bounded Scheduling", POPL 2011. A run follows a deterministic
 * schedule (the task that ran last goes on, else the earliest event is next) except at d steps, chosen at random: there the
 * next event goes to the end of the queue, and the one after it runs instead. A delayed event waits until nothing else can
 * run: one very late answer in an otherwise ordinary run.
 *
 * Departure: the paper enumerates the delays; here they are drawn, over as many steps as earlier runs had.
 */
import { max } from '../../../kernel/arithmetic.ts'
import type { KernelEvent } from '../../../kernel/event.ts'
import { Entropy } from '../../../kernel/prng.ts'
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

/**
 * One run with delays at given steps, counted from 1 over those at which there is anything to choose. A delayed event also
 * waits for events that are newer than its delay, unless `behindNewer` is false.
 */
export function delaysAt(points: readonly number[], { behindNewer = true } = {}): ExploreStrategy {
  /** The newest event at the time of the delay, by delayed event, in the order of the delays. */
  const delayed = new Map<number, number>()
  let contested = 0

  /** The first event that was not delayed, or else the one whose delay is oldest. */
  function first(ready: readonly KernelEvent[]): number {
    const on = ready.findIndex(({ seq }) => !delayed.has(seq))
    for (const [late, newest] of delayed) {
      const at = ready.findIndex(({ seq }) => seq === late)
      if (at < 0) continue
      const waits = ready.some(({ seq }) => !delayed.has(seq) && (behindNewer || seq <= newest))
      if (!waits) return at
    }
    return on
  }

  function delay(ready: readonly KernelEvent[]): void {
    const { seq } = ready[first(ready)]
    if (!delayed.has(seq)) delayed.set(seq, max(...ready.map((event) => event.seq)))
  }

  return {
    name: 'delays',
    begin() {},
    pick(ready) {
      contested++
      for (const point of points) if (point === contested) delay(ready)
      return first(ready)
    },
  }
}
