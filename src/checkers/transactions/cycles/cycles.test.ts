/**
 * A planted violation for every kind of cycle that the transaction checkers name, in the plain form and in that of
 * session and real-time order; the tables are compared with the kinds that there are.
 */
import { describe, expect, it } from 'vitest'
import type { History } from '../../../history/index.ts'
import type { CheckResult } from '../../result.ts'
import { closedPredicate } from '../closed-predicate.ts'
import { CYCLE_KINDS } from './cycle-kinds.ts'
import { ANOMALY_TYPES } from '../lattice.ts'
import { listAppend } from '../list-append.ts'
import { rwRegister } from '../rw-register.ts'
import { inTurn, schedule, together } from '../text-histories.test-support.ts'
import type { ConsistencyOptions } from '../verdict.ts'

/** Builds the history from texts whose writes are `w`; the argument puts in what a checker calls a write. */
type Planted = (write: (text: string) => string) => History

const atOnce =
  (...texts: readonly string[]): Planted =>
  (write) =>
    together(...texts.map(write))
const oneByOne =
  (...texts: readonly string[]): Planted =>
  (write) =>
    inTurn(...texts.map(write))
const scheduled =
  (events: string, texts: Readonly<Record<string, string>>): Planted =>
  (write) =>
    schedule(events, Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, write(text)])))

/** Cycles of reads and writes of single keys. */
const ITEM: Readonly<Record<string, Planted>> = {
  G1c: atOnce('wx1 ry2', 'wy2 rx1'),
  'G-single-item': atOnce('wx1 wy2', 'rx- ry2'),
  'G-nonadjacent-item': atOnce('wx1', 'wy2', 'rx1 ry-', 'rx- ry2'),
  'G2-item': atOnce('rx- wy2', 'ry- wx1'),
  'G1c-process': oneByOne('0: rx1', '0: wx1'),
  'G-single-item-process': oneByOne('0: wx1', '0: rx-'),
  'G-nonadjacent-item-process': oneByOne('0: wy2', '0: rx-', '1: wx1', '2: rx1 ry-'),
  'G2-item-process': oneByOne('0: wy2', '0: rx-', '1: wx1 ry-'),
  'G1c-realtime': oneByOne('rx1', 'wx1'),
  'G-single-item-realtime': oneByOne('wx1', 'rx-'),
  'G-nonadjacent-item-realtime': scheduled('+b +c +d -d +a -a -b -c', {
    a: 'rx-',
    b: 'wx1',
    c: 'rx1 ry-',
    d: 'wy2',
  }),
  'G2-item-realtime': scheduled('+b +c -c +a -a -b', { a: 'rx-', b: 'wx1 ry-', c: 'wy2' }),
}

/** The same, where what was missed was looked for by predicate. */
const PREDICATE: Readonly<Record<string, Planted>> = {
  'G-single': atOnce('wx1 wy2', 'p1 ry2'),
  'G-nonadjacent': atOnce('wx1', 'wy2', 'rx1 ry-', 'p1 ry2'),
  G2: atOnce('p1 wy2', 'ry- wx1'),
  'G-single-process': oneByOne('0: wx1', '0: p1'),
  'G-nonadjacent-process': oneByOne('0: wy2', '0: p1', '1: wx1', '2: rx1 ry-'),
  'G2-process': oneByOne('0: wy2', '0: p1', '1: wx1 ry-'),
  'G-single-realtime': oneByOne('wx1', 'p1'),
  'G-nonadjacent-realtime': scheduled('+b +c +d -d +a -a -b -c', {
    a: 'p1',
    b: 'wx1',
    c: 'rx1 ry-',
    d: 'wy2',
  }),
  'G2-realtime': scheduled('+b +c -c +a -a -b', { a: 'p1', b: 'wx1 ry-', c: 'wy2' }),
}

/** Cycles of writes need a version order: a longer list, or a write that follows its transaction's read. */
const LIST_WRITES: Readonly<Record<string, Planted>> = {
  G0: atOnce('wx1 wy1', 'wx2 wy2', 'rx1.2 ry2.1'),
  'G0-process': oneByOne('0: wx1', '0: wx2', '1: rx2.1'),
  'G0-realtime': oneByOne('wx1', 'wx2', 'rx2.1'),
}
const REGISTER_WRITES: Readonly<Record<string, Planted>> = {
  G0: atOnce('rx1 wx2 wy1', 'wx1 ry1 wy2'),
  'G0-process': oneByOne('0: rx1 wx2', '0: wx1'),
  'G0-realtime': oneByOne('rx1 wx2', 'wx1'),
}

interface Suite {
  readonly check: (history: History, options: ConsistencyOptions) => CheckResult
  readonly write: (text: string) => string
  readonly planted: Readonly<Record<string, Planted>>
}

const SUITES: Readonly<Record<string, Suite>> = {
  listAppend: {
    check: listAppend,
    write: (text) => text.replaceAll(/\bw(?=[a-z]\d)/g, 'a'),
    planted: { ...LIST_WRITES, ...ITEM },
  },
  rwRegister: {
    check: (history, options) => rwRegister(history, { ...options, wfrKeys: true, search: false }),
    write: (text) => text,
    planted: { ...REGISTER_WRITES, ...ITEM },
  },
  // Versions are ordered as they appear in the history, as are sessions and real time: writes alone make no cycle.
  closedPredicate: { check: closedPredicate, write: (text) => text, planted: { ...ITEM, ...PREDICATE } },
}

const ordered = (kind: string): boolean => kind.endsWith('-process') || kind.endsWith('-realtime')

const modelsFor = (kind: string): readonly string[] =>
  kind.endsWith('-realtime')
    ? ['strict-serializable']
    : kind.endsWith('-process')
      ? ['strong-session-serializable']
      : ['serializable']

/** Must still accept it: where the order does not count, or nothing does. */
const weakerModelsFor = (kind: string): readonly string[] => (ordered(kind) ? ['serializable'] : [])

describe.each(Object.entries(SUITES))('%s', (name, { check, write, planted }) => {
  it.each(Object.keys(planted))('rejects %s, with the cycle', (kind) => {
    const consistencyModels = modelsFor(kind)
    const history = planted[kind](write)
    const result = check(history, { consistencyModels })
    expect(result.verdict).toBe('invalid')
    expect(result.details['anomalyTypes']).toContain(kind)
    const anomaly = result.anomalies.find(({ type }) => type === kind)
    expect(anomaly?.operations.length).toBeGreaterThan(1)
    expect(anomaly?.message).toMatch(/: a contradiction\.$/)
    expect(check(history, { consistencyModels: weakerModelsFor(kind) }).verdict).toBe('valid')
  })

  it('has a control for every kind of cycle that it can name', () => {
    const nameable = CYCLE_KINDS.filter(({ shape, predicate }) =>
      name === 'closedPredicate' ? shape !== 'writes' : predicate !== true,
    )
    expect(Object.keys(planted).sort()).toEqual(nameable.map((kind) => kind.name).sort())
  })
})

describe('a search for cycles that may not begin', () => {
  it('still says for each model that some cycle breaks it', () => {
    const found = new Set<string>()
    for (const { check, write, planted } of Object.values(SUITES)) {
      for (const [kind, plant] of Object.entries(planted)) {
        const result = check(plant(write), { consistencyModels: modelsFor(kind), searchBudget: 0 })
        const types = result.details['anomalyTypes'] as string[]
        expect(types).toContain('cycle-search-timeout')
        for (const type of types) if (type.endsWith('-cycle-exists')) found.add(type)
      }
    }
    expect([...found].sort()).toEqual(ANOMALY_TYPES.filter((type) => type.endsWith('-cycle-exists')))
  })
})
