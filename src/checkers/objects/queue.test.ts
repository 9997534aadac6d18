import { describe, expect, it } from 'vitest'
import { everyRun, sequence, together, types, type CorrectObject } from '../histories.test-support.ts'
import { queue } from './queue.ts'
import { totalQueue } from './total-queue.ts'

const put = (input: unknown, type?: 'ok' | 'fail' | 'info') => ({
  f: 'enqueue',
  input,
  ...(type ? { type } : {}),
})
const take = (output: unknown, type?: 'ok' | 'info') => ({ f: 'dequeue', output, ...(type ? { type } : {}) })
const drain = (output: unknown) => ({ f: 'drain', output })

const correctQueue: CorrectObject<number[]> = {
  init: () => [],
  ask: (draw, serial) => (draw % 2 === 0 ? { f: 'enqueue', input: serial % 20 } : { f: 'dequeue' }),
  apply(state, f, input) {
    if (f === 'enqueue') state.push(input as number)
    if (f === 'dequeue') return state.shift() ?? null
    return f === 'drain' ? state.splice(0) : null
  },
  last: { f: 'drain' },
}

describe('queue', () => {
  it.each([
    ['unexpected', sequence(take(1))],
    ['unexpected', sequence(take(1), put(1))],
    ['duplicated', sequence(put(1), take(1), take(1))],
    ['failed-but-dequeued', sequence(put(1, 'fail'), take(1))],
  ])('finds %s', (type, history) => {
    const result = queue(history)
    expect([result.verdict, types(result)]).toEqual(['invalid', [type]])
  })

  it('lets a dequeue take what is being enqueued, or may have been', () => {
    expect(queue(together(put(1), take(1))).verdict).toBe('valid')
    expect(queue(sequence(put(1, 'info'), take(1))).verdict).toBe('valid')
  })

  it('is unknown where nothing can have been put in, and takes what may be inside for right, as Jepsen does', () => {
    expect(queue(sequence(put(2, 'fail'), take(null, 'info'))).verdict).toBe('unknown')
    expect(queue(sequence(put(1, 'info'))).verdict).toBe('valid')
  })

  it('never calls a correct queue invalid', () => {
    everyRun(correctQueue, (history) => expect(queue(history).anomalies).toEqual([]))
  })
})

describe('total-queue', () => {
  it('is valid when everything came out once', () => {
    expect(totalQueue(sequence(put(1), put(2), take(1), drain([2]))).verdict).toBe('valid')
  })

  it.each([
    ['lost', sequence(put(1), drain([]))],
    ['unexpected', sequence(put(1), drain([1, 2]))],
    ['unexpected', sequence(take(1), put(1))],
    ['unexpected', sequence(put(1), take(1), take(1), put(1))],
    ['duplicated', sequence(put(1), take(1), drain([1]))],
    ['failed-but-dequeued', sequence(put(1, 'fail'), put(2), drain([1, 2]))],
  ])('finds %s', (type, history) => {
    const result = totalQueue(history)
    expect([result.verdict, types(result)]).toEqual(['invalid', [type]])
  })

  it('lets what is being enqueued come out, and is unknown where nothing succeeded', () => {
    expect(totalQueue(together(put(1), take(1))).verdict).toBe('valid')
    expect(totalQueue(sequence(put(1, 'fail'), put(2, 'info'))).verdict).toBe('unknown')
  })

  it('does not know what a dequeue of null found where null was enqueued', () => {
    expect(totalQueue(sequence(put(null), put(1), take(null), take(1))).verdict).toBe('unknown')
    expect(totalQueue(sequence(put(null, 'info'), put(1), take(null))).verdict).toBe('unknown')
    expect(types(totalQueue(sequence(put(null), put(1), put(2), take(null), drain([null]))))).toEqual([
      'lost',
    ])
    expect(totalQueue(sequence(put(null), put(1), drain([1, null]))).verdict).toBe('valid')
    expect(types(totalQueue(sequence(put(null, 'fail'), put(1), take(null))))).toEqual(['lost'])
  })

  it('does not miss what was put in after the queue was last emptied', () => {
    expect(totalQueue(sequence(put(1), take(1), put(2)))).toMatchObject({
      verdict: 'unknown',
      reason: '1 acknowledged element had not come out when the history ended; drain the queue',
    })
    expect(types(totalQueue(sequence(put(1), take(null), put(2))))).toEqual(['lost'])
  })

  it('blames a dequeue of unknown outcome for as many elements as it can have taken, and no more', () => {
    expect(totalQueue(sequence(put(1), take(null, 'info'), drain([])))).toMatchObject({
      verdict: 'unknown',
      reason: '1 acknowledged element never came out, but dequeues of unknown outcome may have taken it',
    })
    const two = totalQueue(sequence(put(1), put(2), take(null, 'info'), drain([])))
    expect([two.verdict, two.details.certainlyLost]).toEqual(['invalid', 1])
  })

  it('never calls a correct queue invalid', () => {
    everyRun(correctQueue, (history) => expect(totalQueue(history).anomalies).toEqual([]))
  })
})
