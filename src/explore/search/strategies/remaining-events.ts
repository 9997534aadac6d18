/**
 * What `urw` and `surw` have in common: how many events each task still has to run, as counted in earlier runs, and a draw
 * among events in proportion to such counts.
 */
import { max } from '../../../kernel/arithmetic.ts'
import type { KernelEvent } from '../../../kernel/event.ts'
import type { Entropy } from '../../../kernel/prng.ts'

/** The most events that each task had in any run so far: a task that ends early in some runs is not short. */
export class EventCounts {
  private readonly most = new Map<string, number>()
  private current = new Map<string, number>()

  begin(): void {
    this.current = new Map()
  }

  count(key: string): void {
    const count = (this.current.get(key) ?? 0) + 1
    this.current.set(key, count)
    if (count > (this.most.get(key) ?? 0)) this.most.set(key, count)
  }

  /** Events of the task still to come in this run; at least one, since it has one ready. */
  remaining(key: string): number {
    return max(1, (this.most.get(key) ?? 0) - (this.current.get(key) ?? 0))
  }
}

const weights: number[] = []

/** The position of an event, drawn with a probability in proportion to its weight. */
export function weighted(
  entropy: Entropy,
  ready: readonly KernelEvent[],
  weightOf: (event: KernelEvent) => number,
): number {
  let total = 0
  for (let i = 0; i < ready.length; i++) total += weights[i] = weightOf(ready[i])
  let rest = entropy.float() * total
  for (let i = 0; i < ready.length - 1; i++) {
    rest -= weights[i]
    if (rest < 0) return i
  }
  return ready.length - 1
}
