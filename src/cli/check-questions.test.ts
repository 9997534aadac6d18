import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History } from '../history/history.ts'
import type { HistoryEvent } from '../history/operation.ts'
import { MODELS, OBJECT_MODELS, objectQuestion, WORKLOADS, type CheckSettings } from './check-questions.ts'

const RUNS = process.env.WAVETANK_FULL === '1' ? 5000 : 150

const SETTINGS: CheckSettings = {
  consistencyModels: undefined,
  timeoutMs: 1000,
  memoryMb: 64,
  partition: undefined,
  initial: undefined,
  nullReadMatchesAll: false,
  options: { permits: 1, initial: { a: 1 } },
}

const FUNCTIONS = (
  'read write cas add append txn enqueue dequeue drain acquire release renew send poll assign subscribe broadcast ' +
  'generate transfer insert delete-min push pop get put delete submit effect increment remove contains __proto__'
).split(' ')

/** Anything, and what nearly is what some checker expects. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    0,
    1,
    -1,
    1.5,
    Number.NaN,
    '',
    'final',
    { toString: 1 },
    { valueOf: 1, toString: null },
    true,
    12345678901234567890n,
    [],
    {},
    [1, 2],
    { fence: 1 },
  ),
  fc.array(
    fc.tuple(
      fc.constantFrom('r', 'w', 'append', 'send', 'poll', 'x'),
      fc.nat(2),
      fc.oneof(fc.nat(3), fc.constant(null), fc.array(fc.nat(3))),
    ),
    { maxLength: 3 },
  ),
  fc.dictionary(
    fc.constantFrom('a', 'b', 'from', 'to', 'amount', '__proto__'),
    fc.oneof(fc.nat(3), fc.array(fc.tuple(fc.nat(3), fc.nat(3)))),
  ),
)

const event: fc.Arbitrary<HistoryEvent> = fc.record({
  type: fc.constantFrom<HistoryEvent['type'][]>('invoke', 'invoke', 'ok', 'ok', 'fail', 'info'),
  process: fc.oneof(fc.nat(3), fc.constantFrom(null, 'p')),
  f: fc.constantFrom(...FUNCTIONS),
  key: fc.oneof(fc.constant(null), value),
  value,
  time: fc.option(fc.integer({ min: -5, max: 100 })),
  timedOut: fc.option(fc.boolean()),
  node: fc.option(fc.constantFrom('n1', 'n2')),
})

/** Few functions at a time, so that the operations have something to do with each other. */
const history = fc
  .tuple(
    fc.array(event, { maxLength: 24, size: 'max' }),
    fc.subarray(FUNCTIONS, { minLength: 1, maxLength: 3 }),
  )
  .map(([events, functions]) =>
    History.from(
      events.map((one, i) => ({
        ...one,
        f: functions[(FUNCTIONS.indexOf(one.f ?? '') + i) % functions.length],
      })),
    ),
  )

describe('every question', () => {
  it.each(Object.keys(WORKLOADS))('--workload %s answers to any history and never throws', async (name) => {
    const ask = await WORKLOADS[name].load()
    fc.assert(
      fc.property(history, (one) => {
        expect(ask(one, SETTINGS).verdict).toMatch(/^(valid|invalid|unknown)$/)
      }),
      { numRuns: RUNS },
    )
  })

  it.each(Object.keys(MODELS))('--model %s answers to any history and never throws', async (name) => {
    const ask = await objectQuestion(name, ['linearizable'])
    fc.assert(
      fc.property(history, (one) => {
        expect(ask(one, SETTINGS).verdict).toMatch(/^(valid|invalid|unknown)$/)
      }),
      { numRuns: RUNS },
    )
  })

  it.each(OBJECT_MODELS)('--consistency-model %s answers to any history and never throws', async (name) => {
    const ask = await objectQuestion('register', [name])
    fc.assert(
      fc.property(history, (one) => {
        expect(ask(one, SETTINGS).verdict).toMatch(/^(valid|invalid|unknown)$/)
      }),
      { numRuns: RUNS },
    )
  })
})
