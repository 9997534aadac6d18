import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import { linearizable, register } from '../linearizable/index.ts'
import { everyRun, FULL, sequence, types, type CorrectObject } from '../histories.test-support.ts'
import { exactlyOnce } from './exactly-once.ts'
import { finalState } from './final-state.ts'
import { noLostAck } from './no-lost-ack.ts'
import { reconciliation } from './reconciliation.ts'

type Type = 'ok' | 'fail' | 'info'
const write = (input: unknown, type: Type = 'ok', key: unknown = null) => ({ f: 'write', input, type, key })
const read = (output: unknown, node = 'n1') => ({ f: 'read', output, node })

const correctMap: CorrectObject<Record<string, number>> = {
  init: () => ({}),
  ask: (draw, serial) => ({ f: 'write', key: `k${draw % 3}`, input: serial }),
  apply(state, f, input, _, key) {
    if (f === 'write') state[String(key)] = input as number
    return f === 'read' ? state : null
  },
  last: { f: 'read', input: 'final' },
}

describe('no-lost-ack', () => {
  it('finds an acknowledged element that the final read lacks', () => {
    expect(noLostAck(sequence(write(1), write(2), read([1, 2]))).verdict).toBe('valid')
    const result = noLostAck(sequence(write(1), write(2), read([1])))
    expect([result.verdict, types(result)]).toEqual(['invalid', ['lost']])
  })

  it('takes a time-out or an unknown outcome as no acknowledgement', () => {
    expect(noLostAck(sequence(write(1), write(2, 'info'), read([1]))).verdict).toBe('valid')
    expect(noLostAck(sequence(write(1), { ...write(2), timedOut: true }, read([1]))).verdict).toBe('valid')
  })

  it('finds the last value of a key lost, but not one that may have been replaced', () => {
    const [a, b] = [write(1, 'ok', 'x'), write(2, 'ok', 'x')]
    expect(noLostAck(sequence(a, b, read({ x: 2 }))).verdict).toBe('valid')
    expect(types(noLostAck(sequence(a, b, read({ x: 1 }))))).toEqual(['lost'])
    expect(types(noLostAck(sequence(a, read({}))))).toEqual(['lost'])
    expect(noLostAck(sequence(a, write(2, 'info', 'x'), read({ x: 2 }))).verdict).toBe('valid')
    expect(noLostAck(sequence(write(2, 'info', 'x'), a, read({ x: 2 }))).verdict).toBe('valid')
  })

  it('finds a value that an acknowledged write has replaced', () => {
    const event = (type: 'invoke' | 'ok', id: number, value: number) => {
      return { type, id, process: id, f: 'write', key: 'x', value }
    }
    const at = (value: unknown) => [
      { type: 'invoke' as const, id: 9, f: 'read' },
      { type: 'ok' as const, id: 9, f: 'read', value: { x: value } },
    ]
    const long = [event('invoke', 0, 1), event('invoke', 1, 2), event('ok', 1, 2)]
    const history = (value: unknown) =>
      History.from([...long, event('invoke', 2, 3), event('ok', 2, 3), event('ok', 0, 1), ...at(value)])
    expect([1, 3].map((value) => noLostAck(history(value)).verdict)).toEqual(['valid', 'valid'])
    expect(types(noLostAck(history(2)))).toEqual(['lost'])
    // What may have replaced the value did not take it away.
    const a = write(1, 'ok', 'x')
    expect(types(noLostAck(sequence(a, write(2, 'info', 'x'), read({}))))).toEqual(['lost'])
  })

  it('looks at reads of one key alone, and at values as well as lists', () => {
    const of = (key: string, output: unknown) => ({ f: 'read', key, output })
    const writes = [write(1, 'ok', 'x'), write(2, 'ok', 'y')]
    expect(noLostAck(sequence(...writes, of('x', 1), of('y', 2))).verdict).toBe('valid')
    expect(noLostAck(sequence(...writes, of('x', [1]), of('y', [2]))).verdict).toBe('valid')
    expect(types(noLostAck(sequence(...writes, of('x', 1), of('y', null))))).toEqual(['lost'])
    expect(types(noLostAck(sequence(...writes, of('x', [1]), of('y', [1]))))).toEqual(['lost'])
    expect(noLostAck(sequence(...writes, of('x', 1))).reason).toBe('no final read of key "y" succeeded')
    expect(noLostAck(sequence(write(1), write([2]), read([2]))).verdict).toBe('valid')
    expect(noLostAck(sequence(...writes, read(1))).reason).toBe(
      'the final read of node n1 gave 1, which is neither a list nor a map',
    )
  })

  it('agrees with linearizability about a register that is read once, at the end', () => {
    const drafts = fc.array(
      fc.record({
        at: fc.nat(20),
        length: fc.integer({ min: 1, max: 8 }),
        value: fc.constantFrom(null, 1, 2),
        type: fc.constantFrom<Type[]>('ok', 'ok', 'fail', 'info'),
      }),
      { minLength: 1, maxLength: 5 },
    )
    const verdicts = new Set<boolean>()
    fc.assert(
      fc.property(drafts, fc.constantFrom(null, 1, 2), (writes, output) => {
        fc.pre(writes.some(({ type }) => type === 'ok'))
        const events = writes.flatMap(({ at, length, value, type }, id) => [
          { at: at * 2, event: { type: 'invoke' as const, id, process: id, f: 'write', value } },
          { at: (at + length) * 2 - 1, event: { type, id, process: id, f: 'write', value } },
        ])
        const history = History.from([
          ...events.sort((a, b) => a.at - b.at).map(({ event }) => event),
          { type: 'invoke', id: 99, process: 99, f: 'read' },
          { type: 'ok', id: 99, process: 99, f: 'read', value: output },
        ])
        const isLost = noLostAck(history).anomalies.length > 0
        verdicts.add(isLost)
        expect(isLost).toBe(linearizable(history, register()).verdict === 'invalid')
      }),
      { numRuns: FULL ? 20_000 : 400 },
    )
    expect(verdicts.size).toBe(2)
  })

  it('is too weak where something else replaces what was written', () => {
    const swap = { f: 'cas', key: 'x', input: [1, 2] }
    expect(noLostAck(sequence(write(1, 'ok', 'x'), swap, read({ x: 2 })))).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('it has cas operations') as string,
    })
    expect(noLostAck(sequence(write(1, 'ok', 'y'), swap, read({ y: 1 }))).verdict).toBe('valid')
  })

  it('is too weak without time-out markers, when those are asked for', () => {
    const history = sequence(write(1), read([1]))
    expect(noLostAck(history, { requireMarkers: true })).toMatchObject({ verdict: 'unknown' })
    const marked = sequence({ ...write(1), timedOut: false }, read([1]))
    expect(noLostAck(marked, { requireMarkers: true }).verdict).toBe('valid')
  })

  it('is unknown without a final read', () => {
    expect(noLostAck(sequence(read([]), write(1))).reason).toBe(
      'no read began after the last write had ended',
    )
  })

  it('never calls a correct map invalid', () => {
    everyRun(correctMap, (history) => expect(noLostAck(history).anomalies).toEqual([]))
  })
})

describe('exactly-once', () => {
  const submit = (key: string, type: Type = 'ok') => ({ f: 'submit', key, type })
  const effect = (key: string, type: Type = 'ok') => ({ f: 'effect', key, type })

  it('is valid when a request that was retried took effect once', () => {
    expect(exactlyOnce(sequence(submit('a', 'info'), submit('a'), effect('a'))).verdict).toBe('valid')
  })

  it.each([
    ['duplicated', sequence(submit('a', 'info'), submit('a'), effect('a'), effect('a'))],
    ['lost', sequence(submit('a'), submit('b'), effect('b'))],
    ['unexpected', sequence(submit('a'), effect('a'), effect('b'))],
    ['failed-but-done', sequence(submit('a', 'fail'), effect('a'))],
  ])('finds %s', (type, history) => {
    const result = exactlyOnce(history)
    expect([result.verdict, types(result)]).toEqual(['invalid', [type]])
  })

  it('counts effects in a final list too', () => {
    expect(exactlyOnce(sequence(submit('a'), read(['a']))).verdict).toBe('valid')
    expect(types(exactlyOnce(sequence(submit('a'), read(['a', 'a']))))).toEqual(['duplicated'])
  })

  it('lets an effect of unknown outcome be the one that is missing', () => {
    expect(exactlyOnce(sequence(submit('a'), effect('a', 'info'))).verdict).toBe('valid')
  })

  it('counts effects in the final lists of several keys', () => {
    const of = (key: string, output: unknown) => ({ f: 'read', key, output })
    expect(exactlyOnce(sequence(submit('a'), submit('b'), of('p', ['a']), of('q', ['b']))).verdict).toBe(
      'valid',
    )
    expect(types(exactlyOnce(sequence(submit('a'), of('p', ['a']), of('q', ['a']))))).toEqual(['duplicated'])
  })

  it('is unknown when nothing succeeded', () => {
    expect(exactlyOnce(sequence(submit('a', 'fail'), effect('a', 'info'))).verdict).toBe('unknown')
  })

  it('is unknown when nothing shows what took effect', () => {
    expect(exactlyOnce(sequence(submit('a'))).verdict).toBe('unknown')
  })
})

describe('reconciliation', () => {
  it.each([
    ['lists', [1, 2], [1, 3], 'at position 1, 2 against 3 (2 and 2 elements)'],
    ['lengths', [1], [1, 3], 'at position 1, undefined against 3 (1 and 2 elements)'],
    ['maps', { a: 1, b: 2 }, { a: 1, b: 3 }, 'b is 2 against 3'],
    ['values', 1, 2, '1 against 2'],
  ])('finds replicas with different %s', (_, one, other, where) => {
    const result = reconciliation(sequence(write(1), read(one, 'n1'), read(other, 'n2')))
    expect([result.verdict, types(result)]).toEqual(['invalid', ['replicas-differ']])
    expect(result.anomalies[0].message).toBe(`node n1 and node n2 end in different states: ${where}`)
  })

  it('is valid when they agree, in any order where order does not matter', () => {
    const history = sequence(write(1), read([1, 2], 'n1'), read([2, 1], 'n2'))
    expect(reconciliation(history).verdict).toBe('invalid')
    expect(reconciliation(history, { unordered: true }).verdict).toBe('valid')
  })

  it('compares reads of one key with each other only', () => {
    const of = (key: string, output: unknown, node: string) => ({ f: 'read', key, output, node })
    const both = [of('x', 1, 'n1'), of('y', 2, 'n1'), of('x', 1, 'n2')]
    expect(reconciliation(sequence(write(1), ...both, of('y', 2, 'n2'))).verdict).toBe('valid')
    expect(reconciliation(sequence(write(1), ...both)).reason).toBe(
      'there are not final reads of key "y" of two replicas to compare',
    )
    expect(reconciliation(sequence(write(1), ...both, of('y', 3, 'n2'))).anomalies[0].message).toBe(
      'node n1 and node n2 end in different states of key "y": 2 against 3',
    )
  })

  it('does not trust a difference while a write may still happen, unless the reads are marked as final', () => {
    const unsure = [write(1, 'info'), read([], 'n1'), read([1], 'n2')]
    expect(reconciliation(sequence(...unsure)).reason).toContain(
      '1 writes of unknown outcome may have happened',
    )
    const marked = unsure.map((op) => (op.f === 'read' ? { ...op, input: 'final' } : op))
    expect(reconciliation(sequence(...marked)).verdict).toBe('invalid')
  })

  it('is unknown with one replica, and does not compare reads before the last write', () => {
    expect(reconciliation(sequence(write(1), read(1, 'n1'))).verdict).toBe('unknown')
    expect(reconciliation(sequence(read(0, 'n2'), write(1), read(1, 'n1'))).verdict).toBe('unknown')
  })
})

describe('final-state', () => {
  const invariant = (state: unknown) => (state === 100 ? null : `the total is ${String(state)}, not 100`)

  it('asks the invariant of every replica', () => {
    expect(finalState(sequence(write(1), read(100)), { invariant }).verdict).toBe('valid')
    const result = finalState(sequence(write(1), read(100, 'n1'), read(99, 'n2')), { invariant })
    expect(types(result)).toEqual(['invariant-broken'])
    expect(result.anomalies[0].message).toBe('in the final state of node n2: the total is 99, not 100')
  })

  it('asks the invariant of every key that is read', () => {
    const of = (key: string, output: unknown) => ({ f: 'read', key, output, node: 'n1' })
    expect(finalState(sequence(of('x', 100), of('y', 100)), { invariant }).verdict).toBe('valid')
    const result = finalState(sequence(of('x', 99), of('y', 100)), { invariant })
    expect(result.anomalies[0].message).toBe(
      'in the final state of node n1 of key "x": the total is 99, not 100',
    )
  })

  it('is unknown without a final read', () => {
    expect(finalState(sequence(read(100), write(1)), { invariant }).verdict).toBe('unknown')
  })
})
