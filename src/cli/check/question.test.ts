import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import { CONSISTENCY, ISOLATION, MODELS, WORKLOADS } from '../../checkers/catalogue.ts'
import { questionOf, type CheckSettings } from './question.ts'

const RUNS = process.env.WAVETANK_FULL === '1' ? 5000 : 150

const LIMITS: CheckSettings = { timeout: 1000, memory: 64 }

/** Options without which a model cannot be made. */
const REQUIRED: Readonly<Record<string, Record<string, unknown>>> = {
  semaphore: { permits: 1 },
  bank: { initial: { a: 1 } },
}

const namesOf = (entries: readonly { readonly name: string }[]): string[] => entries.map(({ name }) => name)

/** Answers to many histories that are no verdict; a question that throws fails the test. */
async function strangeAnswers(settings: CheckSettings): Promise<string[]> {
  const ask = await questionOf({ ...LIMITS, ...settings })
  const strange: string[] = []
  fc.assert(
    fc.property(history, (one) => {
      const { verdict } = ask!(one)
      if (!/^(valid|invalid|unknown)$/.test(verdict)) strange.push(verdict)
    }),
    { numRuns: RUNS },
  )
  return strange
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
  it.each(namesOf(WORKLOADS).filter((name) => name !== 'final-state'))(
    '--workload %s answers to any history and never throws',
    async (name) => {
      expect(await strangeAnswers({ workload: [name] })).toEqual([])
    },
  )

  it.each(namesOf(ISOLATION))('--isolation %s answers to any history and never throws', async (name) => {
    expect(await strangeAnswers({ isolation: [name] })).toEqual([])
  })

  it.each(namesOf(MODELS))('--model %s answers to any history and never throws', async (name) => {
    expect(await strangeAnswers({ model: name, options: REQUIRED[name] })).toEqual([])
  })

  it.each(namesOf(CONSISTENCY))(
    '--consistency-model %s answers to any history and never throws',
    async (name) => {
      expect(await strangeAnswers({ model: 'register', consistencyModel: [name] })).toEqual([])
    },
  )
})

describe('a question without a meaning is refused', () => {
  it.each<readonly [string, CheckSettings]>([
    ['there is no workload "total-que"; did you mean "total-queue"?', { workload: ['total-que'] }],
    [
      'there is no isolation level "serialisable"; did you mean "serializable"?',
      { isolation: ['serialisable'] },
    ],
    ['there is no model "regster"; did you mean "register"?', { model: 'regster' }],
    ['did you mean "linearizable"?', { workload: ['set-full'], options: { lineariseable: true } }],
    ['linearizable: expected true or false', { workload: ['set-full'], options: { linearizable: 'yes' } }],
    ['did you mean "nullReadMatchesAll"?', { model: 'register', options: { nullReadMatchAll: true } }],
    ['permits is missing', { model: 'semaphore' }],
    ['set takes no consistency model', { workload: ['set'], consistencyModel: ['serializable'] }],
    ['the level is the question', { isolation: ['serializable'], consistencyModel: ['serializable'] }],
    ['causal is a condition on reads and writes', { model: 'queue', consistencyModel: ['causal'] }],
    ['the model queue takes no initial state', { model: 'queue', initial: 1 }],
    ['--null-reads is for --model', { model: 'queue', nullReads: 'any' }],
    ['--null-reads is for --model', { workload: ['set'], nullReads: 'any' }],
    ['--initial is for --model', { workload: ['set'], initial: 1 }],
    ['give one of', { workload: ['set'], model: 'register' }],
    [
      'there is no consistency model "serialisable"',
      { workload: ['list-append'], consistencyModel: ['serialisable'] },
    ],
  ])('%s', async (message, settings) => {
    const asked = async () => (await questionOf(settings))!(History.from([]))
    await expect(asked()).rejects.toThrow(message)
  })

  it('asks session guarantees together, since they may contradict each other only together', async () => {
    const ask = await questionOf({
      model: 'register',
      consistencyModel: ['monotonic-reads', 'read-your-writes'],
    })
    expect(ask!(History.from([])).checker).toBe('session-guarantees')
  })
})
