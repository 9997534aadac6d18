/**
 * How the ready invariants watch: each reads one kind of published event, keeps what it needs for one run, and says in
 * a sentence what is wrong. What it remembers belongs to the run's event log, so that nothing survives from seed to
 * seed, even where a simulation is not evaluated anew.
 */
import type { Events, PublishedEvent } from '../authoring/event-log.ts'
import type { Invariant } from '../authoring/invariants.ts'

/** Which event an invariant reads, and what it takes from it; null: this event says nothing about it. */
export interface Reading<Fact> {
  readonly event: string
  readonly read: (data: never, event: PublishedEvent) => Fact | null
}

export function watching<Fact, State>(
  { event: name, read }: Reading<Fact>,
  begin: () => State,
  judge: (state: State, fact: Fact, event: PublishedEvent) => string | null,
): Invariant {
  const states = new WeakMap<Events, State>()
  return ({ events }) => {
    let state = states.get(events)
    if (state === undefined) states.set(events, (state = begin()))
    for (const event of events.fresh(name)) {
      const fact = read(event.data as never, event)
      const wrong = fact === null ? null : judge(state, fact, event)
      if (wrong !== null) return wrong
    }
    return undefined
  }
}
