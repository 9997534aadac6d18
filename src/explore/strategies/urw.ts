/**
 * Uniform random walks: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025.
 *
 * `urw` weighs each task by how many events it still has to run, as counted in earlier runs, so that every interleaving
 * is about equally likely; a plain random walk favours those that finish short tasks early.
 *
 * `surw` is uniform over the interleavings of a *selection* only: the accesses of one shared thing, another one each run.
 * The task of the next selected event is drawn in proportion to the selected events left; the others run freely, but a
 * selected event of any other task waits.
 *
 * Departure: where nothing shared is known, `surw` selects by the kind of event instead.
 */
import { max } from '../../kernel/arithmetic.ts'
import type { KernelEvent } from '../../kernel/event.ts'
import { Entropy } from '../../kernel/prng.ts'
import type { ExploreStrategy, RunInfo } from '../strategy.ts'
import { below } from './random.ts'

/** How many events a task has at most, learned from run to run: one that ends early in some runs is not short. */
class EventCounts {
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

/** Runs that only count, before the first weighted one and every so often: a task that ended early is counted too short. */
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

export function surw(): ExploreStrategy {
  const counts = new EventCounts()
  const seen: string[] = [] // what could be selected, in order of first appearance
  let entropy = new Entropy(0, 'surw')
  let keyOf: RunInfo['taskKey'] = String
  let selected = ''
  let intended: number | null = null

  function subject(event: KernelEvent): string {
    return event.access === null ? event.kind : event.access.resource
  }

  function selectedKey(event: KernelEvent): string {
    return `${keyOf(event.task)}\u0000${subject(event)}`
  }

  return {
    name: 'surw',
    begin(seed, info) {
      entropy = new Entropy(seed, 'surw')
      keyOf = info?.taskKey ?? String
      selected = seen.length === 0 ? '' : seen[below(entropy, seen.length)]
      intended = null
      counts.begin()
    },
    pick(ready) {
      const interesting = ready.filter((event) => subject(event) === selected)
      if (interesting.length > 0 && !interesting.some((event) => event.task === intended)) {
        const next = weighted(entropy, interesting, (event) => counts.remaining(selectedKey(event)))
        intended = interesting[next].task
      }
      const free: number[] = []
      for (let i = 0; i < ready.length; i++) {
        if (subject(ready[i]) !== selected || ready[i].task === intended) free.push(i)
      }
      return free[below(entropy, free.length)]
    },
    ran(event) {
      const what = subject(event)
      if (!seen.includes(what)) seen.push(what)
      counts.count(selectedKey(event))
      if (what === selected && event.task === intended) intended = null
    },
  }
}

const weights: number[] = []

function weighted(
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
