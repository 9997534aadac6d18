/**
 * Selectively uniform random walk: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS
 * 2025. It is uniform over the interleavings of a *selection* only: the accesses of one shared thing, another one each run.
 * The task of the next selected event is drawn in proportion to the selected events that its task has left; events outside
 * the selection run freely, but selected events of other tasks wait.
 *
 * Departure: where nothing shared is known, it selects by the kind of event instead.
 */
import type { KernelEvent } from '../../../kernel/event.ts'
import { Entropy } from '../../../kernel/prng.ts'
import type { ExploreStrategy, RunInfo } from '../strategy.ts'
import { below } from './random.ts'
import { EventCounts, weighted } from './remaining-events.ts'

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
