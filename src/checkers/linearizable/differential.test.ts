/**
 * Every algorithm against trying all orders, on small random histories with unknown outcomes. What the checker calls
 * valid must come with an order that stands up; the search is also run without its monitors and without partition.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { History } from '../../history/history.ts'
import { sameValue } from '../../history/value.ts'
import type { CheckResult } from '../result.ts'
import { bruteForce, flawOf } from './brute-force.test-support.ts'
import * as checkers from './index.ts'
import { linearizable, type Model } from './index.ts'
import { build, draft, type Subject } from './random-histories.test-support.ts'

const RUNS = process.env.WAVETANK_FULL === '1' ? 20_000 : 300

const small = [1, 2, 3]
const pairs = small.flatMap((from) => small.map((to) => [from, to]))
const ids = Array.from({ length: 24 }, (_, i) => i + 1)
const none = [null]

const subjects: readonly Subject[] = [
  {
    name: 'register with unique values',
    model: checkers.register(),
    calls: [
      { f: 'write', inputs: 'unique', outputs: none },
      { f: 'read', inputs: none, outputs: [null, ...ids] },
    ],
  },
  {
    name: 'register with repeated values',
    model: checkers.register({ initial: 1 }),
    calls: [
      { f: 'write', inputs: small, outputs: none },
      { f: 'read', inputs: none, outputs: small },
    ],
  },
  {
    name: 'cas-register',
    model: checkers.casRegister(),
    calls: [
      { f: 'write', inputs: small, outputs: none },
      { f: 'read', inputs: none, outputs: [null, ...small] },
      { f: 'cas', inputs: pairs, outputs: [true, false] },
    ],
  },
  {
    name: 'cas-register without failed compare-and-sets',
    model: checkers.casRegister({ initial: 1 }),
    calls: [
      { f: 'write', inputs: small, outputs: none },
      { f: 'read', inputs: none, outputs: small },
      { f: 'cas', inputs: pairs, outputs: [null] },
    ],
  },
  {
    name: 'cas-register where null reads match all',
    model: checkers.casRegister({ initial: 1, nullReadMatchesAll: true }),
    calls: [
      { f: 'write', inputs: small, outputs: none },
      { f: 'read', inputs: none, outputs: [null, ...small] },
      { f: 'cas', inputs: pairs, outputs: [null] },
    ],
  },
  {
    name: 'map of strings',
    model: checkers.map({ absent: '' }),
    calls: [
      { f: 'append', inputs: ['a', 'b', 'c'], outputs: none },
      { f: 'put', inputs: ['', 'a', 'ab'], outputs: none },
      { f: 'get', inputs: none, outputs: ['', 'a', 'b', 'c', 'ab', 'ba', 'abc', 'acb', 'bac', 'abab'] },
      {
        f: 'cas',
        inputs: [
          ['a', 'b'],
          ['ab', 'a'],
        ],
        outputs: [true, false],
      },
      { f: 'delete', inputs: none, outputs: [null, true, false] },
    ],
  },
  {
    name: 'map with appends only',
    model: checkers.map(),
    calls: [
      { f: 'append', inputs: [1, 2], outputs: none },
      { f: 'get', inputs: none, outputs: [null, [1], [2], [1, 2], [2, 1], [1, 1], [1, 2, 1], [2, 1, 2]] },
    ],
  },
  {
    name: 'multi-register',
    model: checkers.multiRegister({ initial: { x: 1 } }),
    calls: [
      {
        f: 'txn',
        inputs: small.map((v) => [
          ['w', 'x', v],
          ['w', 'y', v],
        ]),
        outputs: none,
      },
      { f: 'read', inputs: none, outputs: [null, ...small] },
      {
        f: 'txn',
        inputs: [
          [
            ['r', 'x', null],
            ['r', 'y', null],
          ],
        ],
        outputs: [null, ...small].flatMap((x) => [
          [
            ['r', 'x', x],
            ['r', 'y', x],
          ],
        ]),
      },
    ],
  },
  {
    name: 'counter',
    model: checkers.counter(),
    calls: [
      { f: 'add', inputs: [1, 2, -1], outputs: none },
      { f: 'read', inputs: none, outputs: [-2, -1, 0, 1, 2, 3, 4, 5] },
    ],
  },
  {
    name: 'set with unique additions',
    model: checkers.set(),
    calls: [
      { f: 'add', inputs: 'unique', outputs: [null, true] },
      { f: 'remove', inputs: [1, 2, 3], outputs: [true, false] },
      { f: 'contains', inputs: [1, 2, 3], outputs: [true, false] },
    ],
  },
  {
    name: 'set with repeated additions',
    model: checkers.set(),
    calls: [
      { f: 'add', inputs: [1, 2], outputs: [null, true, false] },
      { f: 'remove', inputs: [1, 2], outputs: [null, true, false] },
      { f: 'contains', inputs: [1, 2], outputs: [true, false] },
      { f: 'read', inputs: none, outputs: [[], [1], [2], [1, 2], [2, 1]] },
    ],
  },
  {
    name: 'queue with unique values',
    model: checkers.queue(),
    calls: [
      { f: 'enqueue', inputs: 'unique', outputs: none },
      { f: 'dequeue', inputs: none, outputs: [...ids, null] },
    ],
  },
  {
    name: 'queue with repeated values',
    model: checkers.queue(),
    calls: [
      { f: 'enqueue', inputs: [1, 2], outputs: none },
      { f: 'dequeue', inputs: none, outputs: [1, 2, null] },
    ],
  },
  {
    name: 'stack with unique values',
    model: checkers.stack(),
    calls: [
      { f: 'push', inputs: 'unique', outputs: none },
      { f: 'pop', inputs: none, outputs: [...ids, null] },
    ],
  },
  {
    name: 'stack with repeated values',
    model: checkers.stack(),
    calls: [
      { f: 'push', inputs: [1, 2], outputs: none },
      { f: 'pop', inputs: none, outputs: [1, 2, null] },
    ],
  },
  {
    name: 'priority queue with unique values',
    model: checkers.priorityQueue(),
    calls: [
      { f: 'insert', inputs: 'unique', outputs: none },
      { f: 'delete-min', inputs: none, outputs: [...ids, null] },
    ],
  },
  {
    name: 'priority queue with repeated values',
    model: checkers.priorityQueue(),
    calls: [
      { f: 'insert', inputs: [3, 1, 2], outputs: none },
      { f: 'delete-min', inputs: none, outputs: [1, 2, 3, null] },
    ],
  },
  {
    name: 'log',
    model: checkers.log(),
    calls: [
      { f: 'append', inputs: ['a', 'b'], outputs: [null, 0, 1, 2, 3] },
      { f: 'read', inputs: [0, 1], outputs: ['a', 'b', null] },
      { f: 'read', inputs: none, outputs: [[], ['a'], ['b'], ['a', 'b'], ['b', 'a'], ['a', 'b', 'a']] },
    ],
  },
  {
    name: 'mutex',
    model: checkers.mutex(),
    calls: [
      { f: 'acquire', inputs: none, outputs: [null, false] },
      { f: 'release', inputs: none, outputs: none },
    ],
  },
  {
    name: 'reentrant lock',
    model: checkers.reentrantLock({ maxHolds: 2 }),
    calls: [
      { f: 'acquire', inputs: none, outputs: [null, false] },
      { f: 'release', inputs: none, outputs: none },
    ],
  },
  {
    name: 'semaphore',
    model: checkers.semaphore({ permits: 3 }),
    calls: [
      { f: 'acquire', inputs: [1, 2], outputs: [null, false] },
      { f: 'release', inputs: [1, 2], outputs: none },
    ],
  },
  {
    name: 'lease',
    model: checkers.lease(),
    calls: [
      { f: 'acquire', inputs: none, outputs: [1, 2, 3, 4, false] },
      { f: 'renew', inputs: [1, 2, 3], outputs: [null, false] },
      { f: 'release', inputs: [1, 2, 3], outputs: [null, false] },
      {
        f: 'write',
        inputs: [
          [1, 'a'],
          [2, 'b'],
          [3, 'c'],
        ],
        outputs: [null, false],
      },
      { f: 'read', inputs: none, outputs: [null, 'a', 'b', 'c'] },
    ],
  },
  {
    name: 'bank',
    model: checkers.bank({ initial: { a: 2, b: 1 } }),
    calls: [
      {
        f: 'transfer',
        inputs: [
          { from: 'a', to: 'b', amount: 1 },
          { from: 'b', to: 'a', amount: 2 },
        ],
        outputs: [null, false],
      },
      { f: 'read', inputs: none, outputs: [0, 1, 2, 3].map((a) => ({ a, b: 3 - a })) },
    ],
  },
]

/** What is wrong with the orders that come with a valid result: one of each object. */
function flawOfWitness(history: History, result: CheckResult, model: Model<any>): string | null {
  if (result.verdict !== 'valid') return null
  for (const part of result.parts) {
    // Only sets are split here, by key and element.
    const own = history.filter((i) =>
      sameValue([history.keys[history.key[i]], history.input[i]], part.details.key),
    )
    const flaw = flawOf(own, part.details.witness as ArrayLike<number>, model)
    if (flaw !== null) return flaw
  }
  return result.parts.length > 0 ? null : flawOf(history, result.details.witness as ArrayLike<number>, model)
}

const drafts = fc.array(draft, { minLength: 1, maxLength: 7 })

describe('against brute force', () => {
  for (const subject of subjects) {
    it(`decides a ${subject.name} as trying every order does`, () => {
      const truth = (history: History) => (bruteForce(history, subject.model) ? 'valid' : 'invalid')
      fc.assert(
        fc.property(drafts, (drafted) => {
          const history = build(subject, drafted)
          const expected = truth(history)
          const bySearch = linearizable(history, subject.model, { monitors: false, partition: 'none' })
          expect(bySearch.verdict).toBe(expected)
          expect(flawOfWitness(history, bySearch, subject.model)).toBe(null)
          const byDefault = linearizable(history, subject.model)
          expect(byDefault.verdict).toBe(expected)
          expect(flawOfWitness(history, byDefault, subject.model)).toBe(null)
        }),
        { numRuns: RUNS },
      )
      // A generator that makes only one kind of history would test nothing. One sample, the same in every run.
      const tally = { valid: 0, invalid: 0 }
      for (const drafted of fc.sample(drafts, { numRuns: 1_000, seed: 1 }))
        tally[truth(build(subject, drafted))]++
      expect(tally.valid).toBeGreaterThan(50)
      expect(tally.invalid).toBeGreaterThan(10)
    })
  }
})

describe('monitors on longer histories', () => {
  for (const subject of subjects.filter(({ name }) => name.includes('unique'))) {
    it(`decides a ${subject.name} as the search does`, () => {
      fc.assert(
        fc.property(fc.array(draft, { minLength: 8, maxLength: 11 }), (drafts) => {
          const history = build(subject, drafts)
          const byMonitor = linearizable(history, subject.model)
          const bySearch = linearizable(history, subject.model, { monitors: false })
          expect(byMonitor.verdict).toBe(bySearch.verdict)
          expect(flawOfWitness(history, byMonitor, subject.model)).toBe(null)
          expect(flawOfWitness(history, bySearch, subject.model)).toBe(null)
        }),
        { numRuns: RUNS },
      )
    })
  }
})
