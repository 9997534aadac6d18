import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import { parseHistory } from '../../history/read.ts'
import { everyRun, sequence, together, types, type CorrectObject } from '../histories.test-support.ts'
import { broadcast } from './broadcast.ts'
import { setFull } from './set-full.ts'
import { set } from './set.ts'

const add = (input: unknown, type?: 'ok' | 'fail' | 'info') => ({
  f: 'add',
  input,
  ...(type ? { type } : {}),
})
const read = (output: unknown, process = 0) => ({ f: 'read', output, process })

export const correctSet: CorrectObject<Set<number>> = {
  init: () => new Set(),
  ask: (draw, serial) => (draw % 2 === 0 ? { f: 'add', input: serial } : { f: 'read' }),
  apply(state, f, input) {
    if (f === 'read') return [...state]
    state.add(input as number)
    return null
  },
  last: { f: 'read', input: 'final' },
}

describe('set', () => {
  it('is valid when the last read has what was acknowledged', () => {
    expect(set(sequence(add(1), add(2, 'info'), add(3, 'fail'), read([1]))).verdict).toBe('valid')
    expect(set(sequence(add(1), add(2, 'info'), read([1, 2]))).details.recovered).toEqual([2])
  })

  it.each([
    ['lost', sequence(add(1), read([]))],
    ['unexpected', sequence(add(1), read([1, 7]))],
    ['duplicated', sequence(add(1), read([1, 1]))],
    ['failed-but-present', sequence(add(1, 'fail'), read([1]))],
  ])('finds %s', (type, history) => {
    const result = set(history)
    expect([result.verdict, types(result)]).toEqual(['invalid', [type]])
  })

  it('does not ask for an add that was under way when the read began', () => {
    expect(set(together(add(1), read([], 1))).verdict).toBe('valid')
  })

  it('is unknown where elements are removed, which grow-only sets do not do', () => {
    const removed = [add(1), { f: 'remove', input: 1 }, read([])]
    const reason =
      'the history is too weak for this checker because it has remove operations, which this checker does not know'
    expect([set(sequence(...removed)), setFull(sequence(...removed))]).toMatchObject([{ reason }, { reason }])
    const refused = [add(1), { f: 'remove', input: 1, type: 'fail' as const }, read([])]
    expect(set(sequence(...refused)).verdict).toBe('invalid')
    expect(setFull(sequence(...refused)).verdict).toBe('invalid')
    const elsewhere = [
      { ...add(1), key: 'x' },
      { f: 'remove', input: 1, key: 'y' },
      { ...read([]), key: 'x' },
    ]
    expect(set(sequence(...elsewhere)).verdict).toBe('invalid')
  })

  it('is unknown without a read, and where there is no real time', () => {
    expect(set(sequence(add(1)))).toMatchObject({
      verdict: 'unknown',
      reason: 'no read of the set succeeded',
    })
    expect(set(parseHistory('w 1 1\n'))).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringMatching(/too weak.*sessions only/) as string,
    })
  })

  it('never calls a correct set invalid', () => {
    everyRun(correctSet, (history) => expect(set(history).anomalies).toEqual([]))
  })
})

describe('set-full', () => {
  it.each([
    ['lost', sequence(add(1), read([1]), read([]))],
    ['unexpected', sequence(add(1), read([1, 7]))],
    ['unexpected', sequence(read([1]), add(1), read([1]))],
    ['duplicated', sequence(add(1), read([1, 1]))],
    ['failed-but-present', sequence(add(2), add(1, 'fail'), read([1, 2]))],
    ['missing-on-replica', sequence(add(1), read([], 1), read([1], 2))],
  ])('finds %s', (type, history) => {
    const result = setFull(history)
    expect([result.verdict, types(result)]).toEqual(['invalid', [type]])
  })

  it('finds a stale read only where the set should be linearizable', () => {
    const stale = sequence(add(1), read([], 1), read([1], 1), read([1], 1))
    expect(setFull(stale).verdict).toBe('valid')
    expect(types(setFull(stale, { linearizable: true }))).toEqual(['stale'])
  })

  it('takes an unknown add as known once it was seen', () => {
    expect(setFull(sequence(add(1, 'info'), add(2), read([2]))).verdict).toBe('valid')
    expect(types(setFull(sequence(add(1, 'info'), add(2), read([1, 2]), read([2]))))).toEqual(['lost'])
  })

  it('is unknown when nothing was ever seen to stay', () => {
    expect(setFull(sequence(add(1))).verdict).toBe('unknown')
  })

  it('is unknown when the final read of a node gave no list', () => {
    const on = (node: string, output: unknown) => ({ f: 'read', node, input: 'final', output })
    expect(setFull(sequence(add(1), on('a', [1]), on('b', [1]))).verdict).toBe('valid')
    expect(setFull(sequence(add(1), on('a', [1]), on('b', null)))).toMatchObject({
      verdict: 'unknown',
      reason: 'no final read of node b succeeded: nothing shows what is there',
    })
  })

  it('never calls a correct set invalid, linearizable or not', () => {
    everyRun(correctSet, (history) => {
      expect(setFull(history).anomalies).toEqual([])
      expect(setFull(history, { linearizable: true }).anomalies).toEqual([])
    })
  })

  it('agrees with the definitions, element by element, on mutilated histories', () => {
    everyRun(correctSet, (history) => {
      const broken = mutilated(history)
      expect(setFull(broken).details).toMatchObject(byDefinition(broken))
    })
  })
})

/** Takes elements out of reads, by a rule that depends on nothing but the history. */
function mutilated(history: History): History {
  return History.from(
    [...history.operations()].map((op) =>
      op.f === 'read' && Array.isArray(op.output)
        ? { ...op, output: (op.output as number[]).filter((value) => (value * 7 + op.id * 3) % 5 !== 0) }
        : op,
    ),
  )
}

/** Stable, lost and never read as the header of the checker defines them, in quadratic time. */
function byDefinition(history: History): Record<string, unknown> {
  const ops = [...history.operations()]
  const reads = ops.filter(({ f, type }) => f === 'read' && type === 'ok')
  const has = (op: (typeof ops)[number], value: unknown) => (op.output as unknown[]).includes(value)
  const lost: unknown[] = []
  const neverRead: unknown[] = []
  let stable = 0
  for (const { input: value, type, completeIndex } of ops.filter(({ f }) => f === 'add')) {
    const present = reads.filter((op) => has(op, value))
    const absent = reads.filter((op) => !has(op, value))
    const known = Math.min(
      type === 'ok' ? completeIndex! : Number.POSITIVE_INFINITY,
      ...present.map((op) => op.completeIndex!),
    )
    const lastPresent = Math.max(-1, ...present.map(({ invokeIndex }) => invokeIndex))
    const lastAbsent = Math.max(-1, ...absent.map(({ invokeIndex }) => invokeIndex))
    if (lastPresent > lastAbsent) stable++
    else if (lastAbsent > known) lost.push(value)
    else neverRead.push(value)
  }
  return { stable, lost, neverRead }
}

describe('broadcast', () => {
  const send = { f: 'broadcast', input: 5 }

  it('is valid when every node has the message in the end', () => {
    expect(broadcast(sequence(send, read([5], 1), read([5], 2))).verdict).toBe('valid')
  })

  it('finds a message that one node never gets', () => {
    const result = broadcast(sequence(send, read([5], 1), read([], 2), read([5], 1)))
    expect([result.verdict, types(result)]).toEqual(['invalid', ['missing-on-replica']])
  })
})
