/**
 * How the ready invariants watch: each reads one kind of published event, keeps what it needs for one run, and says in
 * a sentence what is wrong. What it remembers belongs to the run's event log, so that nothing survives from seed to
 * seed, even where a simulation is not evaluated anew.
 */
import { UsageError } from '../../kernel/errors.ts'
import { aFunction, check as expectThat, text } from '../../kernel/expectation.ts'
import type { Events, PublishedEvent } from '../authoring/event-log.ts'
import type { CountingInvariant, InvariantContext } from '../authoring/invariants.ts'

/** Which event an invariant reads, and what it takes from it; null: this event says nothing about it. */
export interface Reading<Fact> {
  readonly event: string
  readonly read: (data: never, event: PublishedEvent) => Fact | null
}

export function watching<Fact, State>(
  { event: name, read }: Reading<Fact>,
  begin: () => State,
  judge: (state: State, fact: Fact, event: PublishedEvent) => string | null,
): CountingInvariant {
  expectThat(name, text, 'event', refused)
  expectThat(read, aFunction, 'read', refused)
  const runs = new WeakMap<Events, { readonly state: State; facts: number }>()
  const check = ({ events }: InvariantContext): string | undefined => {
    let run = runs.get(events)
    if (run === undefined) runs.set(events, (run = { state: begin(), facts: 0 }))
    for (const event of events.fresh(name)) {
      const fact = read(event.data as never, event)
      if (fact === null) continue
      run.facts++
      const wrong = judge(run.state, fact, event)
      if (wrong !== null) return wrong
    }
    return undefined
  }
  return Object.assign(check, { factsIn: (events: Events) => runs.get(events)?.facts ?? 0 })
}

/** The error for options of a ready invariant that cannot be meant. */
export function refused(what: string): UsageError {
  return new UsageError('ERR_WAVETANK_OPTIONS', `an invariant of wavetank/invariants: ${what}`)
}
