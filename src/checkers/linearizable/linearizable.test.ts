import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import { history, sequence } from './histories.test-support.ts'
import * as checkers from './index.ts'
import { ILLEGAL, linearizable, type AnyModel, type LinearizabilityProof, type Model } from './index.ts'

describe('linearizable', () => {
  it('calls an empty history unknown: nothing was checked', () => {
    expect(linearizable(History.from([]), checkers.register())).toMatchObject({
      verdict: 'unknown',
      reason: 'there was nothing to check',
      checks: 0,
    })
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
    const late = linearizable(hard, checkers.queue(), { timeoutWallMs: 1e-6, monitors: false })
    expect(late).toMatchObject({ verdict: 'unknown', anomalies: [] })
    expect(late.reason).toMatch(/time limit of 0.000001 ms.*of 28 completed operations can be linearized/)
    const full = linearizable(hard, checkers.queue(), { memoryMb: 1, monitors: false })
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
    [checkers.queue(), 'enqueue', null],
    [checkers.stack(), 'push', null],
    [checkers.priorityQueue(), 'insert', null],
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
    const result = linearizable(History.from(events), checkers.register(), { memoryMb: 4, monitors: false })
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
