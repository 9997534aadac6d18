/**
 * Transactions on values that do not tell who wrote them, against brute force: values written twice, nulls written,
 * retries of unknown outcome, keys written by several transactions. A checker may say that it does not know; what it does
 * say must be true.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History } from '../../history/history.ts'
import type { HistoryEvent, Operation } from '../../history/operation.ts'
import { FULL } from '../histories.test-support.ts'
import type { CheckResult } from '../result.ts'
import { closedPredicate } from './closed-predicate.ts'
import { serializable } from './levels/index.ts'
import { listAppend } from './list-append.ts'
import { rwRegister } from './rw-register.ts'

const RUNS = FULL ? 20_000 : 400

type Micro = readonly [f: string, key: unknown, value: unknown]
type State = Map<unknown, unknown>
/** Runs a micro-operation; false when it cannot have answered so. */
type Run = (state: State, micro: Micro, known: boolean) => boolean

interface Draft {
  readonly micros: readonly Micro[]
  readonly outcome: 'ok' | 'ok ' | 'info' | 'fail'
  readonly process: number
  /** Whether it begins before the one before it has ended. */
  readonly overlaps: boolean
}

const drafted = (micro: fc.Arbitrary<Micro>): fc.Arbitrary<Draft[]> =>
  fc.array(
    fc.record({
      micros: fc.array(micro, { minLength: 1, maxLength: 3 }),
      outcome: fc.constantFrom<Draft['outcome'][]>('ok', 'ok', 'ok ', 'info', 'fail'),
      process: fc.nat(2),
      overlaps: fc.boolean(),
    }),
    { minLength: 2, maxLength: 5 },
  )

/** Transactions one after the other; one that overlaps completes after its follower has begun. */
function build(drafts: readonly Draft[], first: readonly HistoryEvent[] = []): History {
  const events: HistoryEvent[] = [...first]
  let late: HistoryEvent[] = []
  drafts.forEach(({ micros, outcome, overlaps }, i) => {
    const input = micros.map(([f, a, b]) => (f === 'r' || f === 'rp' ? [f, a, null] : [f, a, b]))
    events.push({ type: 'invoke', process: i, f: 'txn', value: input })
    events.push(...late)
    late = []
    const type = outcome.trim() as 'ok'
    const done: HistoryEvent = { type, process: i, f: 'txn', value: type === 'ok' ? micros : null }
    if (overlaps) late.push(done)
    else events.push(done)
  })
  return History.from([...events, ...late])
}

/** Whether some order of the transactions explains every answer; `strict` respects real time. */
function explained(history: History, run: Run, strict: boolean): boolean {
  const all = [...history.operations()].filter(({ type, f }) => type !== 'fail' && f === 'txn')
  const micros = ({ type, input, output }: Operation): readonly Micro[] =>
    (type === 'ok' ? output : input) as readonly Micro[]
  const extend = (state: State, left: readonly Operation[]): boolean => {
    if (left.every(({ type }) => type === 'info')) return true
    return left.some((next) => {
      const rest = left.filter((other) => other !== next)
      const early = rest.some((other) => other.type === 'ok' && other.completeIndex! < next.invokeIndex)
      if (strict && early) return false
      const after = new Map(state)
      if (!micros(next).every((micro) => run(after, micro, next.type === 'ok'))) return false
      return extend(after, rest)
    })
  }
  return extend(new Map(), all)
}

function neverWrong(
  drafts: fc.Arbitrary<Draft[]>,
  check: (history: History) => CheckResult,
  run: Run,
  { strict, complete, first = [] }: { strict: boolean; complete: boolean; first?: readonly HistoryEvent[] },
): Record<string, number> {
  const tally = { valid: 0, invalid: 0, unknown: 0 }
  fc.assert(
    fc.property(drafts, (each) => {
      const history = build(each, first)
      const { verdict } = check(history)
      tally[verdict]++
      const truth = explained(history, run, strict)
      const wrong = (verdict === 'invalid' && truth) || (complete && verdict === 'valid' && !truth)
      expect(wrong, `${verdict}, but brute force says ${truth}`).toBe(false)
    }),
    { numRuns: RUNS, seed: 1 },
  )
  return tally
}

const key = fc.constantFrom('x', 'y')

describe('registers with repeated values and nulls', () => {
  const value = fc.constantFrom<unknown[]>(null, 1, 2, '1')
  const drafts = drafted(fc.tuple(fc.constantFrom('r', 'w'), key, value))
  const run: Run = (state, [f, k, v], known) => {
    if (f === 'w') state.set(k, v)
    return f === 'w' || !known || (state.get(k) ?? null) === v
  }

  it('the level serializable is right wherever it is sure', () => {
    const tally = neverWrong(drafts, (h) => serializable(h, { sessions: false }), run, {
      strict: false,
      complete: true,
    })
    expect(Math.min(tally.valid, tally.invalid)).toBeGreaterThan(RUNS / 20)
  })

  it('rw-register is right wherever it is sure', () => {
    const tally = neverWrong(drafts, (h) => rwRegister(h), run, { strict: true, complete: true })
    expect(Math.min(tally.valid, tally.invalid)).toBeGreaterThan(RUNS / 20)
  })
})

describe('lists with repeated elements', () => {
  const append = fc.tuple(fc.constant('append'), key, fc.constantFrom<unknown[]>(1, 2, 3))
  const read = fc.tuple(
    fc.constant('r'),
    key,
    fc.array(fc.constantFrom<unknown[]>(1, 2, 3), { maxLength: 3 }),
  )
  const run: Run = (state, [f, k, v], known) => {
    const list = (state.get(k) ?? []) as readonly unknown[]
    if (f === 'append') state.set(k, [...list, v])
    return f === 'append' || !known || list.join() === (v as readonly unknown[]).join()
  }

  it('list-append never calls a history invalid that some order explains', () => {
    const drafts = drafted(fc.oneof(append, append, read))
    const tally = neverWrong(drafts, (h) => listAppend(h), run, { strict: true, complete: false })
    expect(tally.invalid).toBeGreaterThan(RUNS / 20)
    expect(tally.unknown).toBeGreaterThan(RUNS / 20)
  })
})

describe('predicates over keys that several transactions write', () => {
  const first: readonly HistoryEvent[] = [
    { type: 'invoke', process: 9, f: 'init', value: { x: 0, y: 1 } },
    { type: 'ok', process: 9, f: 'init', value: { x: 0, y: 1 } },
  ]
  const run: Run = (state, [f, k, v], known) => {
    const of = (name: unknown): unknown => (state.has(name) ? state.get(name) : name === 'x' ? 0 : 1)
    if (f === 'w') state.set(k, v)
    if (f === 'w' || !known) return true
    if (f === 'r') return of(k) === v
    const shown = Object.fromEntries(
      ['x', 'y'].filter((name) => (of(name) as number) % 2 === 1).map((name) => [name, of(name)]),
    )
    return JSON.stringify(shown) === JSON.stringify(v)
  }
  const write = fc.tuple(fc.constant('w'), key, fc.integer({ min: 2, max: 9 }))
  const read = fc.tuple(fc.constant('r'), key, fc.constantFrom<unknown[]>(0, 1, 2, 3, 4, 5))
  const odd = fc.tuple(
    fc.constant('rp'),
    fc.constant(['mod', 2, 1]),
    fc.constantFrom<unknown[]>({}, { y: 1 }, { x: 3 }, { x: 3, y: 1 }, { y: 5 }),
  )

  it('closed-predicate never calls a history invalid that some order explains', () => {
    const drafts = drafted(fc.oneof(write, write, read, odd))
    const tally = neverWrong(drafts, (h) => closedPredicate(h), run, { strict: true, complete: false, first })
    expect(tally.invalid).toBeGreaterThan(RUNS / 40)
  })
})
