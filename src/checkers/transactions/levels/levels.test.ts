import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { History } from '../../../history/index.ts'
import type { CheckResult } from '../../result.ts'
import { bruteForce, type BruteLevel } from './brute-force.test-support.ts'
import {
  causal,
  prefixConsistent,
  readAtomic,
  readCommitted,
  itemCutIsolation,
  serializable,
  snapshotIsolation,
} from './index.ts'
import { randomHistory } from './random-histories.test-support.ts'

const runs = process.env['WAVETANK_FULL'] === '1' ? 20_000 : 300
/** For the full number of runs on a slow machine. */
vi.setConfig({ testTimeout: 600_000 })

/** Histories of at most `maxTransactions`. */
function histories(maxTransactions: number, nthValue?: (n: number) => unknown): fc.Arbitrary<History> {
  const options = { writes: 'w', maxTransactions, ...(nthValue && { nthValue }) } as const
  return fc
    .infiniteStream(fc.nat({ max: 0xffff }))
    .map((stream) => randomHistory((limit) => stream.next().value! % limit, options))
}

const LEVELS: Readonly<Record<BruteLevel, (history: History) => { verdict: string }>> = {
  'read-committed': readCommitted,
  'read-atomic': readAtomic,
  causal,
  prefix: prefixConsistent,
  'snapshot-isolation': snapshotIsolation,
  serializable,
  'strict-serializable': (history) => serializable(history, { realTime: true }),
}

type Body = readonly (readonly [string, string, number | null])[]

/** Sessions of committed transactions, written as `wx1 ry2 rz-` (a dash is nothing). */
function sessions(...texts: readonly (readonly string[])[]): History {
  return History.from(
    texts.flatMap((texts, process) =>
      texts.flatMap((text) => {
        const value: Body = text
          .split(' ')
          .map((part) => [part[0], part[1], part[2] === '-' ? null : Number(part.slice(2))])
        return [
          { type: 'invoke' as const, process, f: 'txn', value },
          { type: 'ok' as const, process, f: 'txn', value },
        ]
      }),
    ),
  )
}

describe('isolation levels', () => {
  it.each(Object.keys(LEVELS) as BruteLevel[])(
    '%s is what the brute force says, on random histories with unknown and failed transactions',
    (level) => {
      const seen = { valid: 0, invalid: 0, unknown: 0 }
      fc.assert(
        fc.property(histories(6), (history) => {
          const { verdict } = LEVELS[level](history)
          seen[verdict as keyof typeof seen]++
          if (verdict === 'unknown') return
          expect(verdict).toBe(bruteForce(history, level) ? 'valid' : 'invalid')
        }),
        { numRuns: runs, seed: 4 },
      )
      // Both answers were asked for, often.
      expect(seen.valid).toBeGreaterThan(runs / 20)
      expect(seen.invalid).toBeGreaterThan(runs / 20)
      expect(seen.unknown).toBeLessThan(runs / 5)
    },
  )

  it.each(Object.keys(LEVELS) as BruteLevel[])(
    '%s is right wherever it is sure, where values are written again and null is one of them',
    (level) => {
      const seen = { valid: 0, invalid: 0, unknown: 0 }
      const repeated = histories(5, (n) => [1, null, '1', 2, 3][n % 5])
      fc.assert(
        fc.property(repeated, (history) => {
          const { verdict } = LEVELS[level](history)
          seen[verdict as keyof typeof seen]++
          if (verdict === 'unknown') return
          expect(verdict).toBe(bruteForce(history, level) ? 'valid' : 'invalid')
        }),
        { numRuns: runs, seed: 7 },
      )
      expect(seen.valid).toBeGreaterThan(runs / 5)
      expect(seen.invalid).toBeGreaterThan(0)
    },
  )

  it('throw on nothing', () => {
    const junk = fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 2 })
    const micro = fc.oneof(junk, fc.tuple(fc.constantFrom('w', 'r'), fc.nat(2), fc.oneof(junk, fc.nat(4))))
    const event = fc.record({
      type: fc.constantFrom('invoke' as const, 'ok' as const, 'fail' as const, 'info' as const),
      process: fc.oneof(fc.nat(2), fc.constant(null)),
      f: fc.constantFrom('txn', ''),
      value: fc.oneof(junk, fc.array(micro, { maxLength: 4 })),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 14 }), (events) => {
        const history = History.from(events)
        for (const check of Object.values(LEVELS)) {
          expect(['valid', 'invalid', 'unknown']).toContain(check(history).verdict)
        }
      }),
      { numRuns: runs, seed: 6 },
    )
  })

  it('get weaker from serializability to read committed', () => {
    const order = [
      serializable,
      snapshotIsolation,
      prefixConsistent,
      causal,
      readAtomic,
      itemCutIsolation,
      readCommitted,
    ]
    fc.assert(
      fc.property(histories(12), (history) => {
        const verdicts = order.map((check) => check(history).verdict)
        expect(verdicts.lastIndexOf('invalid')).toBeLessThanOrEqual(
          verdicts.includes('valid') ? verdicts.indexOf('valid') : verdicts.length,
        )
      }),
      { numRuns: runs, seed: 5 },
    )
  })

  it('name what is wrong: write skew is no serializable history, but has snapshot isolation', () => {
    const history = sessions(['wx1 wy1'], ['rx1 wy2'], ['ry1 wx2'])
    expect(snapshotIsolation(history).verdict).toBe('valid')
    const result = serializable(history)
    expect(result.verdict).toBe('invalid')
    expect(result.method).toContain('order')
    expect(result.anomalies[0].type).toBe('serializable-violation')
  })

  it('reject a lost update under snapshot isolation, and allow it under prefix consistency', () => {
    const history = sessions(['wx1'], ['rx1 wx2'], ['rx1 wx3'])
    expect(snapshotIsolation(history).verdict).toBe('invalid')
    expect(prefixConsistent(history).verdict).toBe('valid')
  })

  it('reject two observers who disagree on the order of writes under prefix consistency, not under causal', () => {
    const history = sessions(['wx1'], ['wy1'], ['rx1 ry-'], ['ry1 rx-'])
    expect(prefixConsistent(history).verdict).toBe('invalid')
    expect(causal(history).verdict).toBe('valid')
  })

  it('reject a read that misses the cause of what it saw under causal consistency, not under read atomic', () => {
    const history = sessions(['wx1'], ['rx1 wy1'], ['ry1', 'rx-'])
    expect(causal(history).verdict).toBe('invalid')
    expect(causal(history).anomalies[0].type).toBe('stale-read')
    expect(readAtomic(history).verdict).toBe('valid')
  })

  it('reject a fractured read under read atomic, not under repeatable read', () => {
    const history = sessions(['wx1 wy1'], ['rx- ry1'])
    expect(readAtomic(history).verdict).toBe('invalid')
    expect(itemCutIsolation(history).verdict).toBe('valid')
  })

  it('reject a read that changes under repeatable read, not under read committed', () => {
    const history = sessions(['wx1'], ['wx2'], ['rx1 rx2'])
    expect(itemCutIsolation(history).verdict).toBe('invalid')
    expect(readCommitted(history).verdict).toBe('valid')
  })

  it('reject a cycle of reads at every level, with the cycle', () => {
    const history = sessions(['wx1 ry1'], ['rx1 wy1'])
    const result = readCommitted(history)
    expect(result.verdict).toBe('invalid')
    expect(result.anomalies[0].operations).toEqual([0, 1])
    expect(result.anomalies[0].message).toMatch(
      /T1 < T2, because .* However, T2 < T1, because .*: a contradiction/,
    )
  })

  it.each<[string, History, (history: History) => CheckResult]>([
    ['read-committed', sessions(['wx1 ry1'], ['rx1 wy1']), readCommitted],
    ['item-cut-isolation', sessions(['wx1'], ['wx2'], ['rx1 rx2']), itemCutIsolation],
    ['read-atomic', sessions(['wx1 wy1'], ['wx2 wy2'], ['rx1 ry2'], ['rx2 ry1']), readAtomic],
    ['causal', sessions(['wx1', 'wx2'], ['rx2', 'rx1']), causal],
    ['prefix', sessions(['wx1'], ['wy1'], ['rx1 ry-'], ['ry1 rx-']), prefixConsistent],
    ['snapshot-isolation', sessions(['wx1'], ['rx1 wx2'], ['rx1 wx3']), snapshotIsolation],
    ['serializable', sessions(['wx1 wy1'], ['rx1 wy2'], ['ry1 wx2']), serializable],
    ['strong-prefix', sessions(['wx1'], ['rx-']), (h) => prefixConsistent(h, { realTime: true })],
    [
      'strong-snapshot-isolation',
      sessions(['wx1'], ['rx-']),
      (h) => snapshotIsolation(h, { realTime: true }),
    ],
    ['strict-serializable', sessions(['wx1'], ['rx-']), (h) => serializable(h, { realTime: true })],
  ])('%s-violation is reported, with operations that prove it', (level, history, check) => {
    const [anomaly] = check(history).anomalies
    expect(anomaly.type).toBe(`${level}-violation`)
    expect(anomaly.operations.length).toBeGreaterThan(1)
  })

  it.each([
    ['garbage', 'garbage-read', ['rx7 ry-', 'rx-']],
    ['its own later write', 'future-read', ['rx1 wx1']],
    ['something else than it just wrote', 'internal', ['wx1 rx-']],
  ])('reject a read of %s', (_, type, texts) => {
    const result = readCommitted(sessions(texts))
    expect(result.verdict).toBe('invalid')
    expect(result.anomalies.map((anomaly) => anomaly.type)).toContain(type)
  })

  it('reject a read of what a failed transaction wrote', () => {
    const history = History.from([
      { type: 'invoke', process: 0, f: 'txn', value: [['w', 'x', 1]] },
      { type: 'fail', process: 0, f: 'txn', value: null },
      { type: 'invoke', process: 1, f: 'txn', value: [['r', 'x', null]] },
      { type: 'ok', process: 1, f: 'txn', value: [['r', 'x', 1]] },
    ])
    expect(readCommitted(history).anomalies.map(({ type }) => type)).toEqual(['G1a'])
  })

  it('show for two writers that can be in no order why neither can come first', () => {
    const result = snapshotIsolation(sessions(['wx1'], ['rx1 wx2'], ['rx1 wx3']))
    expect(result.anomalies[0].message).toBe(
      'Operations 1 and 2 both wrote key "x". ' +
        'If 1 came first, then 1 < 2, because 2\'s write of key "x" must come after 1\'s, and 2 < 1, because 2 read key "x" before 1\'s write of it: a contradiction. ' +
        'If 2 came first, then 2 < 1, because 1\'s write of key "x" must come after 2\'s, and 1 < 2, because 1 read key "x" before 2\'s write of it: a contradiction.',
    )
  })

  it('take an unknown transaction for committed once a transaction read from it', () => {
    const unknown = (read: number | null): History =>
      History.from([
        {
          type: 'invoke',
          process: 0,
          f: 'txn',
          value: [
            ['w', 'x', 1],
            ['w', 'y', 1],
          ],
        },
        { type: 'info', process: 0, f: 'txn', value: null },
        {
          type: 'invoke',
          process: 1,
          f: 'txn',
          value: [
            ['r', 'x', null],
            ['r', 'y', null],
          ],
        },
        {
          type: 'ok',
          process: 1,
          f: 'txn',
          value: [
            ['r', 'x', 1],
            ['r', 'y', read],
          ],
        },
      ])
    expect(serializable(unknown(1)).verdict).toBe('valid')
    expect(serializable(unknown(null)).verdict).toBe('invalid')
  })

  it('know no session order between transactions of clients without a name', () => {
    const history = (process: number | null) =>
      History.from(
        [
          ['w', 'x', 1],
          ['r', 'x', null],
        ].flatMap((micro) => [
          { type: 'invoke' as const, process, f: 'txn', value: [micro] },
          { type: 'ok' as const, process, f: 'txn', value: [micro] },
        ]),
      )
    expect(serializable(history(1)).verdict).toBe('invalid')
    expect(serializable(history(null)).verdict).toBe('valid')
    expect([causal(history(1)).verdict, causal(history(null)).verdict]).toEqual(['invalid', 'valid'])
  })

  it('are valid where a value was written twice and one guess of what was read explains it', () => {
    expect(serializable(sessions(['wx1'], ['wx1'], ['rx1'])).verdict).toBe('valid')
  })

  it('are unknown where a value was written twice and no guess of what was read explains it', () => {
    const result = serializable(sessions(['wx1', 'wx2', 'wx1', 'rx2'], ['rx1']))
    expect([result.verdict, result.reason]).toEqual(['invalid', null])
    const open = serializable(sessions(['wx1', 'wx2'], ['wx1 wy1', 'ry1 rx2'], ['rx2', 'rx1']))
    expect(open.verdict).not.toBe('invalid')
  })

  it('are unknown, not wrong, when the search may not go on', () => {
    const history = sessions(['wx1 wy1'], ['wx2 wy2'], ['wx3 wy3'])
    expect(serializable(history).verdict).toBe('valid')
    const result = serializable(history, { timeoutWallMs: 1e-6 })
    expect(result.verdict).toBe('unknown')
    expect(result.reason).toContain('the time limit of 0.000001 ms was reached')
  })
})
