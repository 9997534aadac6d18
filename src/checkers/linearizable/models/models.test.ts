import { describe, expect, it } from 'vitest'
import type { History } from '../../../history/history.ts'
import { history, sequence } from '../histories.test-support.ts'
import * as checkers from '../index.ts'
import { linearizable, type AnyModel } from '../index.ts'

describe('models: a legal run is valid and a planted violation is not', () => {
  const from = (f: string, ...rest: unknown[]) => [f, ...rest] as [string, unknown, unknown]
  const cases: [string, AnyModel, [string, unknown?, unknown?][], [string, unknown?, unknown?][]][] = [
    [
      'register',
      checkers.register(),
      [from('write', 1), from('read', null, 1)],
      [from('write', 1), from('read', null, 2)],
    ],
    [
      'cas-register: mismatch taken',
      checkers.casRegister(),
      [from('write', 1), from('cas', [1, 2], true), from('read', null, 2)],
      [from('write', 1), from('cas', [3, 2], true)],
    ],
    [
      'cas-register: match refused',
      checkers.casRegister(),
      [from('write', 1), from('cas', [3, 2], false)],
      [from('write', 1), from('cas', [1, 2], false)],
    ],
    [
      'map: deleted, a key with the value that a missing one has',
      checkers.map(),
      [from('put', null), from('delete', null, true), from('put', null), from('delete', null, false)],
      [from('put', null), from('delete', null, false), from('delete', null, true)],
    ],
    [
      'map: append order',
      checkers.map(),
      [from('append', 'a'), from('append', 'b'), from('get', null, 'ab')],
      [from('append', 'a'), from('append', 'b'), from('get', null, 'ba')],
    ],
    [
      'map: delete',
      checkers.map(),
      [from('put', 1), from('delete', null, true), from('get', null, null)],
      [from('put', 1), from('delete'), from('get', null, 1)],
    ],
    ['map: delete of nothing', checkers.map(), [from('delete', null, false)], [from('delete', null, true)]],
    [
      'multi-register: torn transaction',
      checkers.multiRegister(),
      [
        from(
          'txn',
          [
            ['w', 'x', 1],
            ['w', 'y', 1],
          ],
          null,
        ),
        from('txn', null, [
          ['r', 'x', 1],
          ['r', 'y', 1],
        ]),
      ],
      [
        from(
          'txn',
          [
            ['w', 'x', 1],
            ['w', 'y', 1],
          ],
          null,
        ),
        from('txn', null, [
          ['r', 'x', 1],
          ['r', 'y', null],
        ]),
      ],
    ],
    [
      'counter',
      checkers.counter(),
      [from('add', 2), from('increment'), from('decrement', 2), from('read', null, 1)],
      [from('add', 2), from('read', null, 3)],
    ],
    [
      'counter beyond what a double holds',
      checkers.counter(),
      [from('add', 2n ** 62n), from('add', 1), from('read', null, 2n ** 62n + 1n)],
      [from('add', 2n ** 62n), from('add', 1), from('read', null, 2n ** 62n)],
    ],
    [
      'counter whose sum is beyond what a double holds',
      checkers.counter(),
      [from('add', Number.MAX_SAFE_INTEGER), from('add', 2), from('read', null, 2n ** 53n + 1n)],
      [from('add', Number.MAX_SAFE_INTEGER), from('add', 2), from('read', null, 2n ** 53n)],
    ],
    ['counter: add and get', checkers.counter({ addAndGet: true }), [from('add', 2, 2)], [from('add', 2, 3)]],
    [
      'set: lost element',
      checkers.set(),
      [from('add', 1), from('contains', 1, true)],
      [from('add', 1), from('contains', 1, false)],
    ],
    ['set: phantom element', checkers.set(), [from('read', null, [])], [from('read', null, [1])]],
    [
      'set: removed element',
      checkers.set(),
      [from('add', 1), from('remove', 1, true), from('contains', 1, false)],
      [from('add', 1), from('remove', 1, true), from('contains', 1, true)],
    ],
    [
      'set: present before it was added',
      checkers.set(),
      [from('contains', 1, false), from('add', 1)],
      [from('contains', 1, true), from('add', 1)],
    ],
    [
      'queue: overtaking',
      checkers.queue(),
      [from('enqueue', 1), from('enqueue', 2), from('dequeue', null, 1)],
      [from('enqueue', 1), from('enqueue', 2), from('dequeue', null, 2)],
    ],
    [
      'queue: twice',
      checkers.queue(),
      [from('enqueue', 1), from('dequeue', null, 1), from('dequeue', null, null)],
      [from('enqueue', 1), from('dequeue', null, 1), from('dequeue', null, 1)],
    ],
    ['queue: thin air', checkers.queue(), [from('dequeue', null, null)], [from('dequeue', null, 9)]],
    [
      'queue: before it was in',
      checkers.queue(),
      [from('enqueue', 1), from('dequeue', null, 1)],
      [from('dequeue', null, 1), from('enqueue', 1)],
    ],
    [
      'queue: not empty',
      checkers.queue(),
      [from('dequeue', null, null), from('enqueue', 1)],
      [from('enqueue', 1), from('dequeue', null, null)],
    ],
    [
      'stack: order',
      checkers.stack(),
      [from('push', 1), from('push', 2), from('pop', null, 2)],
      [from('push', 1), from('push', 2), from('pop', null, 1)],
    ],
    [
      'stack: not empty',
      checkers.stack(),
      [from('pop', null, null)],
      [from('push', 1), from('pop', null, null)],
    ],
    [
      'priority queue: order',
      checkers.priorityQueue(),
      [from('insert', 2), from('insert', 1), from('delete-min', null, 1)],
      [from('insert', 2), from('insert', 1), from('delete-min', null, 2)],
    ],
    [
      'priority queue: not empty',
      checkers.priorityQueue(),
      [from('delete-min', null, null)],
      [from('insert', 1), from('delete-min', null, null)],
    ],
    [
      'log: offset given twice',
      checkers.log(),
      [from('append', 'a', 0), from('append', 'b', 1), from('read', 1, 'b')],
      [from('append', 'a', 0), from('append', 'b', 0)],
    ],
    [
      'log: rewritten',
      checkers.log(),
      [from('append', 'a'), from('read', null, ['a'])],
      [from('append', 'a'), from('read', 0, 'b')],
    ],
    [
      'mutex: held twice',
      checkers.mutex(),
      [from('acquire'), from('release'), from('acquire')],
      [from('acquire'), from('acquire')],
    ],
    [
      'mutex: released while free',
      checkers.mutex(),
      [from('acquire'), from('acquire', null, false)],
      [from('release')],
    ],
    [
      'reentrant lock: too often',
      checkers.reentrantLock({ maxHolds: 2 }),
      [from('acquire'), from('acquire'), from('release'), from('release')],
      [from('acquire'), from('acquire'), from('acquire')],
    ],
    [
      'reentrant lock: released too often',
      checkers.reentrantLock(),
      [from('acquire'), from('release')],
      [from('acquire'), from('release'), from('release')],
    ],
    [
      'semaphore: too many permits',
      checkers.semaphore({ permits: 2 }),
      [from('acquire', 2), from('release', 1), from('acquire', 1)],
      [from('acquire', 2), from('acquire', 1)],
    ],
    [
      'lease: token goes back',
      checkers.lease(),
      [from('acquire', null, 1), from('acquire', null, 2)],
      [from('acquire', null, 2), from('acquire', null, 1)],
    ],
    [
      'lease: taken while held',
      checkers.lease({ expires: false }),
      [from('acquire', null, 1), from('release', 1), from('acquire', null, 2)],
      [from('acquire', null, 1), from('acquire', null, 2)],
    ],
    [
      'lease: renewed by a stranger',
      checkers.lease(),
      [from('acquire', null, 1), from('renew', 1)],
      [from('acquire', null, 1), from('acquire', null, 2), from('renew', 1)],
    ],
    [
      'lease: write behind the fence',
      checkers.lease(),
      [
        from('write', [1, 'a']),
        from('write', [2, 'b']),
        from('write', [1, 'c'], false),
        from('read', null, 'b'),
      ],
      [from('write', [2, 'b']), from('write', [1, 'c'])],
    ],
    [
      'bank: money lost',
      checkers.bank({ initial: { a: 2, b: 0 } }),
      [from('transfer', { from: 'a', to: 'b', amount: 1 }), from('read', null, { a: 1, b: 1 })],
      [from('transfer', { from: 'a', to: 'b', amount: 1 }), from('read', null, { a: 1, b: 0 })],
    ],
    [
      'bank beyond what a double holds',
      checkers.bank({ initial: { a: 2, b: 0 } }),
      [
        from('transfer', { from: 'a', to: 'b', amount: -(2n ** 62n) }),
        from('read', null, { a: 2n ** 62n + 2n, b: -(2n ** 62n) }),
      ],
      [from('transfer', { from: 'a', to: 'b', amount: -(2n ** 62n) }), from('read', 'a', 2n ** 62n)],
    ],
    [
      'bank: overdrawn',
      checkers.bank({ initial: { a: 2, b: 0 } }),
      [from('transfer', { from: 'b', to: 'a', amount: 1 }, false)],
      [from('transfer', { from: 'b', to: 'a', amount: 1 })],
    ],
  ]

  it.each(cases)('%s', (_, model, legal, planted) => {
    for (const monitors of [true, false]) {
      expect(linearizable(sequence(...legal), model, { monitors }).verdict).toBe('valid')
      const result = linearizable(sequence(...planted), model, { monitors })
      expect(result.verdict).toBe('invalid')
      expect(result.anomalies[0].operations.length).toBeGreaterThan(0)
      expect(result.anomalies[0].message).toMatch(/operation|values/)
    }
  })

  it('a reentrant lock belongs to a process', () => {
    const two = (second: number): History =>
      history(
        [0, 'invoke', 'acquire'],
        [0, 'ok', 'acquire'],
        [second, 'invoke', 'acquire'],
        [second, 'ok', 'acquire'],
      )
    expect(linearizable(two(0), checkers.reentrantLock()).verdict).toBe('valid')
    expect(linearizable(two(1), checkers.reentrantLock()).verdict).toBe('invalid')
  })
})
