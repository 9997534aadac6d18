import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { History, type HistoryEvent } from '../../history/index.ts'
import { listAppend } from './list-append.ts'
import { bruteForce } from './levels/brute-force.test-support.ts'
import { randomHistory } from './levels/random-histories.test-support.ts'
import { inTurn, together } from './text-histories.test-support.ts'

const runs = process.env['WAVETANK_FULL'] === '1' ? 20_000 : 300
/** For the full number of runs on a slow machine. */
vi.setConfig({ testTimeout: 600_000 })

const histories = fc
  .infiniteStream(fc.nat({ max: 0xffff }))
  .map((stream) =>
    randomHistory((limit) => stream.next().value! % limit, { writes: 'append', maxTransactions: 6 }),
  )

describe('listAppend', () => {
  it('accepts a serial history', () => {
    const result = listAppend(inTurn('ax1 ay1', 'rx1 ry1 ax2', 'rx1.2 ry1'))
    expect(result.verdict).toBe('valid')
    expect(result.anomalies).toEqual([])
    expect(result.method).toContain('version orders from reads')
  })

  describe('rejects, among concurrent transactions,', () => {
    it.each<[string, string, readonly string[]]>([
      ['an aborted read', 'G1a', ['0 fail: ax1', 'rx1']],
      ['an intermediate read', 'G1b', ['ax1 ax2', 'rx1']],
      ['a transaction that does not see its own append', 'internal', ['ax1 rx-', 'rx1']],
      ['a transaction that reads a key twice, differently', 'internal', ['ax1', 'rx- rx1']],
      ['a read of what the transaction appends later', 'future-read', ['rx1 ax1', 'ay1']],
      ['reads that contradict each other', 'incompatible-order', ['ax1', 'ax2', 'rx1.2', 'rx2.1']],
      ['an element that is there twice', 'duplicate-elements', ['ax1', 'rx1.1']],
      ['an append on top of an aborted one', 'dirty-update', ['0 fail: ax1', 'ax2', 'rx1.2']],
      ['two updates of the same version', 'lost-update', ['rx- ax1', 'rx- ax2']],
      ['an element that no transaction appended', 'garbage-read', ['ax1', 'rx1.9']],
    ])('%s: %s', (_, type, texts) => {
      const result = listAppend(together(...texts))
      expect(result.verdict).toBe('invalid')
      expect(result.details['anomalyTypes']).toContain(type)
      expect(result.anomalies.find((anomaly) => anomaly.type === type)?.operations.length).toBeGreaterThan(0)
    })
  })

  it('counts real time where the model does, and only where there is some', () => {
    expect(listAppend(inTurn('ax1', 'rx-')).verdict).toBe('invalid')
    expect(listAppend(inTurn('ax1', 'rx-'), { consistencyModels: ['serializable'] }).verdict).toBe('valid')
    expect(listAppend(together('ax1', 'rx-')).verdict).toBe('valid')
  })

  it('explains a cycle in words', () => {
    const { anomalies } = listAppend(together('ax1 ry1', 'ay1 rx1'))
    expect(anomalies[0].message).toBe(
      'Let T1 = operation 0, T2 = operation 1. T1 < T2, because T2 read T1\'s append of 1 to key "x". ' +
        'However, T2 < T1, because T1 read T2\'s append of 1 to key "y": a contradiction.',
    )
  })

  it('reports the shortest cycle', () => {
    const { anomalies } = listAppend(together('ax1 ry1', 'ay1 rx1', 'rx1 az1', 'rz1 ay2', 'ry1.2'))
    const cycle = anomalies.find(({ type }) => type === 'G1c')
    expect(cycle?.operations).toHaveLength(2)
  })

  it('takes no two reads for equal whose results the history lacks', () => {
    const invoked = [1, 2].map((process): HistoryEvent => {
      const value = [
        ['r', 'x', null],
        ['append', 'x', process],
      ]
      return { type: 'invoke', process, f: 'txn', value }
    })
    const done = [1, 2].map((process): HistoryEvent => ({ type: 'ok', process, f: 'txn', value: null }))
    expect(listAppend(History.from([...invoked, ...done])).anomalies).toEqual([])
  })

  it('lets a model allow what it allows', () => {
    const skew = together('rx- ay1', 'ry- ax1')
    expect(listAppend(skew, { consistencyModels: ['snapshot-isolation'] }).verdict).toBe('valid')
    expect(listAppend(skew, { consistencyModels: ['serializable'] }).details['not']).toEqual([
      'repeatable-read',
    ])
  })

  it('counts an unknown transaction once its append was read', () => {
    expect(listAppend(together('0 info: ax1 ay1', 'rx1 ry-')).verdict).toBe('invalid')
    expect(listAppend(together('0 info: ax1 ay1', 'rx- ry-')).verdict).toBe('valid')
  })

  it('is unknown when an element was appended twice, or nothing can be inferred', () => {
    const twice = listAppend(together('ax1', 'ax1', 'rx1'))
    expect([twice.verdict, twice.reason]).toEqual(['unknown', expect.stringContaining('a second time')])
    expect(listAppend(together('ax1'))).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('no dependency') as string,
      details: { anomalyTypes: ['empty-transaction-graph'] },
    })
    expect(listAppend(History.from([])).verdict).toBe('unknown')
  })

  it('is unknown, with what is broken, when the search may not go on', () => {
    const result = listAppend(together('ax1 ay1', 'rx- ry1'), { searchBudget: 0 })
    expect(result.verdict).toBe('invalid')
    expect(result.details['anomalyTypes']).toEqual([
      'PL-2.99-cycle-exists',
      'PL-SI-cycle-exists',
      'cycle-search-timeout',
    ])
  })

  it('says that a history without real time is too weak for a model that needs it', () => {
    const history = inTurn('ax1', 'rx1')
    Object.defineProperty(history, 'realTime', { value: false })
    expect(listAppend(history).reason).toContain('too weak for strict-serializable')
  })

  it('joins many readers and many blind appends without a quadratic graph', () => {
    const texts = Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? 'rx-' : `ax${i}`))
    const result = listAppend(together(...texts, 'ax9001 ry1', 'rx- ay1'))
    expect(result.verdict).toBe('valid')
    expect(result.details['dependencies']).toBeLessThan(100_000)
    const cyclic = listAppend(together(...texts, 'ax9001 az1', 'rx- rz1'))
    expect(cyclic.details['anomalyTypes']).toEqual(['G-single-item'])
  })

  it.each(['serializable', 'snapshot-isolation', 'strict-serializable'] as const)(
    'never calls a history invalid that satisfies %s by definition',
    (level) => {
      let invalid = 0
      fc.assert(
        fc.property(histories, (history) => {
          if (listAppend(history, { consistencyModels: [level] }).verdict !== 'invalid') return
          invalid++
          expect(bruteForce(history, level, { sessions: false })).toBe(false)
        }),
        { numRuns: runs, seed: 7 },
      )
      expect(invalid).toBeGreaterThan(runs / 20)
    },
  )

  it('finds most of what brute force finds', () => {
    let missed = 0
    let wrong = 0
    fc.assert(
      fc.property(histories, (history) => {
        if (bruteForce(history, 'serializable', { sessions: false })) return
        wrong++
        if (listAppend(history, { consistencyModels: ['serializable'] }).verdict === 'valid') missed++
      }),
      { numRuns: runs, seed: 8 },
    )
    expect(wrong).toBeGreaterThan(runs / 20)
    expect(missed / wrong).toBeLessThan(0.05)
  })

  it('throws on nothing', () => {
    const junk = fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 3 })
    const micro = fc.oneof(
      junk,
      fc.tuple(
        fc.constantFrom('append', 'r', 'w', '__proto__'),
        fc.oneof(junk, fc.nat(3)),
        fc.oneof(junk, fc.array(fc.nat(3))),
      ),
    )
    const event = fc.record({
      type: fc.constantFrom('invoke' as const, 'ok' as const, 'fail' as const, 'info' as const),
      process: fc.nat(2),
      f: fc.constantFrom('txn', '', 'other'),
      value: fc.oneof(junk, fc.array(micro, { maxLength: 4 })),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        expect(['valid', 'invalid', 'unknown']).toContain(listAppend(History.from(events)).verdict)
      }),
      { numRuns: runs, seed: 9 },
    )
  })
})
