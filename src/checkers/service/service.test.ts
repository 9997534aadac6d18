import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import { parseHistory } from '../../history/read.ts'
import { combine, perKey } from '../compose.ts'
import { availability } from './availability.ts'
import { fairness } from './fairness.ts'
import { sequence, types } from '../histories.test-support.ts'
import { latency } from './latency.ts'
import { rate } from './rate.ts'
import { counter } from '../objects/counter.ts'
import { queue } from '../objects/queue.ts'
import { setFull } from '../objects/set-full.ts'
import { set } from '../objects/set.ts'
import { stats } from './stats.ts'
import { unhandledExceptions } from './unhandled-exceptions.ts'
import { totalQueue } from '../objects/total-queue.ts'
import { uniqueIds } from '../objects/unique-ids.ts'

const op = (us: number, type: 'ok' | 'fail' | 'info' = 'ok', process = 0) => ({
  f: 'read',
  us,
  type,
  process,
})
const untimed = History.from([{ type: 'invoke', process: 0, f: 'read' }])

describe('latency', () => {
  it('measures ok operations, by function', () => {
    const result = latency(sequence(op(10), op(30), op(500, 'info'), { f: 'write', us: 100 }))
    expect(result.verdict).toBe('valid')
    expect(result.details.latencyUs).toEqual({ min: 10, p50: 30, p95: 100, p99: 100, max: 100 })
    expect(result.details.byFunction).toMatchObject([
      ['read', { max: 30 }],
      ['write', { max: 100 }],
    ])
  })

  it('finds what is slower than allowed', () => {
    const history = sequence(op(10), op(300))
    expect(types(latency(history, { maxP99Us: 200 }))).toEqual(['too-slow'])
    expect(types(latency(history, { maxUs: 299 }))).toEqual(['too-slow'])
    expect(latency(history, { maxP99Us: 300, maxP50Us: 300 }).verdict).toBe('valid')
  })

  it('is too weak without times', () => {
    expect(latency(untimed).reason).toContain('too weak for this checker because an operation has no time')
  })
})

describe('rate', () => {
  it('counts completions over time and finds too few', () => {
    const history = sequence(op(500_000), op(500_000, 'fail'), op(1_000_000))
    const result = rate(history)
    expect(result.details).toMatchObject({
      okPerSecond: 1,
      buckets: [
        [1, 0, 0],
        [0, 1, 0],
        [1, 0, 0],
      ],
    })
    expect(types(rate(history, { minPerSecond: 2 }))).toEqual(['too-few'])
    expect(rate(untimed).verdict).toBe('unknown')
  })
})

describe('availability', () => {
  it('finds too few answers', () => {
    const history = sequence(op(1), op(1), op(1), op(1, 'info'))
    expect(availability(history)).toMatchObject({ verdict: 'valid', details: { okShare: 0.75 } })
    expect(availability(history, { atLeast: 0.75 }).verdict).toBe('valid')
    expect(types(availability(history, { atLeast: 'total' }))).toEqual(['unavailable'])
  })

  it('looks at each fault epoch, and is too weak where they were not counted', () => {
    const good = Array.from({ length: 9 }, () => ({ ...op(1), faultEpoch: 0 }))
    const history = sequence(...good, { ...op(1, 'fail'), faultEpoch: 1 })
    expect(availability(history, { atLeast: 0.9 }).verdict).toBe('valid')
    const result = availability(history, { atLeast: 0.9, perFaultEpoch: true })
    expect(result.anomalies[0].message).toBe(
      'in fault epoch 1, 0 of 1 operations succeeded; at least 90 % must',
    )
    expect(availability(sequence(op(1)), { perFaultEpoch: true }).reason).toContain(
      'which faults came before it',
    )
  })
})

describe('fairness', () => {
  const history = sequence(
    op(10, 'ok', 1),
    op(10, 'ok', 1),
    op(10, 'ok', 1),
    op(100, 'ok', 2),
    op(10, 'fail', 2),
  )

  it.each([
    ['slow-group', { maxP99Ratio: 0.5 }],
    ['starved-group', { minOkPerSecond: 20_000 }],
    ['failing-group', { maxErrorShare: 0 }],
    ['uneven', { maxSpread: 0.5 }],
  ])('finds a %s', (type, options) => {
    expect(types(fairness(history, options))).toEqual([type])
  })

  it('measures evenness, and is valid within generous bounds', () => {
    const result = fairness(history, { maxP99Ratio: 2, minOkPerSecond: 1, maxErrorShare: 0.5, maxSpread: 2 })
    expect(result).toMatchObject({ verdict: 'valid', details: { groups: 2, jain: 16 / 20 } })
  })

  it('groups by node, key or anything else', () => {
    const nodes = sequence({ ...op(1), node: 'n1' }, { ...op(1), node: 'n2' })
    expect(fairness(nodes, { group: 'node' }).details.groups).toBe(2)
    expect(fairness(nodes, { group: ({ id }) => id % 2 }).details.groups).toBe(2)
    expect(fairness(nodes, { group: 'key' }).verdict).toBe('unknown')
  })
})

describe('stats', () => {
  it('finds a function that never succeeded, unless that is expected', () => {
    const history = sequence(op(1), { f: 'write', type: 'fail' })
    expect(types(stats(history))).toEqual(['never-succeeded'])
    expect(stats(history, { except: ['write'] }).verdict).toBe('valid')
  })
})

describe('unhandled exceptions', () => {
  it('are grouped by their kind', () => {
    const events = ['ECONNRESET', { code: 'ECONNRESET' }, ['net-timeout', 'no answer'], null].flatMap(
      (error, process) => [
        { type: 'invoke' as const, process, f: 'read' },
        { type: 'info' as const, process, f: 'read', error },
      ],
    )
    expect(unhandledExceptions(History.from(events)).details.exceptions).toEqual([
      { error: 'ECONNRESET', count: 2, example: 0 },
      { error: 'net-timeout', count: 1, example: 2 },
      { error: 'no error was recorded', count: 1, example: 3 },
    ])
  })
})

describe('composition', () => {
  const lost = sequence({ f: 'add', input: 1 }, { f: 'read', output: [] })

  it('takes the worst verdict, and puts what fails first', () => {
    const result = combine({ ids: uniqueIds, statistics: stats, elements: set })(lost)
    expect(result.verdict).toBe('invalid')
    expect(result.parts.map(({ checker, verdict }) => [checker, verdict])).toEqual([
      ['elements', 'invalid'],
      ['ids', 'unknown'],
      ['statistics', 'valid'],
    ])
    expect(types(result)).toEqual(['lost'])
    expect(combine({ ids: uniqueIds, statistics: stats })(lost)).toMatchObject({
      verdict: 'unknown',
      reason: 'ids: there was nothing to check',
    })
    expect(combine({ statistics: stats })(lost).verdict).toBe('valid')
  })

  it('asks per key', () => {
    const history = sequence(
      { f: 'add', key: 'a', input: 1 },
      { f: 'read', key: 'a', output: [1] },
      { f: 'add', key: 'b', input: 1 },
      { f: 'read', key: 'b', output: [] },
    )
    const result = perKey(set)(history)
    expect([result.verdict, result.checks, result.scope.operations]).toEqual(['invalid', 2, 4])
    expect(result.parts.map(({ details, verdict }) => [details.key, verdict])).toEqual([
      ['b', 'invalid'],
      ['a', 'valid'],
    ])
  })

  it('happens by itself where a history has several objects', () => {
    const add = (key: string, input: number) => ({ f: 'add', key, input })
    const read = (key: string, output: unknown) => ({ f: 'read', key, output })
    const history = (...values: unknown[]) =>
      sequence(add('a', 1), add('b', 2), { f: 'ping' }, read('a', values[0]), read('b', values[1]))
    for (const [check, good, bad] of [
      [set, [[1], [2]], [[1], [1]]],
      [setFull, [[1], [2]], [[1], []]],
      [counter, [1, 2], [1, 3]],
    ] as const) {
      expect(check(history(...good))).toMatchObject({ verdict: 'valid', scope: { operations: 4 } })
      expect(check(history(...bad)).parts.map(({ verdict, details }) => [details.key, verdict])).toEqual([
        ['b', 'invalid'],
        ['a', 'valid'],
      ])
    }
    const put = { f: 'enqueue', key: 'a', input: 1 }
    expect(queue(sequence(put, { f: 'dequeue', key: 'b', output: 1 })).verdict).toBe('invalid')
    expect(totalQueue(sequence(put, { f: 'drain', key: 'b', output: [1] })).verdict).toBe('invalid')
  })

  it('of nothing is unknown', () => {
    expect(combine({})(lost).verdict).toBe('unknown')
    expect(perKey(set)(parseHistory('')).verdict).toBe('unknown')
  })
})
