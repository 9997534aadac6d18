/**
 * The weaker models against their definitions, tried out on small random histories, and one planted violation of each
 * kind that they name. Stronger models imply weaker ones, on every history.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History, OK } from '../../history/history.ts'
import type { HistoryEvent } from '../../history/operation.ts'
import { bruteForce as linearizableByBruteForce } from '../linearizable/brute-force.test-support.ts'
import { linearizable, queue, register } from '../linearizable/index.ts'
import { bruteCausal, brutePram, bruteSequential, bruteSession } from './brute-force.test-support.ts'
import {
  boundedStaleness,
  causal,
  kAtomicity,
  pram,
  recentValues,
  sequential,
  sessionGuarantees,
  SESSION_GUARANTEES,
  type SessionGuarantee,
} from './index.ts'

const RUNS = process.env.WAVETANK_FULL === '1' ? 20_000 : 300

interface Draft {
  readonly process: number
  readonly key: number
  readonly write: boolean
  readonly unknown: boolean
  readonly sees: number
}

const draft: fc.Arbitrary<Draft> = fc.record({
  process: fc.integer({ min: 0, max: 3 }).map((n) => n % 3),
  key: fc.integer({ min: 0, max: 3 }).map((n) => (n === 3 ? 1 : 0)),
  write: fc.boolean(),
  unknown: fc.integer({ min: 0, max: 6 }).map((n) => n === 6),
  sees: fc.nat(99),
})

/** Operations one after the other; a read sees some value of its key, written before or after it, or none. */
function build(drafts: readonly Draft[]): History {
  const values = drafts.map((one, i) => ({ ...one, value: i + 1 }))
  return History.from(
    values.flatMap(({ process, key, write, unknown, sees, value }, id): HistoryEvent[] => {
      const writes = values.filter((other) => other.write && other.key === key).map((other) => other.value)
      const seen = writes.length === 0 || sees % 4 === 0 ? null : writes[sees % writes.length]
      const f = write ? 'write' : 'read'
      return [
        { type: 'invoke', id, process, key, f, value: write ? value : null, time: id * 10 },
        {
          type: unknown ? 'info' : 'ok',
          id,
          process,
          key,
          f,
          value: write || unknown ? null : seen,
          time: id * 10 + 5,
        },
      ]
    }),
  )
}

function agrees(
  name: string,
  check: (history: History) => string,
  brute: (history: History) => boolean,
  part: (history: History) => History = (history) => history,
): void {
  it(`${name} as its definition has it`, () => {
    const drafts = fc.array(draft, { minLength: 3, maxLength: 6 })
    const truth = (history: History) => (brute(history) ? 'valid' : 'invalid')
    fc.assert(
      fc.property(drafts, (drafted) => {
        const history = part(build(drafted))
        // Where nothing completed nothing can be checked.
        const checked = [...history.operations()].some(({ type }) => type === 'ok')
        expect(check(history)).toBe(checked ? truth(history) : 'unknown')
      }),
      { numRuns: RUNS },
    )
    // A generator that makes only one kind of history would test nothing. One sample, the same in every run.
    const tally = { valid: 0, invalid: 0 }
    for (const drafted of fc.sample(drafts, { numRuns: 300, seed: 1 })) tally[truth(part(build(drafted)))]++
    expect(tally.valid).toBeGreaterThan(0)
    expect(tally.invalid).toBeGreaterThan(0)
  })
}

describe('weaker models against brute force', () => {
  agrees('sequential', (history) => sequential(history, register()).verdict, bruteSequential)
  agrees('pram', (history) => pram(history).verdict, brutePram)
  agrees(
    'causal',
    (history) => causal(history).verdict,
    (history) => bruteCausal(history, 'causal'),
  )
  agrees(
    'causal-convergent',
    (h) => causal(h, { model: 'causal-convergent' }).verdict,
    (h) => bruteCausal(h, 'causal-convergent'),
  )
  agrees(
    'causal-memory',
    (h) => causal(h, { model: 'causal-memory' }).verdict,
    (h) => bruteCausal(h, 'causal-memory'),
  )
  for (const guarantee of SESSION_GUARANTEES.filter(
    (name) => name === 'monotonic-reads' || name === 'read-your-writes',
  )) {
    agrees(
      guarantee,
      (h) => sessionGuarantees(h, { guarantees: [guarantee] }).verdict,
      (h) => bruteSession(h, [guarantee]),
    )
  }
  agrees(
    'all session guarantees',
    (h) => sessionGuarantees(h).verdict,
    (h) => bruteSession(h, SESSION_GUARANTEES),
  )
  agrees(
    'writes that follow reads, and monotonic writes',
    (h) =>
      sessionGuarantees(h, { guarantees: ['monotonic-writes', 'writes-follow-reads', 'monotonic-reads'] })
        .verdict,
    (h) => bruteSession(h, ['monotonic-writes', 'writes-follow-reads', 'monotonic-reads']),
  )

  it('every set of session guarantees over several keys, as its definition has it', () => {
    const sets = Array.from({ length: 15 }, (_, bits) =>
      SESSION_GUARANTEES.filter((__, i) => ((bits + 1) & (1 << i)) !== 0),
    )
    fc.assert(
      fc.property(
        fc.array(draft, { minLength: 3, maxLength: 6 }),
        fc.constantFrom(...sets),
        (drafted, set) => {
          const history = build(drafted)
          fc.pre(history.type.includes(OK))
          const expected = bruteSession(history, set) ? 'valid' : 'invalid'
          expect(sessionGuarantees(history, { guarantees: set }).verdict).toBe(expected)
        },
      ),
      { numRuns: RUNS },
    )
  })

  agrees(
    '2-atomicity',
    (h) => kAtomicity(h, { k: 2 }).verdict,
    (h) => linearizableByBruteForce(h, recentValues(2)),
    (h) => h.filter((i) => h.key[i] === 0),
  )

  it('the least delay is enough, and one less is not', () => {
    fc.assert(
      fc.property(fc.array(draft, { minLength: 3, maxLength: 8 }), (drafts) => {
        const history = build(drafts)
        const { leastUs } = boundedStaleness(history, { deltaUs: 0 }).details
        fc.pre(leastUs !== null && history.type.includes(OK))
        expect(boundedStaleness(history, { deltaUs: Number(leastUs) }).verdict).toBe('valid')
        const less =
          leastUs === 0 ? null : boundedStaleness(history, { deltaUs: Number(leastUs) - 1 }).verdict
        expect(less).toBe(leastUs === 0 ? null : 'invalid')
        expect(linearizable(history, register()).verdict).toBe(leastUs === 0 ? 'valid' : 'invalid')
      }),
      { numRuns: Math.min(RUNS, 2000) },
    )
  })

  it('a stronger model implies a weaker one', () => {
    const chains = [
      (h: History) => linearizable(h, register()).verdict,
      (h: History) => sequential(h, register()).verdict,
      (h: History) => causal(h, { model: 'causal-memory' }).verdict,
      (h: History) => pram(h).verdict,
    ]
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 9 }), (drafts) => {
        const history = build(drafts)
        fc.pre(history.type.includes(OK))
        const verdicts = chains.map((check) => check(history))
        expect(verdicts.lastIndexOf('invalid')).toBe(
          verdicts.indexOf('valid') < 0 ? 3 : verdicts.indexOf('valid') - 1,
        )
      }),
      { numRuns: RUNS },
    )
  })
})

type Step = readonly [process: number, f: 'read' | 'write', key: string, value: unknown]

/** One operation after the other. */
function run(...operations: readonly Step[]): History {
  return History.from(
    operations.flatMap(([process, f, key, value], i): HistoryEvent[] => [
      { type: 'invoke', process, f, key, value: f === 'write' ? value : null, time: i * 10 },
      { type: 'ok', process, f, key, value: f === 'write' ? null : value, time: i * 10 + 5 },
    ]),
  )
}

describe('weaker models: planted violations', () => {
  const store = run(
    [0, 'write', 'x', 1],
    [1, 'write', 'y', 2],
    [0, 'read', 'y', null],
    [1, 'read', 'x', null],
  )

  it('two sessions that miss each other are causal but not sequential', () => {
    expect(sequential(store, register())).toMatchObject({
      verdict: 'invalid',
      anomalies: [{ type: 'not-sequential' }],
    })
    expect(causal(store).verdict).toBe('valid')
  })

  it('a reply without its question is pram but not causal', () => {
    const reply = run(
      [0, 'write', 'x', 1],
      [1, 'read', 'x', 1],
      [1, 'write', 'y', 2],
      [2, 'read', 'y', 2],
      [2, 'read', 'x', null],
    )
    expect(causal(reply).anomalies).toMatchObject([{ type: 'stale-read', operations: [0, 4] }])
    expect(pram(reply).verdict).toBe('valid')
  })

  it('effects before their causes are cyclic', () => {
    const circle = run([0, 'read', 'x', 1], [0, 'write', 'y', 2], [1, 'read', 'y', 2], [1, 'write', 'x', 1])
    expect(causal(circle).anomalies[0].type).toBe('cyclic-causality')
  })

  it('sessions that never agree are causal but not convergent', () => {
    const split = run(
      [0, 'write', 'x', 1],
      [1, 'write', 'x', 2],
      [0, 'read', 'x', 2],
      [0, 'read', 'x', 2],
      [1, 'read', 'x', 1],
    )
    expect(causal(split).verdict).toBe('valid')
    expect(causal(split, { model: 'causal-convergent' }).anomalies[0].type).toBe('no-agreed-order')
  })

  it('a session that goes back and forth breaks causal memory and pram', () => {
    const wobble = run(
      [0, 'write', 'x', 1],
      [1, 'write', 'x', 2],
      [2, 'read', 'x', 1],
      [2, 'read', 'x', 2],
      [2, 'read', 'x', 1],
    )
    expect(causal(wobble).verdict).toBe('valid')
    expect(causal(wobble, { model: 'causal-memory' }).anomalies[0].type).toBe('no-session-order')
    expect(pram(wobble).anomalies[0].type).toBe('no-session-order')
    expect(pram(run([0, 'write', 'x', 1], [0, 'read', 'x', null])).anomalies[0].type).toBe('stale-read')
  })

  /** Session guarantees that cannot hold together, though any fewer could: what each session did to one key. */
  const SESSIONS: Readonly<Record<string, readonly string[]>> = {
    'read-your-writes': ['w1 r-'],
    'monotonic-reads': ['w1', 'r1 r-'],
    'writes-follow-reads': ['r2 w1', 'r1 w2'],
    'read-your-writes+monotonic-reads': ['w1', 'w2 r1', 'r1 r2'],
    'read-your-writes+monotonic-writes': ['w1 w2 r1'],
    'read-your-writes+writes-follow-reads': ['w1', 'r1 w2 r1'],
    'monotonic-reads+monotonic-writes': ['w1 w2', 'r2 r1'],
    'monotonic-reads+writes-follow-reads': ['w1', 'r1 w2', 'r2 r1'],
    'monotonic-writes+writes-follow-reads': ['r2 w1 w2'],
    'read-your-writes+monotonic-reads+monotonic-writes': ['w1 w2', 'r2 r3', 'w3 r1'],
    'read-your-writes+monotonic-reads+writes-follow-reads': ['w1 r2', 'w2', 'w3', 'r2 r3', 'r3 w4', 'r4 r1'],
    'read-your-writes+monotonic-writes+writes-follow-reads': ['w1 w2', 'r2 w3', 'r3 w4 r1'],
    'monotonic-reads+monotonic-writes+writes-follow-reads': ['w1 w2', 'w3', 'r2 r3', 'r3 w4', 'r4 r1'],
    'read-your-writes+monotonic-reads+monotonic-writes+writes-follow-reads': [
      'w1 w2',
      'w3',
      'r2 r3',
      'r3 w4',
      'r4 r5',
      'w5 r1',
    ],
  }

  it.each(Object.entries(SESSIONS))('%s', (type, sessions) => {
    const steps = sessions.flatMap((text, process) =>
      text.split(' ').map((step): Step => {
        const value = step[1] === '-' ? null : Number(step[1])
        return [process, step[0] === 'w' ? 'write' : 'read', 'x', value]
      }),
    )
    const result = sessionGuarantees(run(...steps))
    expect(result.verdict).toBe('invalid')
    expect(result.anomalies.map((anomaly) => anomaly.type)).toContain(type)
    expect(result.anomalies[0].message).toMatch(/contradiction/)
    expect(
      sessionGuarantees(run(...steps), { guarantees: type.split('+').slice(1) as SessionGuarantee[] }),
    ).toMatchObject({
      verdict: 'valid',
    })
  })

  it('there is a control for every set of session guarantees but one', () => {
    const names = SESSION_GUARANTEES.reduce<string[][]>(
      (sets, name) => [...sets, ...sets.map((set) => [...set, name])],
      [[]],
    )
    const all = names.filter((set) => set.length > 0).map((set) => set.join('+'))
    // A client writes each value once, so that monotonic writes alone contradict nothing.
    expect(Object.keys(SESSIONS).sort()).toEqual(all.filter((set) => set !== 'monotonic-writes').sort())
  })

  it('a value that no client wrote breaks every model', () => {
    const thin = run([0, 'read', 'x', 9])
    for (const check of [causal, pram, sessionGuarantees])
      expect(check(thin)).toMatchObject({ verdict: 'invalid', anomalies: [{ type: 'thin-air-read' }] })
  })

  it('a queue may be sequential without being linearizable', () => {
    const late = History.from([
      { process: 0, type: 'invoke', f: 'dequeue' },
      { process: 0, type: 'ok', f: 'dequeue', value: 7 },
      { process: 1, type: 'invoke', f: 'enqueue', value: 7 },
      { process: 1, type: 'ok', f: 'enqueue' },
    ])
    expect(linearizable(late, queue()).verdict).toBe('invalid')
    expect(sequential(late, queue()).verdict).toBe('valid')
  })

  it('finds the least k and the least delay', () => {
    const stale = run([0, 'write', 'x', 1], [0, 'write', 'x', 2], [0, 'write', 'x', 3], [1, 'read', 'x', 1])
    expect(kAtomicity(stale, { k: 2 })).toMatchObject({ verdict: 'invalid', details: { least: null } })
    expect(kAtomicity(stale, { k: 3 })).toMatchObject({ verdict: 'valid', details: { least: 3 } })
    expect(kAtomicity(stale, { k: 1, upTo: 5 })).toMatchObject({ verdict: 'invalid', details: { least: 3 } })
    // The read began at 30; the write of 2 returned at 15.
    expect(boundedStaleness(stale, { deltaUs: 14 })).toMatchObject({
      verdict: 'invalid',
      details: { leastUs: 15 },
    })
    expect(boundedStaleness(stale, { deltaUs: 15 })).toMatchObject({
      verdict: 'valid',
      details: { leastUs: 15 },
    })
  })

  it('says when a history is too weak', () => {
    const twice = run([0, 'write', 'x', 1], [0, 'write', 'x', 1])
    for (const check of [causal, pram, sessionGuarantees]) {
      expect(check(twice)).toMatchObject({
        verdict: 'unknown',
        reason: expect.stringContaining('written more than once') as string,
      })
    }
    const untimed = History.from([{ process: 0, type: 'invoke', f: 'write', value: 1 }])
    expect(boundedStaleness(untimed, { deltaUs: 1 }).verdict).toBe('unknown')
  })
})
