/** Ready invariants: functions that make one from the event to read. Each is violated by facts alone, never by what is missing, but for {@link progressWithin}. */
import { aFunction, check, number, text } from '../../kernel/expectation.ts'
import type { FaultEvent } from '../authoring/event-log.ts'
import type { Invariant } from '../authoring/invariants.ts'
import type { OperationEvent } from '../authoring/operations.ts'
import { refused, watching, type Reading } from './watching.ts'

/** A lease taken or given back. `untilMs` is in virtual milliseconds since the world began; absent: until release. */
export interface LeaseFact {
  readonly resource: string
  readonly holder: string
  readonly change: 'acquired' | 'released'
  readonly untilMs?: number
}

/** Two holders never have a lease on one resource at the same time. */
export function exclusiveLeases(reading: Reading<LeaseFact>): Invariant {
  return watching(
    reading,
    () => new Map<string, LeaseFact>(),
    (held, fact, { timeUs }) => {
      const { resource, holder, change } = fact
      const other = held.get(resource)
      if (change === 'released') {
        if (other?.holder === holder) held.delete(resource)
        return null
      }
      const over = other === undefined || (other.untilMs !== undefined && other.untilMs <= timeUs / 1000)
      held.set(resource, fact)
      return over || other.holder === holder
        ? null
        : `${holder} acquired '${resource}' while ${other.holder} held it`
    },
  )
}

/** A resource accepts no fencing token that is smaller than one it has accepted. */
export function growingFences(reading: Reading<{ resource: string; fence: number }>): Invariant {
  return growing(reading, ({ resource, fence }) => [`fence of '${resource}'`, fence])
}

/** A cursor, offset or commit index never goes back. */
export function growingCursors(reading: Reading<{ cursor: string; at: number }>): Invariant {
  return growing(reading, ({ cursor, at }) => [`cursor '${cursor}'`, at])
}

function growing<Fact>(reading: Reading<Fact>, place: (fact: Fact) => [string, number]): Invariant {
  return watching(
    reading,
    () => new Map<string, number>(),
    (seen, fact) => {
      const [name, value] = place(fact)
      const before = seen.get(name)
      seen.set(name, value)
      return before !== undefined && value < before ? `${name} went back from ${before} to ${value}` : null
    },
  )
}

/** What has reached a terminal state stays in it. */
export function terminalStates(
  reading: Reading<{ id: string; state: string }> & { readonly terminal: readonly string[] },
): Invariant {
  return same(reading, ({ state }) => (reading.terminal.includes(state) ? 'set' : 'test'), {
    key: ({ id }) => id,
    value: ({ state }) => state,
    wrong: (id, before, now) => `'${id}' was ${before}, which is terminal, and became ${now}`,
  })
}

/** The same operation id always gets the same answer. Answers are compared as JSON. */
export function idempotent(reading: Reading<{ id: string; answer: unknown }>): Invariant {
  return same(reading, () => 'set', {
    key: ({ id }) => id,
    value: ({ answer }) => JSON.stringify(answer) ?? 'undefined',
    wrong: (id, before, now) => `operation ${id} was answered ${before}, and then ${now}`,
  })
}

/** A term has one leader at most. */
export function oneLeaderPerTerm(reading: Reading<{ term: number; leader: string }>): Invariant {
  return same(reading, () => 'set', {
    key: ({ term }) => String(term),
    value: ({ leader }) => leader,
    wrong: (term, before, now) => `term ${term} has two leaders, ${before} and ${now}`,
  })
}

/** Replicas that have applied the same position are in the same state. */
export function convergedReplicas(reading: Reading<{ position: number; digest: string }>): Invariant {
  return same(reading, () => 'set', {
    key: ({ position }) => String(position),
    value: ({ digest }) => digest,
    wrong: (position, before, now) => `replicas differ at position ${position}: ${before} and ${now}`,
  })
}

/** A total, such as money or tokens, never changes. */
export function conserved(reading: Reading<{ total: number }>): Invariant {
  return same(reading, () => 'set', {
    key: () => '',
    value: ({ total }) => String(total),
    wrong: (_, before, now) => `the total was ${before} and is ${now}`,
  })
}

interface Sameness<Fact> {
  readonly key: (fact: Fact) => string
  readonly value: (fact: Fact) => string
  readonly wrong: (key: string, before: string, now: string) => string
}

/** The value of a key that was set once is the value of all later facts. `test` compares and sets nothing. */
function same<Fact>(
  reading: Reading<Fact>,
  mode: (fact: Fact) => 'set' | 'test',
  { key: keyOf, value: valueOf, wrong }: Sameness<Fact>,
): Invariant {
  return watching(
    reading,
    () => new Map<string, string>(),
    (known, fact) => {
      const key = keyOf(fact)
      const value = valueOf(fact)
      const before = known.get(key)
      if (before === undefined && mode(fact) === 'set') known.set(key, value)
      return before === undefined || before === value ? null : wrong(key, before, value)
    },
  )
}

/** Every published assignment of ranges, `from` included and `to` not, covers the whole exactly once. */
export function exactCoverage(
  reading: Reading<readonly { readonly from: number; readonly to: number }[]> & {
    readonly whole: { readonly from: number; readonly to: number }
  },
): Invariant {
  const { whole } = reading
  return watching(
    reading,
    () => null,
    (_, ranges) => {
      let reached = whole.from
      for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
        if (from > reached) return `no range covers ${reached} to ${from}`
        if (from < reached) return `two ranges cover ${from}`
        reached = to
      }
      return reached === whole.to ? null : `ranges end at ${reached}, not at ${whole.to}`
    },
  )
}

/**
 * Something happens at least every `withinMs` virtual milliseconds while no fault is in force: the time begins anew when
 * a fault ends. It is judged when anything is published; a system that is silent forever is the tank's to find.
 */
export function progressWithin({ event, withinMs }: { event: string; withinMs: number }): Invariant {
  check(event, text, 'event', refused)
  check(withinMs, number(0), 'withinMs', refused)
  const states = new WeakMap<object, { sinceMs: number; faults: number }>()
  return ({ events, nowMs }) => {
    let state = states.get(events)
    if (state === undefined) states.set(events, (state = { sinceMs: nowMs, faults: 0 }))
    for (const { name, data, timeUs } of events) {
      const atMs = timeUs / 1000
      if (state.faults === 0 && atMs - state.sinceMs > withinMs)
        return `no '${event}' for ${atMs - state.sinceMs} ms, and no fault was in force`
      if (name === 'fault') state.faults += (data as FaultEvent).change === 'begin' ? 1 : -1
      if (name === 'fault' || name === event) state.sinceMs = atMs
    }
    return undefined
  }
}

/**
 * A client that reads a key sees its own acknowledged write or a later one. `version` orders values: larger is later.
 * Operations are called `write` and `read`; an unknown outcome promises nothing.
 */
export function readYourWrites(version: (value: never) => number | null): Invariant {
  check(version, aFunction, 'version', refused)
  interface State {
    readonly written: Map<number, unknown>
    readonly newest: Map<string, number>
  }
  return watching<OperationEvent, State>(
    {
      event: 'operation',
      read: (data: OperationEvent) => (data.f === 'write' || data.f === 'read' ? data : null),
    },
    () => ({ written: new Map(), newest: new Map() }),
    ({ written, newest }, { id, client, type, f, key, value }) => {
      if (f === 'write' && type === 'invoke') written.set(id, value)
      if (type !== 'ok') return null
      const place = `client ${client} key ${JSON.stringify(key)}`
      const before = newest.get(place)
      const at = version((f === 'write' ? written.get(id) : value) as never)
      if (f === 'write' && at !== null && (before === undefined || at > before)) newest.set(place, at)
      return f === 'read' && before !== undefined && (at === null || at < before)
        ? `${place}: read ${at === null ? 'nothing' : `version ${at}`} after its write of version ${before} was acknowledged`
        : null
    },
  )
}
