import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import * as checkers from './index.ts'
import { ILLEGAL, linearizable, type AnyModel, type LinearizabilityProof, type Model } from './index.ts'

/** A history from lines `process type f value`, in order; `key:` before the value gives a key. */
function history(
  ...lines: readonly (readonly [
    process: number,
    type: HistoryEvent['type'],
    f: string,
    value?: unknown,
    key?: unknown,
  ])[]
): History {
  return History.from(
    lines.map(([process, type, f, value = null, key = null]): HistoryEvent => ({
      process,
      type,
      f,
      value,
      key,
    })),
  )
}

/** Operations one after the other: [f, input, output]. */
function sequence(...calls: readonly (readonly [f: string, input?: unknown, output?: unknown])[]): History {
  return History.from(
    calls.flatMap(([f, input = null, output = null]): HistoryEvent[] => [
      { process: 0, type: 'invoke', f, value: input },
      { process: 0, type: 'ok', f, value: output },
    ]),
  )
}

describe('linearizable', () => {
  it('calls an empty history valid, with nothing checked', () => {
    expect(linearizable(History.from([]), checkers.register())).toMatchObject({ verdict: 'valid', checks: 0 })
  })

  it('gives the order that it found', () => {
    const concurrent = history(
      [0, 'invoke', 'write', 1],
      [1, 'invoke', 'read'],
      [2, 'invoke', 'write', 2],
      [1, 'ok', 'read', 2],
      [0, 'ok', 'write'],
      [2, 'ok', 'write'],
      [1, 'invoke', 'read'],
      [1, 'ok', 'read', 1],
    )
    const result = linearizable(concurrent, checkers.register(), { monitors: false })
    expect(result.verdict).toBe('valid')
    expect(result.details.witness).toEqual([2, 1, 0, 3])
  })

  it('names the stuck operation, the longest prefix, and why each last configuration leads nowhere', () => {
    const stale = history(
      [0, 'invoke', 'write', 1],
      [0, 'ok', 'write'],
      [1, 'invoke', 'write', 2],
      [1, 'ok', 'write'],
      [2, 'invoke', 'read'],
      [2, 'ok', 'read', 1],
      [0, 'invoke', 'write', 3],
      [0, 'ok', 'write'],
    )
    const result = linearizable(stale, checkers.casRegister(), { monitors: false })
    expect(result.verdict).toBe('invalid')
    const proof = result.details.proof as LinearizabilityProof
    expect(proof).toMatchObject({ stuck: 2, prefix: [0, 1], description: 'read() → 1' })
    expect(proof.configurations).toEqual([
      {
        state: '2',
        last: 1,
        tail: [0, 1],
        next: [{ operation: 2, description: 'read() → 1', why: 'is not possible when the state is 2' }],
      },
    ])
    expect(result.anomalies[0].operations).toEqual([2])
  })

  it('lets an operation of unknown outcome take effect late, early, or never', () => {
    const late = history(
      [0, 'invoke', 'write', 7],
      [0, 'info', 'write', 7],
      [1, 'invoke', 'read'],
      [1, 'ok', 'read', null],
      [1, 'invoke', 'read'],
      [1, 'ok', 'read', 7],
    )
    for (const monitors of [true, false])
      expect(linearizable(late, checkers.register(), { monitors }).verdict).toBe('valid')
    const backwards = history(
      [0, 'invoke', 'write', 7],
      [0, 'info', 'write', 7],
      [1, 'invoke', 'read'],
      [1, 'ok', 'read', 7],
      [1, 'invoke', 'read'],
      [1, 'ok', 'read', null],
    )
    for (const monitors of [true, false]) {
      expect(linearizable(backwards, checkers.register(), { monitors }).verdict).toBe('invalid')
    }
  })

  it('does not let a failed operation happen', () => {
    const failed = history(
      [0, 'invoke', 'write', 7],
      [0, 'fail', 'write', 7],
      [1, 'invoke', 'read'],
      [1, 'ok', 'read', 7],
    )
    for (const monitors of [true, false])
      expect(linearizable(failed, checkers.register(), { monitors }).verdict).toBe('invalid')
  })

  it('checks each key alone and puts the failing key first', () => {
    const keys = history(
      [0, 'invoke', 'write', 1, 'good'],
      [0, 'ok', 'write', null, 'good'],
      [1, 'invoke', 'read', null, 'bad'],
      [1, 'ok', 'read', 1, 'bad'],
      [1, 'invoke', 'read', null, 'good'],
      [1, 'ok', 'read', 1, 'good'],
    )
    const result = linearizable(keys, checkers.register())
    expect(result.verdict).toBe('invalid')
    expect(result.details).toMatchObject({ objects: 2, failingKeys: ['bad'] })
    expect(result.parts.map(({ verdict }) => verdict)).toEqual(['invalid', 'valid'])
  })

  it('splits by a function of the user', () => {
    const parity: Model<number> = {
      name: 'last',
      init: () => 0,
      step: (_, { input }) => input as number,
      partition: ({ input }) => (input as number) % 2,
    }
    expect(linearizable(sequence(['put', 1], ['put', 2], ['put', 3]), parity).details.objects).toBe(2)
  })

  it('answers unknown, with how far it got, when the time is over or the memory full', () => {
    const events: HistoryEvent[] = []
    for (let process = 0; process < 14; process++)
      events.push({ process, type: 'invoke', f: 'enqueue', value: process % 7 })
    for (let process = 0; process < 14; process++) events.push({ process, type: 'ok', f: 'enqueue' })
    for (const output of [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 5]) {
      events.push(
        { process: 0, type: 'invoke', f: 'dequeue' },
        { process: 0, type: 'ok', f: 'dequeue', value: output },
      )
    }
    const hard = History.from(events)
    const late = linearizable(hard, checkers.queue(), { timeoutMs: 0 })
    expect(late).toMatchObject({ verdict: 'unknown', anomalies: [] })
    expect(late.reason).toMatch(/time limit of 0 ms.*of 28 completed operations can be linearized/)
    const full = linearizable(hard, checkers.queue(), { memoryMb: 1 })
    expect(full).toMatchObject({ verdict: 'unknown' })
    expect(full.reason).toMatch(/memory limit of 1 MB/)
  })

  it('answers unknown when the model does not know a function', () => {
    const result = linearizable(sequence(['txn']), checkers.register())
    expect(result).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('txn is unknown to the model register') as string,
    })
  })

  it.each<[AnyModel, string, unknown]>([
    [checkers.casRegister(), 'cas', null],
    [checkers.casRegister(), 'cas', [1]],
    [checkers.map(), 'cas', 'x'],
    [checkers.lease(), 'write', 5],
    [checkers.bank({ initial: {} }), 'transfer', { from: 'a' }],
    [checkers.multiRegister(), 'txn', [null]],
  ])('answers unknown when an input is not what the model %o can take apart', (model, f, input) => {
    const result = linearizable(sequence([f, input]), model)
    expect(result).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('operation 0') as string,
    })
  })

  it('answers unknown when too many operations are open at once to list them', () => {
    const events: HistoryEvent[] = []
    for (let process = 0; process < 4000; process++)
      events.push({ process, type: 'invoke', f: 'write', value: process % 2 })
    for (let process = 0; process < 4000; process++) events.push({ process, type: 'ok', f: 'write' })
    const result = linearizable(History.from(events), checkers.register(), { memoryMb: 4 })
    expect(result).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('at the same time') as string,
    })
  })

  it('takes user models with an equality and a hash that collides', () => {
    const modular: Model<{ n: number }> = {
      name: 'clock',
      init: () => ({ n: 0 }),
      step: (state, { f, output }) => {
        if (f === 'tick') return { n: state.n + 1 }
        return output === state.n % 12 ? state : ILLEGAL
      },
      equal: (a, b) => a.n % 12 === b.n % 12,
      hash: () => 1,
    }
    const ticks = Array.from({ length: 13 }, () => ['tick'] as const)
    expect(linearizable(sequence(...ticks, ['look', null, 1]), modular).verdict).toBe('valid')
    expect(linearizable(sequence(...ticks, ['look', null, 2]), modular).verdict).toBe('invalid')
  })

  it('takes nondeterministic models', () => {
    const coin: AnyModel = {
      name: 'coin',
      nondeterministic: true,
      init: () => ['heads'],
      step: (state: string, { f, output }) =>
        f === 'toss' ? ['heads', 'tails'] : output === state ? [state] : [],
    }
    expect(
      linearizable(sequence(['toss'], ['look', null, 'tails'], ['look', null, 'tails']), coin).verdict,
    ).toBe('valid')
    expect(
      linearizable(sequence(['toss'], ['look', null, 'tails'], ['look', null, 'heads']), coin).verdict,
    ).toBe('invalid')
    expect(linearizable(sequence(['look', null, 'tails']), coin).verdict).toBe('invalid')
  })
})

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
