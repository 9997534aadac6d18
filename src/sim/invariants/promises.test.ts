/** Every ready invariant with events that it accepts and events that it must reject. */
import { describe, expect, it } from 'vitest'
import { EventLog } from '../authoring/event-log.ts'
import { InvariantWatch, type Invariant } from '../authoring/invariants.ts'
import { SiteFiles } from '../authoring/watched-files.ts'
import * as ready from './index.ts'

const NO_FILES = new SiteFiles(() => [])

/** What an invariant says about events, a millisecond apart unless they say otherwise; null if it holds. */
function verdict(
  invariant: Invariant,
  events: readonly { name?: string; atMs?: number; data: unknown }[],
): unknown {
  const log = new EventLog()
  const watch = new InvariantWatch(log, { promise: invariant }, NO_FILES)
  for (const [i, { name = 'fact', atMs = i, data }] of events.entries()) {
    log.publish({ step: i + 1, timeUs: atMs * 1000, source: 'p', name, data })
    const violation = watch.check(atMs)
    if (violation !== null) return violation.reason
  }
  return null
}

const facts = (...data: unknown[]): { data: unknown }[] => data.map((each) => ({ data: each }))
const reading = { event: 'fact', read: (data: never) => data }
const took = (holder: string, untilMs?: number) => ({ resource: 'r', holder, change: 'acquired', untilMs })
const gave = (holder: string) => ({ resource: 'r', holder, change: 'released' })
const done = (id: number, f: string, type: string, value: unknown) => ({
  name: 'operation',
  data: { id, client: 0, type, f, key: 1, value, error: null },
})
const fault = (change: string, atMs: number) => ({ name: 'fault', atMs, data: { change } })
const tick = (atMs: number) => ({ name: 'tick', atMs, data: null })
const other = (atMs: number) => ({ name: 'other', atMs, data: null })

interface Case {
  readonly name: string
  readonly invariant: Invariant
  readonly good: readonly { name?: string; atMs?: number; data: unknown }[]
  readonly bad: readonly { name?: string; atMs?: number; data: unknown }[]
  readonly says: string
}

const CASES: readonly Case[] = [
  {
    name: 'exclusiveLeases',
    invariant: ready.exclusiveLeases(reading),
    good: facts(took('a'), gave('a'), took('b', 3), took('a', 90)),
    bad: facts(took('a', 90), took('b')),
    says: "b acquired 'r' while a held it",
  },
  {
    name: 'growingFences',
    invariant: ready.growingFences(reading),
    good: facts({ resource: 'r', fence: 1 }, { resource: 'r', fence: 1 }, { resource: 's', fence: 0 }),
    bad: facts({ resource: 'r', fence: 2 }, { resource: 'r', fence: 1 }),
    says: 'went back from 2 to 1',
  },
  {
    name: 'growingCursors',
    invariant: ready.growingCursors(reading),
    good: facts({ cursor: 'c', at: 1 }, { cursor: 'c', at: 5 }),
    bad: facts({ cursor: 'c', at: 5 }, { cursor: 'c', at: 4 }),
    says: "cursor 'c' went back from 5 to 4",
  },
  {
    name: 'terminalStates',
    invariant: ready.terminalStates({ ...reading, terminal: ['done'] }),
    good: facts({ id: 'j', state: 'open' }, { id: 'j', state: 'busy' }, { id: 'j', state: 'done' }),
    bad: facts({ id: 'j', state: 'done' }, { id: 'j', state: 'open' }),
    says: "'j' was done, which is terminal, and became open",
  },
  {
    name: 'idempotent',
    invariant: ready.idempotent(reading),
    good: facts({ id: 'x', answer: { a: 1 } }, { id: 'x', answer: { a: 1 } }, { id: 'y', answer: 2 }),
    bad: facts({ id: 'x', answer: 1 }, { id: 'x', answer: 2 }),
    says: 'operation x was answered 1, and then 2',
  },
  {
    name: 'oneLeaderPerTerm',
    invariant: ready.oneLeaderPerTerm(reading),
    good: facts({ term: 1, leader: 'a' }, { term: 2, leader: 'b' }, { term: 1, leader: 'a' }),
    bad: facts({ term: 1, leader: 'a' }, { term: 1, leader: 'b' }),
    says: 'term 1 has two leaders, a and b',
  },
  {
    name: 'convergedReplicas',
    invariant: ready.convergedReplicas(reading),
    good: facts({ position: 1, digest: 'p' }, { position: 2, digest: 'q' }, { position: 1, digest: 'p' }),
    bad: facts({ position: 1, digest: 'p' }, { position: 1, digest: 'q' }),
    says: 'replicas differ at position 1: p and q',
  },
  {
    name: 'conserved',
    invariant: ready.conserved(reading),
    good: facts({ total: 30 }, { total: 30 }),
    bad: facts({ total: 30 }, { total: 29 }),
    says: 'the total was 30 and is 29',
  },
  {
    name: 'exactCoverage',
    invariant: ready.exactCoverage({ ...reading, whole: { from: 0, to: 9 } }),
    good: facts([
      { from: 4, to: 9 },
      { from: 0, to: 4 },
    ]),
    bad: facts([
      { from: 0, to: 4 },
      { from: 5, to: 9 },
    ]),
    says: 'no range covers 4 to 5',
  },
  {
    name: 'progressWithin',
    invariant: ready.progressWithin({ event: 'tick', withinMs: 100 }),
    good: [tick(0), fault('begin', 50), other(900), fault('end', 950), tick(1040), other(1100)],
    bad: [tick(0), other(101)],
    says: "no 'tick' for 101 ms",
  },
  {
    name: 'readYourWrites',
    invariant: ready.readYourWrites((value: number | null) => value),
    good: [done(1, 'write', 'invoke', 3), done(1, 'write', 'info', null), done(2, 'read', 'ok', null)],
    bad: [done(1, 'write', 'invoke', 3), done(1, 'write', 'ok', null), done(2, 'read', 'ok', 2)],
    says: 'read version 2 after its write of version 3 was acknowledged',
  },
]

describe.each(CASES)('$name', ({ invariant, good, bad, says }) => {
  it('accepts what keeps the promise', () => {
    expect(verdict(invariant, good)).toBeNull()
  })

  it('rejects what breaks it, and remembers nothing of it in the next run', () => {
    expect(verdict(invariant, bad)).toContain(says)
    expect(verdict(invariant, good)).toBeNull()
  })
})

it('has a case for every ready invariant', () => {
  expect(CASES.map(({ name }) => name).sort()).toEqual(Object.keys(ready).sort())
})

it('counts the facts that it saw: none where its event never came, or read gave null', () => {
  const counted = (read: (data: never) => { total: number } | null): unknown => {
    const log = new EventLog()
    const watch = new InvariantWatch(log, { promise: ready.conserved({ event: 'fact', read }) }, NO_FILES)
    for (const name of ['other', 'fact', 'fact'])
      log.publish({ step: 1, timeUs: 0, source: 'p', name, data: { total: 3 } })
    expect(watch.check(0)).toBeNull()
    return watch.counts()
  }
  expect(counted((data) => data)).toEqual([{ name: 'promise', checks: 1, facts: 2 }])
  expect(counted(() => null)).toEqual([{ name: 'promise', checks: 1, facts: 0 }])
})

it('is refused without an event or a function that reads it', () => {
  const make = (options: object): unknown => ready.conserved(options as Parameters<typeof ready.conserved>[0])
  expect(() => make({ evnt: 'total', read: () => null })).toThrow(
    'an invariant of wavetank/invariants: event: expected a text that is not empty, and got undefined',
  )
  expect(() => make({ event: 'total' })).toThrow('read: expected a function, and got undefined')
  expect(() => ready.progressWithin({ event: 'x', withinMs: -1 })).toThrow(
    'withinMs: expected a number from 0',
  )
  expect(() => ready.readYourWrites(3 as never)).toThrow('version: expected a function')
})
