/** Every model with functions, inputs and answers for small random histories: values that repeat, nulls, refusals. */
import * as checkers from './index.ts'
import type { Subject } from './random-histories.test-support.ts'

const small = [1, 2, 3]
const pairs = small.flatMap((from) => small.map((to) => [from, to]))
const ids = Array.from({ length: 24 }, (_, i) => i + 1)
const none = [null]

export const SUBJECTS: readonly Subject[] = [
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
    name: 'counter that only grows',
    model: checkers.counter({ initial: 1 }),
    calls: [
      { f: 'add', inputs: [1, 2, 0, 3], outputs: none },
      { f: 'increment', inputs: none, outputs: none },
      { f: 'read', inputs: none, outputs: [1, 2, 3, 4, 5, 6, 7, 8] },
      { f: 'read', inputs: none, outputs: [1, 2, 3, 4, 5, 6, 7, 8] },
    ],
  },
  {
    name: 'counter that only shrinks',
    model: checkers.counter(),
    calls: [
      { f: 'decrement', inputs: [1, 2, 3], outputs: none },
      { f: 'read', inputs: none, outputs: [0, -1, -2, -3, -4, -5, -6] },
    ],
  },
  {
    name: 'map with appends of its own, written anew',
    model: checkers.map(),
    calls: [
      { f: 'append', inputs: 'unique', outputs: none },
      { f: 'get', inputs: none, outputs: [null, [], [1], [2], [1, 2], [2, 1], [3], [1, 3], [1, 2, 3]] },
      { f: 'get', inputs: none, outputs: [null, [], [1], [2], [1, 2], [2, 1], [3], [1, 3], [1, 2, 3]] },
      { f: 'put', inputs: [[], [7]], outputs: none },
      { f: 'delete', inputs: none, outputs: [null, true, false] },
    ],
  },
  {
    name: 'map of mixed values',
    model: checkers.map(),
    calls: [
      { f: 'append', inputs: ['a', 1, null], outputs: none },
      { f: 'put', inputs: ['a', null, [1]], outputs: none },
      { f: 'get', inputs: none, outputs: [null, 'a', 'aa', [1], [1, 'a'], [1, 1], [null]] },
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
