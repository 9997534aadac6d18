import { describe, expect, it } from 'vitest'
import { everyRun, sequence, types, type CorrectObject } from '../histories.test-support.ts'
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

  it('is unknown without a final read', () => {
    expect(finalState(sequence(read(100), write(1)), { invariant }).verdict).toBe('unknown')
  })
})
