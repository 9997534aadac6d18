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
})
