import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import { everyRun, sequence, together, types, type CorrectObject } from '../histories.test-support.ts'
import { prefix } from './prefix.ts'

const append = (input: unknown, type?: 'ok' | 'fail' | 'info') => ({
  f: 'append',
  input,
  ...(type ? { type } : {}),
})
const read = (output: unknown, process = 0) => ({ f: 'read', output, process })

const correctLog: CorrectObject<number[]> = {
  init: () => [],
  ask: (draw, serial) => (draw % 2 === 0 ? { f: 'append', input: serial } : { f: 'read' }),
  apply(state, f, input) {
    if (f === 'append') state.push(input as number)
    return f === 'read' ? state : null
  },
  last: { f: 'read' },
}

describe('prefix', () => {
  it('is valid when reads are prefixes of one another', () => {
    expect(prefix(sequence(append(1), read([1]), append(2), read([1, 2]), read([1], 1))).verdict).toBe(
      'valid',
    )
  })

  it.each([
    ['divergent', sequence(append(1), append(2), read([1, 2]), read([2], 1))],
    ['went-back', sequence(append(1), read([1]), read([]))],
    ['reordered', sequence(append(1), append(2), read([2, 1]))],
    ['unexpected', sequence(append(1), read([1, 5]))],
    ['unexpected', sequence(read([1]), append(1))],
    ['unexpected', sequence(append(1, 'fail'), append(2), read([2, 1]), append(1), read([2, 1]))],
    ['unexpected', sequence(append(1), read([1, 1]), append(1), read([1, 1]))],
    ['duplicated', sequence(append(1), read([1, 1]))],
    ['failed-but-present', sequence(append(1, 'fail'), read([1]))],
  ])('finds %s', (type, history) => {
    const result = prefix(history)
    expect([result.verdict, types(result)]).toEqual(['invalid', [type]])
  })

  it('looks across clients for shrinking only when asked to', () => {
    const history = sequence(append(1), read([1], 1), read([], 2))
    expect(prefix(history).verdict).toBe('valid')
    expect(types(prefix(history, { monotonic: true }))).toEqual(['went-back'])
  })

  it('allows any order of what was appended at the same time, and unknown appends anywhere later', () => {
    expect(prefix(together(append(1), append(2), read([2, 1]))).verdict).toBe('valid')
    expect(prefix(sequence(append(1, 'info'), append(2), read([2, 1]))).verdict).toBe('valid')
  })

  it('never calls a correct log invalid', () => {
    everyRun(correctLog, (history) => expect(prefix(history, { monotonic: true }).anomalies).toEqual([]))
  })

  it('agrees with comparing every two appends, on logs with two elements swapped', () => {
    everyRun(correctLog, (history) => {
      const swapped = withSwap(history)
      const found = prefix(swapped).anomalies.some(({ type }) => type === 'reordered')
      expect(found).toBe(outOfOrder(swapped))
    })
  })
})

/** All reads show the same log, in which two neighbours have changed places. */
function withSwap(history: History): History {
  const ops = [...history.operations()]
  const whole = [
    ...((ops.findLast(({ f, type }) => f === 'read' && type === 'ok')?.output ?? []) as number[]),
  ]
  const at = whole.length % 3
  if (at + 1 < whole.length) [whole[at], whole[at + 1]] = [whole[at + 1], whole[at]]
  return History.from(
    ops.map((op) =>
      op.f === 'read' && op.type === 'ok'
        ? { ...op, output: whole.slice(0, (op.output as number[]).length) }
        : op,
    ),
  )
}

function outOfOrder(history: History): boolean {
  const ops = [...history.operations()]
  const reads = ops
    .filter(({ f, type }) => f === 'read' && type === 'ok')
    .map(({ output }) => output as number[])
  const whole = reads.reduce((longest, one) => (one.length > longest.length ? one : longest), [] as number[])
  const writer = (value: number) => ops.find(({ f, input }) => f === 'append' && input === value)!
  return whole.some((first, i) =>
    whole.slice(i + 1).some((second) => {
      const [a, b] = [writer(first), writer(second)]
      return b.type === 'ok' && b.completeIndex! < a.invokeIndex
    }),
  )
}

describe('prefix, where a value is appended again', () => {
  it('never calls a correct log invalid', () => {
    const retrying: CorrectObject<unknown[]> = {
      init: () => [],
      ask: (draw) => (draw % 3 === 0 ? { f: 'read' } : { f: 'append', input: draw % 7 }),
      apply: (state, f, input) => (f === 'read' ? [...state] : void state.push(input)),
      last: { f: 'read' },
    }
    everyRun(retrying, (history) => {
      expect(prefix(history).verdict).not.toBe('invalid')
    })
  })

  it('finds an element that is there more often than it was appended', () => {
    const twice = [append(1, 'info'), { ...append(1), process: 1 }]
    expect(prefix(sequence(...twice, read([1, 1], 2))).verdict).toBe('unknown')
    expect(types(prefix(sequence(...twice, read([1, 1, 1], 2))))).toEqual(['duplicated'])
  })
})
