import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { counter, isSubsetSum } from './counter.ts'
import {
  everyRun,
  FULL,
  sequence,
  simulate,
  together,
  types,
  type CorrectObject,
} from '../histories.test-support.ts'
import { History } from '../../history/history.ts'
import { pnCounter } from './pn-counter.ts'

const add = (input: unknown, type?: 'ok' | 'fail' | 'info') => ({
  f: 'add',
  input,
  ...(type ? { type } : {}),
})
const read = (output: unknown, process = 0) => ({ f: 'read', output, process })

const correctCounter: CorrectObject<{ value: number }> = {
  init: () => ({ value: 0 }),
  ask: (draw) => (draw % 3 > 0 ? { f: 'add', input: (draw % 11) - 5 } : { f: 'read' }),
  apply(state, f, input) {
    if (f === 'add') state.value += input as number
    return f === 'read' ? state.value : null
  },
  last: { f: 'read', input: 'final' },
}

describe('counter', () => {
  it.each([
    ['too little', sequence(add(1), read(0))],
    ['too much', sequence(add(1), read(2))],
    ['a failed add', sequence(add(1, 'fail'), read(1))],
    ['an early read', sequence(read(5), add(5), read(5))],
    ['a sum that no subset gives', together(add(5), add(5), read(3))],
    ['no number', sequence(add(1), read('one'))],
  ])('finds a read of %s', (_, history) => {
    const result = counter(history)
    expect([result.verdict, types(result)]).toEqual(['invalid', ['impossible-read']])
  })

  it('allows what unknown and concurrent adds may have done', () => {
    expect(counter(sequence(add(1), add(2, 'info'), read(1), read(3))).verdict).toBe('valid')
    expect(counter(together(add(1), add(2), read(2))).verdict).toBe('valid')
  })

  it('adds integers exactly, whatever their size', () => {
    const big = 2n ** 62n
    expect(counter(sequence(add(big), add(1), read(big + 1n))).verdict).toBe('valid')
    expect(counter(sequence(add(big), add(1), read(big))).verdict).toBe('invalid')
    const most = Number.MAX_SAFE_INTEGER
    expect(counter(sequence(add(most), add(2), read(BigInt(most) + 2n))).verdict).toBe('valid')
    expect(counter(sequence(add(big), add(-big), read(0))).verdict).toBe('valid')
  })

  it('lets a sum of fractions be rounded, in whatever order they were added', () => {
    const fractions = [add(0.3), add(0.2), add(0.1)]
    for (const sum of [0.6, 0.1 + 0.2 + 0.3]) {
      expect(counter(sequence(...fractions, read(sum))).verdict).toBe('valid')
      expect(counter(together(...fractions, read(sum))).verdict).toBe('valid')
    }
    expect(counter(sequence(...fractions, read(0.7))).verdict).toBe('invalid')
  })

  it('is unknown when something else changes the counter', () => {
    expect(counter(sequence(add(1), { f: 'increment' }, read(2))).reason).toContain(
      'it has increment operations',
    )
  })

  it('is unknown when an add is no number', () => {
    expect(counter(sequence(add('x'), read(0)))).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringMatching(/adds "x"/) as string,
    })
  })

  it('never calls a correct counter invalid', () => {
    everyRun(correctCounter, (history) => {
      expect(counter(history).anomalies).toEqual([])
      expect(pnCounter(history).anomalies).toEqual([])
    })
  })

  it('agrees with trying every subset, on reads that are right and wrong', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xffffff), { maxLength: 40, size: 'max' }),
        fc.integer({ min: -2, max: 2 }),
        (draws, off) => {
          const history = History.from(
            [...simulate(correctCounter, draws).operations()].map((op) =>
              op.f === 'read' && op.type === 'ok' && op.id % 2 === 0
                ? { ...op, output: Number(op.output) + off }
                : op,
            ),
          )
          expect(counter(history).details.counts).toEqual(impossibleReads(history))
        },
      ),
      { numRuns: FULL ? 20_000 : 400 },
    )
  })
})

/** Counts reads whose value no subset of the adds that they may have seen gives, by trying all. */
function impossibleReads(history: History): Record<string, number> {
  const ops = [...history.operations()]
  const adds = ops.filter(({ f, type }) => f === 'add' && type !== 'fail')
  let bad = 0
  for (const one of ops.filter(({ f, type }) => f === 'read' && type === 'ok')) {
    const certain = adds.filter(
      ({ type, completeIndex }) => type === 'ok' && completeIndex! < one.invokeIndex,
    )
    const maybe = adds.filter((op) => !certain.includes(op) && op.invokeIndex < one.completeIndex!)
    const base = certain.reduce((sum, { input }) => sum + (input as number), 0)
    let sums = new Set([base])
    for (const { input } of maybe)
      sums = new Set([...sums, ...[...sums].map((sum) => sum + (input as number))])
    if (!sums.has(one.output as number)) bad++
  }
  return bad === 0 ? {} : { 'impossible-read': bad }
}

describe('pn-counter', () => {
  it('lets reads lag, but not the final ones', () => {
    expect(pnCounter(sequence(add(1), read(0), add(2), read(3))).verdict).toBe('valid')
    expect(pnCounter(sequence(add(1), add(2), read(1))).verdict).toBe('invalid')
    expect(pnCounter(sequence(add(1), add(2), read(3, 1), read(2, 2))).verdict).toBe('invalid')
  })

  it('finds a value that no adds give, at any time', () => {
    expect(pnCounter(sequence(add(2), read(7), add(-2), read(0))).verdict).toBe('invalid')
  })

  it('is unknown without a final read', () => {
    expect(pnCounter(sequence(add(1), read(1), add(1))).verdict).toBe('unknown')
    expect(pnCounter(sequence(add(1), read(null))).verdict).toBe('unknown')
  })
})

describe('subset sums', () => {
  it('agree with trying every subset', () => {
    const deltas = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 10 })
    fc.assert(
      fc.property(deltas, fc.integer({ min: -60, max: 60 }), (list, target) => {
        let sums = new Set([0])
        for (const delta of list) sums = new Set([...sums, ...[...sums].map((sum) => sum + delta)])
        expect(isSubsetSum(list, target)).toBe(sums.has(target))
      }),
      { numRuns: FULL ? 20_000 : 1000 },
    )
  })
})
