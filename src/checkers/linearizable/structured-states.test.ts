/**
 * Models of users whose states are maps, sets, dates or nested data, without `equal` and `hash`, against brute force and
 * against the same model with a plain state; and values of mixed types in the models of the project.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History, OK } from '../../history/history.ts'
import type { HistoryEvent, Operation } from '../../history/operation.ts'
import { sameValue } from '../../history/value.ts'
import { FULL } from '../histories.test-support.ts'
import { sequential } from '../consistency/sequential.ts'
import { bruteForce } from './brute-force.test-support.ts'
import { ILLEGAL, linearizable, map, multiRegister, register, type Model } from './index.ts'

const RUNS = FULL ? 20_000 : 400

interface Draft {
  readonly f: string
  readonly key: string
  readonly value: unknown
  readonly outcome: 'ok' | 'info' | 'fail'
  readonly overlaps: boolean
}

const MIXED = fc.constantFrom<unknown[]>(
  null,
  0,
  1,
  '1',
  '',
  true,
  [1],
  { a: 1 },
  'ab',
  12345678901234567890n,
)

const drafts = (functions: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Draft[]> =>
  fc.array(
    fc.record({
      f: fc.constantFrom(...functions),
      key: fc.constantFrom('a', 'b'),
      value,
      outcome: fc.constantFrom<Draft['outcome'][]>('ok', 'ok', 'ok', 'info', 'fail'),
      overlaps: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )

function build(all: readonly Draft[], reads: readonly string[]): History {
  const events: HistoryEvent[] = []
  let late: HistoryEvent[] = []
  all.forEach(({ f, key, value, outcome, overlaps }, process) => {
    const read = reads.includes(f)
    events.push({ type: 'invoke', process, f, key, value: read ? null : value })
    events.push(...late)
    late = []
    const done: HistoryEvent = {
      type: outcome,
      process,
      f,
      key,
      value: read && outcome === 'ok' ? value : null,
    }
    if (overlaps) late.push(done)
    else events.push(done)
  })
  return History.from([...events, ...late])
}

function agreesWithBruteForce(
  histories: fc.Arbitrary<History>,
  model: Model<any>,
): { valid: number; invalid: number } {
  const tally = { valid: 0, invalid: 0 }
  fc.assert(
    fc.property(histories, (history) => {
      fc.pre(history.type.includes(OK))
      const truth = bruteForce(history, model) ? 'valid' : 'invalid'
      tally[truth]++
      expect(linearizable(history, model).verdict).toBe(truth)
      expect(linearizable(history, model, { monitors: false, partition: 'none' }).verdict).toBe(truth)
    }),
    { numRuns: RUNS, seed: 1 },
  )
  return tally
}

const sees = (state: unknown, { type, output }: Operation): boolean =>
  type === 'info' || sameValue(state ?? null, output ?? null)

const MODELS: Readonly<Record<string, Model<any>>> = {
  'a map': {
    name: 'map state',
    init: () => new Map<unknown, unknown>(),
    step: (state: ReadonlyMap<unknown, unknown>, operation) => {
      if (operation.f === 'write') return new Map(state).set(operation.key, operation.input)
      return sees(state.get(operation.key), operation) ? state : ILLEGAL
    },
  },
  'a set of entries': {
    name: 'set state',
    init: () => new Set<readonly unknown[]>(),
    step: (state: ReadonlySet<readonly unknown[]>, operation) => {
      const entries = [...state]
      if (operation.f === 'write')
        return new Set([
          ...entries.filter(([key]) => key !== operation.key),
          [operation.key, operation.input],
        ])
      return sees(entries.find(([key]) => key === operation.key)?.[1], operation) ? state : ILLEGAL
    },
  },
  'nested maps and dates': {
    name: 'nested state',
    init: () => ({ keys: new Map<unknown, unknown>(), writes: new Date(0) }),
    step: (state: { keys: ReadonlyMap<unknown, { value: unknown }>; writes: Date }, operation) => {
      if (operation.f === 'write') {
        const keys = new Map(state.keys).set(operation.key, { value: operation.input })
        return { keys, writes: new Date(state.writes.getTime() + 1) }
      }
      return sees(state.keys.get(operation.key)?.value, operation) ? state : ILLEGAL
    },
  },
}

describe('states that are', () => {
  it.each(Object.entries(MODELS))('%s are compared by what is in them', (_, model) => {
    const histories = drafts(['read', 'write'], fc.constantFrom<unknown[]>(null, 1, 2)).map((all) =>
      build(all, ['read']),
    )
    const tally = agreesWithBruteForce(histories, model)
    expect(Math.min(tally.valid, tally.invalid)).toBeGreaterThan(RUNS / 20)
  })
})

describe('values of mixed types', () => {
  it('in a register, with nulls written', () => {
    const oneKey = (all: readonly Draft[]) => all.map((draft) => ({ ...draft, key: 'a' }))
    const histories = drafts(['read', 'write'], MIXED).map((all) => build(oneKey(all), ['read']))
    expect(agreesWithBruteForce(histories, register()).valid).toBeGreaterThan(RUNS / 20)
  })

  it('in a map with appends', () => {
    const histories = drafts(['get', 'put', 'append', 'delete'], MIXED).map((all) => build(all, ['get']))
    expect(agreesWithBruteForce(histories, map()).valid).toBeGreaterThan(RUNS / 20)
  })

  it('in several registers', () => {
    const histories = drafts(['read', 'write'], MIXED).map((all) => build(all, ['read']))
    expect(agreesWithBruteForce(histories, multiRegister()).valid).toBeGreaterThan(RUNS / 20)
  })
})

it('a step that forgets to return is a mistake of the model, not a legal answer', () => {
  const forgetful = { name: 'forgetful', init: () => 0, step: () => undefined } as unknown as Model<number>
  const history = build([{ f: 'read', key: 'a', value: 1, outcome: 'ok', overlaps: false }], ['read'])
  expect(() => linearizable(history, forgetful)).toThrow(
    'the model forgetful: step(state, operation 0, read, ok) returned undefined',
  )
})

describe('a step that changes the state that it was given is a mistake of the model:', () => {
  const wrote = ['a', 'b'].map((key, i): Draft => {
    return { f: 'write', key, value: i + 1, outcome: 'ok', overlaps: false }
  })
  const history = build(wrote, [])
  const models: Readonly<Record<string, Model<any>>> = {
    'it returns the same map': {
      name: 'changing',
      init: () => new Map(),
      step: (state: Map<unknown, unknown>, { key, input }) => state.set(key, input),
    },
    'it returns a copy of what it changed': {
      name: 'changing',
      init: () => [],
      step: (state: unknown[], { input }) => (state.push(input), [...state]),
    },
    'it has an equality and a hash': {
      name: 'changing',
      init: () => ({ value: null as unknown }),
      step: (state: { value: unknown }, { input }) => Object.assign(state, { value: input }),
      equal: (a, b) => a.value === b.value,
      hash: ({ value }) => String(value),
    },
    'it is of one key of several': {
      name: 'changing',
      partition: 'key',
      init: () => ({ value: null as unknown }),
      step: (state: { value: unknown }, { input }) => Object.assign(state, { value: input }),
    },
  }
  const message = /^the model changing: step\(state, operation \d, write, ok\) changed the state/

  it.each(Object.entries(models))('%s', (_, model) => {
    expect(() => linearizable(history, model)).toThrow(message)
    expect(() => sequential(history, model)).toThrow(message)
  })

  it('however late it does so', () => {
    const model: Model<Set<unknown>> = {
      name: 'changing',
      init: () => new Set(),
      step: (state, { input }) => (Number(input) < 1000 ? new Set([...state, input]) : state.add(input)),
    }
    const many = Array.from({ length: 1001 }, (__, i): Draft => ({ ...wrote[0], value: i }))
    expect(() => linearizable(build(many, []), model)).toThrow(
      /operation 1000, write, ok\) changed the state/,
    )
  })
})
