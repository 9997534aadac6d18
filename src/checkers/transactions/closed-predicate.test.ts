import { describe, expect, it } from 'vitest'
import { History, type HistoryEvent } from '../../history/index.ts'
import { closedPredicate } from './closed-predicate.ts'

type Body = readonly unknown[]

const init = (value: Readonly<Record<string, unknown>>): HistoryEvent[] => [
  { type: 'invoke', process: 9, f: 'init', value },
  { type: 'ok', process: 9, f: 'init', value },
]

/** Concurrent transactions. */
const together = (...bodies: readonly Body[]): HistoryEvent[] => [
  ...bodies.map((value, process): HistoryEvent => ({ type: 'invoke', process, f: 'txn', value })),
  ...bodies.map((value, process): HistoryEvent => ({ type: 'ok', process, f: 'txn', value })),
]

const check = (...events: readonly HistoryEvent[]) => closedPredicate(History.from(events))

describe('closedPredicate', () => {
  it('accepts two inserts of which one saw the other', () => {
    const result = check(
      ...together(
        [
          ['insert', 'x', 1],
          ['rp', 'true', { x: 1 }],
        ],
        [['rp', 'true', { x: 1 }]],
      ),
    )
    expect(result.verdict).toBe('valid')
  })

  it('rejects predicate reads that each saw the other: G1c', () => {
    const result = check(
      ...together(
        [
          ['w', 'x', 1],
          ['rp', 'true', { y: 2 }],
        ],
        [
          ['w', 'y', 2],
          ['rp', 'true', { x: 1 }],
        ],
      ),
    )
    expect(result.details['anomalyTypes']).toEqual(['G1c'])
    expect(result.anomalies[0].message).toContain('by predicate "true"')
  })

  it('rejects predicate reads that each missed the other: G2', () => {
    const result = check(
      ...together(
        [
          ['w', 'x', 1],
          ['rp', 'true', {}],
        ],
        [
          ['w', 'y', 2],
          ['rp', 'true', {}],
        ],
      ),
    )
    expect(result.details['anomalyTypes']).toEqual(['G2'])
  })

  it('rejects a predicate read of half a transaction: G-single', () => {
    const result = check(
      ...together(
        [
          ['w', 'x', 1],
          ['w', 'y', 1],
        ],
        [
          ['r', 'y', 1],
          ['rp', ['=', 1], { y: 1 }],
        ],
      ),
    )
    expect(result.details['anomalyTypes']).toEqual(['G-single'])
  })

  it('rejects observers that disagree by predicate: G-nonadjacent', () => {
    const result = check(
      ...together([['w', 'x', 1]], [['w', 'y', 1]], [['rp', 'true', { x: 1 }]], [['rp', 'true', { y: 1 }]]),
    )
    expect(result.details['anomalyTypes']).toEqual(['G-nonadjacent'])
  })

  it('knows what a predicate did not select: a key that was deleted', () => {
    const result = check(
      ...init({ x: 0, y: 0 }),
      ...together(
        [
          ['delete', 'x'],
          ['rp', 'true', {}],
        ],
        [
          ['delete', 'y'],
          ['rp', 'true', {}],
        ],
      ),
    )
    expect(result.details['anomalyTypes']).toEqual(['G1c'])
  })

  it('rejects, by item reads alone, an item cycle: G1c', () => {
    const result = check(
      ...init({ x: 0, z: 0 }),
      ...together(
        [
          ['r', 'z', 3],
          ['delete', 'x'],
        ],
        [
          ['r', 'x', null],
          ['insert', 'y', 2],
        ],
        [
          ['r', 'y', 2],
          ['w', 'z', 3],
        ],
      ),
    )
    expect(result.details['anomalyTypes']).toEqual(['G1c'])
    expect(result.details['not']).toEqual(['read-committed'])
  })

  it('rejects a predicate read that misses a key all of whose versions match', () => {
    const result = check(...init({ x: 2 }), ...together([['w', 'x', 4]], [['rp', ['mod', 2, 0], {}]]))
    expect(result.details['anomalyTypes']).toContain('predicate-read-miss')
  })

  it('is unknown when a key is given the same value twice', () => {
    expect(check(...together([['w', 'x', 1]], [['w', 'x', 1]], [['r', 'x', 1]])).verdict).not.toBe('valid')
  })
})
