import { describe, expect, it } from 'vitest'
import { History, type HistoryEvent } from '../../../history/index.ts'
import { dirtyUpdate, internalConsistency, lostUpdate } from '../single-anomaly.ts'
import { inTurn, together } from '../text-histories.test-support.ts'
import { bank } from './bank.ts'
import { causalReverse } from './causal-reverse.ts'
import { longFork } from './long-fork.ts'
import { writeSkew } from './write-skew.ts'

const done = (f: string, value: unknown, output: unknown = value): HistoryEvent[] => [
  { type: 'invoke', process: 0, f, value },
  { type: 'ok', process: 0, f, value: output },
]
const types = ({ anomalies }: { anomalies: readonly { type: string }[] }): string[] =>
  anomalies.map(({ type }) => type)

describe('bank', () => {
  const reads = (...balances: readonly unknown[]) =>
    History.from(balances.flatMap((each) => done('read', null, each)))

  it('accepts reads of one total', () => {
    expect(bank(reads({ a: 10, b: 0 }, { a: 7, b: 3 })).verdict).toBe('valid')
  })

  it.each([
    ['wrong-total', { a: 10, b: 1 }],
    ['negative-balance', { a: 11, b: -1 }],
    ['no-balance', { a: 10, b: null }],
    ['unexpected-account', { a: 10, b: 0, c: 0 }],
    ['missing-account', { a: 10 }],
  ])('rejects %s', (type, read) => {
    expect(types(bank(reads({ a: 10, b: 0 }, read)))).toEqual([type])
  })

  it('lets negative balances be allowed, and the total be said', () => {
    expect(bank(reads({ a: 11, b: -1 }), { negativeBalances: true }).verdict).toBe('valid')
    expect(types(bank(reads({ a: 11 }), { total: 10 }))).toEqual(['wrong-total'])
  })

  it('compares totals exactly where balances are integers, and within their rounding where they are not', () => {
    const big = 2n ** 53n
    expect(bank(reads({ a: big + 1n, b: 1 }, { a: big, b: 2 })).verdict).toBe('valid')
    expect(types(bank(reads({ a: big + 1n, b: 1 }, { a: big, b: 1 })))).toEqual(['wrong-total'])
    expect(bank(reads({ a: 0.1, b: 0.2, c: 0.3 }, { a: 0.3, b: 0.2, c: 0.1 })).verdict).toBe('valid')
    expect(types(bank(reads({ a: 0.1, b: 0.2 }, { a: 0.1, b: 0.21 })))).toEqual(['wrong-total'])
  })

  it('is unknown without reads', () => {
    expect(bank(History.from([])).verdict).toBe('unknown')
  })
})

describe('longFork', () => {
  const reads = (...groups: readonly (readonly (number | null)[])[]) =>
    History.from(
      groups.flatMap((group) =>
        done(
          'read',
          null,
          group.map((value, key) => ['r', key, value]),
        ),
      ),
    )

  it('accepts reads that see more and more', () => {
    expect(longFork(reads([null, null], [1, null], [1, 1])).verdict).toBe('valid')
  })

  it('rejects two reads of which each saw what the other did not', () => {
    expect(types(longFork(reads([1, null, 1], [1, 1, null], [1, 1, 1])))).toEqual(['long-fork'])
  })

  it('rejects two values of a key that is written once', () => {
    expect(types(longFork(reads([1, null], [2, 1])))).toEqual(['two-values'])
  })

  it('is unknown when all reads are early or late', () => {
    expect(longFork(reads([null, null], [1, 1])).verdict).toBe('unknown')
  })
})

describe('causalReverse', () => {
  const write = (value: number) => done('write', value)
  const read = (...values: readonly number[]) => done('read', null, values)

  it('accepts reads of a prefix', () => {
    expect(causalReverse(History.from([...write(1), ...write(2), ...read(1), ...read(1, 2)])).verdict).toBe(
      'valid',
    )
  })

  it('rejects a write without the one acknowledged before it', () => {
    const result = causalReverse(History.from([...write(1), ...write(2), ...read(2)]))
    expect(types(result)).toEqual(['causal-reverse'])
    expect(result.anomalies[0].details).toEqual({ missing: [1] })
  })

  it('takes the first write of a value that was written again', () => {
    const at = (
      type: 'invoke' | 'ok' | 'info',
      process: number,
      f: string,
      value: unknown,
    ): HistoryEvent => ({
      type,
      process,
      f,
      value,
    })
    const retried = [
      at('invoke', 9, 'read', null),
      at('invoke', 0, 'write', 1),
      at('info', 0, 'write', 1),
      ...write(2),
      ...write(1),
      at('ok', 9, 'read', [1]),
    ]
    expect(causalReverse(History.from(retried)).verdict).toBe('valid')
    expect(types(causalReverse(History.from([...write(2), ...retried])))).toEqual(['causal-reverse'])
  })

  it('looks at each key alone where reads are of keys', () => {
    const of = (key: string, events: readonly HistoryEvent[]) => events.map((event) => ({ ...event, key }))
    const good = [...of('x', write(1)), ...of('y', write(2)), ...of('y', read(2)), ...of('x', read(1))]
    expect(causalReverse(History.from(good)).verdict).toBe('valid')
    const bad = [...good, ...of('x', write(3)), ...of('x', read(3))]
    expect(types(causalReverse(History.from(bad)))).toEqual(['causal-reverse'])
  })
})

describe('writeSkew', () => {
  const insert = (key: number, row: string, type: 'ok' | 'fail' | 'info'): HistoryEvent[] => [
    { type: 'invoke', process: 0, f: 'insert', value: [key, row] },
    { type, process: 0, f: 'insert', value: [key, row] },
  ]

  it('accepts one insert a key', () => {
    const history = History.from([
      ...insert(1, 'a', 'ok'),
      ...insert(1, 'b', 'fail'),
      ...insert(2, 'a', 'info'),
    ])
    expect(writeSkew(history).verdict).toBe('valid')
  })

  it('rejects two', () => {
    expect(types(writeSkew(History.from([...insert(1, 'a', 'ok'), ...insert(1, 'b', 'ok')])))).toEqual(['G2'])
  })
})

describe('single anomalies', () => {
  it('internalConsistency rejects a transaction that contradicts itself, and nothing else', () => {
    expect(types(internalConsistency(together('wx1 rx2', 'wx2')))).toEqual(['internal'])
    expect(internalConsistency(inTurn('ax1', 'rx-')).verdict).toBe('valid')
  })

  it('dirtyUpdate rejects an append on top of an aborted one, and nothing else', () => {
    expect(types(dirtyUpdate(together('0 fail: ax1', 'ax2', 'rx1.2')))).toEqual(['dirty-update'])
    expect(dirtyUpdate(inTurn('ax1', 'rx-')).verdict).toBe('valid')
  })

  it('lostUpdate rejects two updates of one version, and nothing else', () => {
    expect(types(lostUpdate(together('rx- wx1', 'rx- wx2')))).toEqual(['lost-update'])
    expect(lostUpdate(inTurn('wx1', 'rx-')).verdict).toBe('valid')
  })

  it.each([
    ['internalConsistency', internalConsistency],
    ['dirtyUpdate', dirtyUpdate],
    ['lostUpdate', lostUpdate],
  ])('%s does not take for valid what it did not find out', (_, check) => {
    const history = together('rx- wx1', 'rx1 wx2')
    expect(check(history).verdict).toBe('valid')
    expect(check(history, { timeoutWallMs: 1e-6 })).toMatchObject({
      verdict: 'unknown',
      reason: 'the time limit of 0.000001 ms was reached',
    })
    expect(check(together('0 info: wx1 rx-')).verdict).toBe('unknown')
  })

  it('lostUpdate does not know which version an update replaced where values are written twice', () => {
    expect(lostUpdate(together('wx1', 'wx1', 'rx1 wx2', 'rx1 wx3'))).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('written more than once') as string,
    })
  })
})
