import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { History, type HistoryEvent } from '../../history/index.ts'
import { bruteForce } from './levels/brute-force.test-support.ts'
import { randomHistory } from './levels/random-histories.test-support.ts'
import { rwRegister, type RwRegisterOptions } from './rw-register.ts'
import { inTurn, schedule, together } from './text-histories.test-support.ts'

const runs = process.env['WAVETANK_FULL'] === '1' ? 20_000 : 300
/** For the full number of runs on a slow machine. */
vi.setConfig({ testTimeout: 600_000 })

const histories = fc
  .infiniteStream(fc.nat({ max: 0xffff }))
  .map((stream) =>
    randomHistory((limit) => stream.next().value! % limit, { writes: 'w', maxTransactions: 6 }),
  )

describe('rwRegister', () => {
  it('accepts a serial history', () => {
    expect(rwRegister(inTurn('wx1 wy1', 'rx1 ry1 wx2', 'rx2 ry1'), { wfrKeys: true }).verdict).toBe('valid')
  })

  describe('rejects, by inference,', () => {
    it.each<[string, string, History, RwRegisterOptions]>([
      [
        'writes in a cycle',
        'G0',
        inTurn('0: rx1', '0: rx2', '0: ry2', '0: ry1', '1: wx1 wy1', '2: wx2 wy2'),
        { sequentialKeys: true },
      ],
      ['an aborted read', 'G1a', together('0 fail: wx1', 'rx1'), {}],
      ['an intermediate read', 'G1b', together('wx1 wx2', 'rx1'), {}],
      ['a transaction that contradicts itself', 'internal', together('wx1 rx2', 'wx2'), {}],
      ['two updates of one version', 'lost-update', together('rx- wx1', 'rx- wx2'), {}],
      ['values that no transaction wrote', 'garbage-read', together('wx1', 'rx7', 'rx-'), {}],
      [
        'versions in a circle',
        'cyclic-versions',
        inTurn('0: rx1', '0: rx2', '0: rx1', '1: wx1', '2: wx2'),
        { sequentialKeys: true },
      ],
    ])('%s: %s', (_, type, history, options) => {
      const result = rwRegister(history, { ...options, search: false })
      expect(result.verdict).toBe('invalid')
      expect(result.details['anomalyTypes']).toContain(type)
      expect(result.details['decidedBy']).toBe('inference')
    })
  })

  it('takes each assumption about keys on its own', () => {
    // One transaction read 1 and then, later, another read 2; each read a y that belongs to the other.
    const history = inTurn('wx1 wy1', 'wx2 wy2', '3: rx1', '3: rx2', '4: ry2', '4: ry1')
    const verdict = (options: RwRegisterOptions) =>
      rwRegister(history, { ...options, consistencyModels: ['serializable'], search: false }).verdict
    expect(verdict({})).toBe('valid')
    expect(verdict({ sequentialKeys: true })).toBe('invalid')
    expect(verdict({ linearizableKeys: true })).toBe('invalid')
    const order = new Map([
      [0, 2],
      [1, 1],
    ])
    expect(rwRegister(inTurn('wx1', 'wx2', 'rx1'), { transactionOrder: order, search: false }).verdict).toBe(
      'invalid',
    )
  })

  it('decides by search where blind writes leave nothing to infer', () => {
    // Two transactions write x and y; one reader sees one order, another the other.
    const history = together('wx1 wy1', 'wx2 wy2', 'rx1 ry2', 'rx2 ry1')
    const inferred = rwRegister(history, { consistencyModels: ['serializable'], search: false })
    expect(inferred.verdict).toBe('valid')
    const decided = rwRegister(history, { consistencyModels: ['serializable'] })
    expect(decided.verdict).toBe('invalid')
    expect(decided.details['decidedBy']).toBe('search')
    expect(decided.details['not']).toEqual(['serializable'])
    expect(decided.method).toContain('search')
  })

  it('is valid when a value was written twice and either write explains the read', () => {
    expect(rwRegister(together('wx1', 'wx1', 'rx1')).verdict).toBe('valid')
  })

  it('does not take for valid what it did not search', () => {
    const value = (i: number) => [['w', i, 1]]
    const many = History.from(
      Array.from({ length: 100_001 }, (_, i) => i).flatMap((i): HistoryEvent[] => [
        { type: 'invoke', process: 0, f: 'txn', value: value(i) },
        { type: 'ok', process: 0, f: 'txn', value: value(i) },
      ]),
    )
    const { verdict, reason } = rwRegister(many)
    expect(verdict).toBe('unknown')
    expect(reason).toContain('more than 100000 transactions are not searched unless asked')
    const assumed = rwRegister(many, { search: false })
    expect(assumed.verdict).toBe('valid')
    expect(assumed.assumptions).toEqual([
      'what cannot be inferred about the order of versions was not searched',
    ])
    expect(rwRegister(many, { search: true })).toMatchObject({ verdict: 'valid', assumptions: [] })
  })

  it('takes two updates of what may be two versions for no lost update', () => {
    // The second, the first, the third: the first read the null that the second wrote.
    const texts = { a: 'rx- wx1', b: 'rx- wx-', c: 'wx-' }
    expect(rwRegister(schedule('+a +b -a -b +c -c', texts))).toMatchObject({
      verdict: 'unknown',
      anomalies: [],
    })
  })

  it('is unknown when a value was written twice and the likely writer explains nothing', () => {
    const result = rwRegister(inTurn('wx1', 'wx2', 'wx1', 'wx3', 'rx1'))
    expect([result.verdict, result.reason]).toEqual([
      'unknown',
      expect.stringContaining('written more than once'),
    ])
  })

  it.each<[string, 'serializable' | 'snapshot-isolation' | 'strict-serializable', RwRegisterOptions]>([
    ['serializable', 'serializable', { wfrKeys: true }],
    ['snapshot-isolation', 'snapshot-isolation', { wfrKeys: true }],
    ['strict-serializable', 'strict-serializable', { wfrKeys: true, linearizableKeys: true }],
  ])('never infers a violation where the history satisfies %s by definition', (_, level, options) => {
    let invalid = 0
    fc.assert(
      fc.property(histories, (history) => {
        const { verdict } = rwRegister(history, { ...options, consistencyModels: [level], search: false })
        if (verdict !== 'invalid') return
        invalid++
        expect(bruteForce(history, level, { sessions: false })).toBe(false)
      }),
      { numRuns: runs, seed: 17 },
    )
    expect(invalid).toBeGreaterThan(runs / 40)
  })

  it.each(['serializable', 'snapshot-isolation', 'strict-serializable'] as const)(
    'with search says exactly what brute force says about %s',
    (level) => {
      fc.assert(
        fc.property(histories, (history) => {
          const { verdict } = rwRegister(history, { consistencyModels: [level] })
          const expected = bruteForce(history, level, { sessions: false }) ? 'valid' : 'invalid'
          expect([expected, 'unknown']).toContain(verdict)
        }),
        { numRuns: runs, seed: 18 },
      )
    },
  )

  it('throws on nothing', () => {
    const junk = fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 3 })
    const micro = fc.oneof(
      junk,
      fc.tuple(fc.constantFrom('w', 'r', 'append'), fc.oneof(junk, fc.nat(3)), fc.oneof(junk, fc.nat(5))),
    )
    const event = fc.record({
      type: fc.constantFrom('invoke' as const, 'ok' as const, 'fail' as const, 'info' as const),
      process: fc.nat(2),
      f: fc.constantFrom('txn', '', 'other'),
      value: fc.oneof(junk, fc.array(micro, { maxLength: 4 })),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), fc.boolean(), (events, assume) => {
        const options = { wfrKeys: assume, sequentialKeys: assume, linearizableKeys: assume }
        expect(['valid', 'invalid', 'unknown']).toContain(rwRegister(History.from(events), options).verdict)
      }),
      { numRuns: runs, seed: 19 },
    )
  })
})
