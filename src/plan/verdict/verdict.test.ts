import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GREEN_BUT_BROKEN, WEAK_ORACLE } from '../catalog/audits.ts'
import { VERDICT_STATES, type VerdictState } from '../catalog/verdicts.ts'
import { budget, goodEvidence, question, violation } from '../evidence/evidence.test-support.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { HISTORY_FIELDS } from '../model/history-fields.ts'
import { neededFields } from './history-weakness.ts'
import type { Question } from './question.ts'
import { QUESTIONS, verdictOf } from './verdict.ts'

const [ORACLE] = goodEvidence().oracles
const HISTORY = goodEvidence().history!
const [CONTROL] = goodEvidence().controls
const SURFACE = { ...ORACLE, name: 'metric: errors', kind: 'metric' as const }

type Row = readonly [
  what: string,
  state: VerdictState,
  decidedBy: string,
  evidence: Partial<Evidence> | null,
  question?: Partial<Question>,
]

/** Every branch of the decision, in its order. */
const ROWS: readonly Row[] = [
  ['nothing was attempted', 'NOT-RUN', 'attempted', null],
  [
    'a requirement is missing',
    'INCONCLUSIVE-env',
    'environment',
    { environment: { missing: [{ requirement: 'docker', hint: 'install it' }], facts: {} } },
  ],
  [
    'a missing requirement goes before a violation',
    'INCONCLUSIVE-env',
    'environment',
    {
      environment: { missing: [{ requirement: 'docker', hint: 'install it' }], facts: {} },
      violations: [violation(1, 1)],
    },
  ],
  [
    'the environment broke',
    'INCONCLUSIVE-env',
    'environment',
    { violations: [violation(0, 0, 'environment')] },
  ],
  ['a violation fails again', 'FAIL-reproducible', 'violation', { violations: [violation(2, 2)] }],
  [
    'a violation fails again only sometimes',
    'FAIL-nondeterministic',
    'violation',
    { violations: [violation(2, 1)] },
  ],
  ['a violation was not run again', 'FAIL-nondeterministic', 'violation', { violations: [violation(0, 0)] }],
  [
    'an oracle is invalid without a record',
    'FAIL-nondeterministic',
    'violation',
    { oracles: [{ ...ORACLE, verdict: 'invalid' }] },
  ],
  [
    'a seed is violated without a record',
    'FAIL-nondeterministic',
    'violation',
    { seeds: [{ seed: 1, outcome: 'violated' }] },
  ],
  [
    'a violation counts although faults are unproven',
    'FAIL-reproducible',
    'violation',
    { violations: [violation(1, 1)], faults: [] },
  ],
  [
    'the harness threw',
    'INCONCLUSIVE-oracle-too-weak',
    'ending',
    { violations: [violation(0, 0, 'harness')], seeds: [{ seed: 1, outcome: 'violated' }] },
  ],
  ['the run was ended', 'INCONCLUSIVE-oracle-too-weak', 'ending', { ended: 'timeout' }],
  ['the run crashed', 'INCONCLUSIVE-oracle-too-weak', 'ending', { ended: 'crashed' }],
  [
    'the workload is idle',
    'INCONCLUSIVE-oracle-too-weak',
    'workload',
    { operations: [{ f: 'write', ok: 9, fail: 1000, info: 0 }] },
  ],
  ['a planned fault is not mentioned', 'INCONCLUSIVE-fault-not-proven', 'faults', { faults: [] }],
  [
    'a planned fault was never injected',
    'INCONCLUSIVE-fault-not-proven',
    'faults',
    { faults: [{ nemesis: 'full-partition', injected: 0, landed: 0, victimSignals: 0, signal: null }] },
  ],
  [
    'a fault was aimed at nothing',
    'INCONCLUSIVE-fault-not-proven',
    'faults',
    { faults: [{ nemesis: 'full-partition', injected: 9, landed: 0, victimSignals: 0, signal: null }] },
  ],
  [
    'victims showed something, and no fault landed',
    'INCONCLUSIVE-fault-not-proven',
    'faults',
    { faults: [{ nemesis: 'full-partition', injected: 9, landed: 0, victimSignals: 3, signal: null }] },
  ],
  [
    'victims showed a fault that was not injected',
    'INCONCLUSIVE-fault-not-proven',
    'faults',
    { faults: [{ nemesis: 'full-partition', injected: 0, landed: 3, victimSignals: 3, signal: null }] },
  ],
  [
    'only the injector saw the fault',
    'INCONCLUSIVE-fault-not-proven',
    'faults',
    { faults: [{ nemesis: 'full-partition', injected: 9, landed: 9, victimSignals: 0, signal: null }] },
  ],
  [
    'one of two faults is unproven',
    'INCONCLUSIVE-fault-not-proven',
    'faults',
    {},
    { nemeses: ['full-partition', 'hard-kill'] },
  ],
  [
    'a family proves its nemesis',
    'PASS-hardening',
    'pass',
    { faults: [{ nemesis: 'partition', injected: 5, landed: 5, victimSignals: 9, signal: null }] },
  ],
  [
    'another kind of the family does not',
    'INCONCLUSIVE-fault-not-proven',
    'faults',
    { faults: [{ nemesis: 'reboot/kill', injected: 5, landed: 5, victimSignals: 9, signal: null }] },
    { nemeses: ['power-loss'] },
  ],
  ['no oracle ran', 'INCONCLUSIVE-oracle-too-weak', 'oracle-ran', { oracles: [] }],
  [
    'the checker is unread',
    'INCONCLUSIVE-oracle-too-weak',
    'oracle-ran',
    { oracles: [{ ...ORACLE, checks: 0 }] },
  ],
  ['only the surface was checked', 'PARTIAL-surface', 'oracle-ran', { oracles: [SURFACE] }],
  ['the plan names no checker for a serious claim', 'PARTIAL-surface', 'oracle-ran', {}, { checkers: [] }],
  ['one of two checkers is unread', 'PARTIAL-model', 'oracle-ran', {}, { checkers: ['linearizable', 'set'] }],
  [
    'the checker cannot decide',
    'INCONCLUSIVE-oracle-too-weak',
    'oracle-ran',
    { oracles: [{ ...ORACLE, verdict: 'unknown', reason: 'out of time' }] },
  ],
  ['there is no negative control', 'INCONCLUSIVE-oracle-too-weak', 'negative-control', { controls: [] }],
  [
    'the negative control passes',
    'INCONCLUSIVE-oracle-too-weak',
    'negative-control',
    { controls: [{ ...CONTROL, detected: false, by: [] }] },
  ],
  [
    'another oracle rejected the control',
    'INCONCLUSIVE-oracle-too-weak',
    'negative-control',
    { controls: [{ ...CONTROL, by: ['metric: errors'] }] },
  ],
  [
    'one of two checkers was never seen to reject anything',
    'PARTIAL-model',
    'negative-control',
    { oracles: [ORACLE, { ...ORACLE, name: 'checker: set' }] },
    { checkers: ['linearizable', 'set'] },
  ],
  ['there is no history', 'INCONCLUSIVE-oracle-too-weak', 'history', { history: null }],
  [
    'the history is truncated',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, truncated: true } },
  ],
  [
    'times are of wall clocks',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, clock: 'wall' } },
  ],
  [
    'ids are used twice',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, reusedIds: 1 } },
  ],
  [
    'a time-out has an output',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, outputsOfTimeouts: 1 } },
  ],
  [
    'time-outs are not marked',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, fields: { ...HISTORY.fields, timeout_marker: 'absent' } } },
  ],
  [
    'fault epochs are missing while faults are planned',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, fields: { ...HISTORY.fields, fault_epoch: 'absent' } } },
  ],
  [
    'the model needs a field',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, fields: { ...HISTORY.fields, node_seen: 'absent' } } },
    { model: 'membership-table' },
  ],
  [
    'the plan promised a field',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, fields: { ...HISTORY.fields, error: 'absent' } } },
    { historyFields: ['error'] },
  ],
  [
    'the history has fewer operations than the workload counted',
    'INCONCLUSIVE-oracle-too-weak',
    'history',
    { history: { ...HISTORY, operations: 20 }, oracles: [{ ...ORACLE, operations: 20 }] },
  ],
  ['a claim that is not serious needs no history', 'PASS-hardening', 'pass', {}, { serious: false }],
  ['the checker read a part', 'PARTIAL-model', 'scope', { oracles: [{ ...ORACLE, operations: 999 }] }],
  ['the checker ignored some', 'PARTIAL-model', 'scope', { oracles: [{ ...ORACLE, ignored: 1 }] }],
  [
    'the checker does not say what it read',
    'PARTIAL-model',
    'scope',
    { oracles: [{ ...ORACLE, operations: null, ignored: null }] },
  ],
  [
    'a seed could not be judged',
    'PARTIAL-model',
    'seeds-judged',
    { seeds: [...goodEvidence().seeds, { seed: 9, outcome: 'unjudged' }] },
  ],
  ['one seed held', 'PARTIAL-model', 'seeds-enough', { seeds: [{ seed: 1, outcome: 'held' }] }],
  [
    'two seeds held, and the budgets ask for no more',
    'PARTIAL-model',
    'seeds-enough',
    { seeds: [1, 2].map((seed) => ({ seed, outcome: 'held' as const })) },
    { budgets: { smoke: budget({ seeds: 1 }), hardening: budget({ seeds: 2 }), release: null } },
  ],
  [
    'one seed held three times',
    'PARTIAL-model',
    'seeds-enough',
    { seeds: [1, 1, 1].map((seed) => ({ seed, outcome: 'held' as const })) },
  ],
  [
    'one seed held, of a claim that is not serious',
    'PARTIAL-surface',
    'seeds-enough',
    { seeds: [{ seed: 1, outcome: 'held' }] },
    { serious: false },
  ],
  [
    'the smoke budget is not spent',
    'PARTIAL-model',
    'budget',
    { operations: [{ f: 'write', ok: 99, fail: 0, info: 0 }], history: { ...HISTORY, operations: 99 } },
  ],
  [
    'the plan has no smoke budget',
    'PARTIAL-model',
    'budget',
    {},
    { budgets: { smoke: null, hardening: budget(), release: null } },
  ],
  ['no fault is planned', 'PASS-smoke', 'pass', { faults: [] }, { nemeses: [], tier: 'smoke' }],
  ['the hardening budget is not spent', 'PASS-smoke', 'pass', { seeds: goodEvidence().seeds.slice(0, 4) }],
  [
    'the hardening budget is spent on seeds that ran again',
    'PASS-smoke',
    'pass',
    { seeds: [1, 2, 3, 3, 3].map((seed) => ({ seed, outcome: 'held' as const })) },
  ],
  [
    'a simulation ran at a kinder level than that of the hardening budget',
    'PASS-smoke',
    'pass',
    { source: { kind: 'simulation', what: 'x', versions: {} }, level: 'stormy' },
    { budgets: { smoke: budget(), hardening: budget({ level: 'radioactive' }), release: null } },
  ],
  [
    'a simulation does not say at which level it ran',
    'PASS-smoke',
    'pass',
    { source: { kind: 'simulation', what: 'x', versions: {} } },
    { budgets: { smoke: budget(), hardening: budget({ level: 'stormy' }), release: null } },
  ],
  [
    'a simulation ran at a harder level',
    'PASS-hardening',
    'pass',
    { source: { kind: 'simulation', what: 'x', versions: {} }, level: 'radioactive' },
    { budgets: { smoke: budget(), hardening: budget({ level: 'stormy' }), release: null } },
  ],
  [
    'a race was allowed fewer schedules than the hardening budget has',
    'PASS-smoke',
    'pass',
    { source: { kind: 'race', what: 'x', versions: {} }, iterations: 50 },
    { budgets: { smoke: budget(), hardening: budget({ iterations: 500 }), release: null } },
  ],
  [
    'there is no hardening budget',
    'PASS-smoke',
    'pass',
    {},
    { budgets: { smoke: budget(), hardening: null, release: null } },
  ],
  ['an audit is open', 'PASS-smoke', 'pass', {}, { answers: question().answers.slice(0, 1) }],
  [
    'an audit is answered with no',
    'PASS-smoke',
    'pass',
    {},
    {
      answers: [
        ...question().answers.slice(1),
        { question: 'fair-baseline', answer: 'no', reason: 'another machine' },
      ],
    },
  ],
  ['it did not recover', 'PASS-smoke', 'pass', { recovery: { completed: false, tookMs: null } }],
  [
    'faults landed once',
    'PASS-smoke',
    'pass',
    { faults: [{ nemesis: 'full-partition', injected: 1, landed: 1, victimSignals: 9, signal: null }] },
  ],
  ['one topology ran', 'PASS-smoke', 'pass', { topologies: ['3 nodes'] }],
  ['everything is there', 'PASS-hardening', 'pass', {}],
]

function verdict([, , , evidence, changes]: Row): ReturnType<typeof verdictOf> {
  return verdictOf(question(changes), evidence === null ? null : goodEvidence(evidence))
}

describe('the verdict', () => {
  it.each(ROWS)('%s: %s, by %s', (...row) => {
    const { state, decidedBy, reasons } = verdict(row as unknown as Row)
    expect([state, decidedBy]).toEqual([row[1], row[2]])
    expect(reasons.length).toBeGreaterThan(0)
  })

  it('has a row for every state and every question', () => {
    expect(new Set(ROWS.map(([, state]) => state))).toEqual(new Set(VERDICT_STATES))
    expect(new Set(ROWS.map(([, , by]) => by))).toEqual(new Set(QUESTIONS))
  })

  it('says that a scenario was not attempted because its tier has no budget', () => {
    const budgets = { smoke: budget(), hardening: budget(), release: null }
    const reasons = (tier: 'hardening' | 'release') => verdictOf(question({ budgets, tier }), null).reasons
    expect(reasons('hardening')).toEqual(['it was not attempted'])
    expect(reasons('release')).toEqual(['it was not attempted: the plan has no release budget for it'])
  })

  it('meets the release tier only with its budget', () => {
    const release = { smoke: budget(), hardening: budget(), release: budget({ seeds: 5 }) }
    expect(verdictOf(question({ budgets: release, tier: 'release' }), goodEvidence()).tierMet).toBe('release')
    const more = { ...release, release: budget({ seeds: 6 }) }
    expect(verdictOf(question({ budgets: more, tier: 'release' }), goodEvidence()).tierMet).toBe('hardening')
  })

  it('answers every question of both audits', () => {
    const { audits } = verdictOf(question(), goodEvidence())
    expect(audits.map(({ id }) => id)).toEqual([...GREEN_BUT_BROKEN, ...WEAK_ORACLE].map(({ id }) => id))
    expect([GREEN_BUT_BROKEN.length, WEAK_ORACLE.length]).toEqual([10, 11])
    expect(audits.filter(({ answer }) => answer !== 'yes')).toEqual([])
  })
})

/** Evidence over the whole input space: half of each field is as it should be, so that deep branches are reached. */
const count = fc.oneof(fc.constant(0), fc.constant(1), fc.integer({ min: 0, max: 2000 }))
const mostly = <T>(good: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: other })

const oracles = fc.record({
  name: mostly('checker: linearizable', fc.constantFrom('metric: errors', 'invariant: x')),
  kind: mostly<Evidence['oracles'][number]['kind']>(
    'checker',
    fc.constantFrom('invariant', 'assertion', 'metric', 'log', 'health'),
  ),
  verdict: mostly<'valid' | 'invalid' | 'unknown'>('valid', fc.constantFrom('invalid', 'unknown')),
  checks: mostly(10, count),
  operations: mostly<number | null>(1000, fc.option(count)),
  ignored: mostly<number | null>(0, fc.option(count)),
  when: fc.constantFrom<'during' | 'end'>('during', 'end'),
  reason: fc.constant(null),
})

const evidences: fc.Arbitrary<Evidence> = fc
  .record({
    ended: mostly<Evidence['ended']>('completed', fc.constantFrom('timeout', 'crashed')),
    missing: mostly<boolean>(false, fc.boolean()),
    ok: mostly(900, count),
    history: mostly(
      HISTORY,
      fc.option(
        fc.record({
          operations: mostly(1000, count),
          truncated: fc.boolean(),
          clock: fc.constantFrom<'virtual' | 'monotonic' | 'wall'>('virtual', 'monotonic', 'wall'),
          reusedIds: mostly(0, count),
          outputsOfTimeouts: mostly(0, count),
          fields: fc.dictionary(
            fc.constantFrom(...HISTORY_FIELDS),
            fc.constantFrom<'recorded' | 'derived' | 'absent'>('recorded', 'derived', 'absent'),
          ),
        }),
      ) as fc.Arbitrary<Evidence['history']>,
    ),
    oracles: mostly([ORACLE], fc.array(oracles, { maxLength: 3 })),
    faults: mostly(
      goodEvidence().faults,
      fc.array(
        fc.record({
          nemesis: fc.constantFrom('full-partition', 'partition', 'hard-kill'),
          injected: count,
          landed: count,
          victimSignals: count,
          signal: fc.constant(null),
        }),
        { maxLength: 3 },
      ),
    ),
    seeds: fc.array(
      fc.record({
        seed: fc.integer({ min: 1, max: 20 }),
        outcome: mostly<'held' | 'violated' | 'unjudged'>('held', fc.constantFrom('violated', 'unjudged')),
      }),
      { maxLength: 12 },
    ),
    violations: mostly<Evidence['violations']>(
      [],
      fc.array(
        fc
          .tuple(
            fc.integer({ min: 0, max: 3 }),
            fc.constantFrom<'oracle' | 'harness' | 'environment'>('oracle', 'harness', 'environment'),
          )
          .map(([again, origin]) => violation(3, again, origin)),
        { maxLength: 2 },
      ),
    ),
    controls: mostly(
      [CONTROL],
      fc.array(
        fc.record({
          name: fc.constant('c'),
          detected: fc.boolean(),
          by: fc.constantFrom(['checker: linearizable'], []),
          message: fc.constant(''),
        }),
        { maxLength: 2 },
      ),
    ),
    recovery: mostly(goodEvidence().recovery, fc.constantFrom(null, { completed: false, tookMs: null })),
    wallMs: count,
  })
  .map(({ missing, ok, ...rest }) =>
    goodEvidence({
      ...rest,
      environment: { missing: missing ? [{ requirement: 'x', hint: 'y' }] : [], facts: {} },
      operations: [{ f: 'write', ok, fail: 0, info: 0 }],
    }),
  )

const questions: fc.Arbitrary<Question> = fc
  .record({
    serious: fc.boolean(),
    nemeses: mostly<string[]>(
      ['full-partition'],
      fc.constantFrom([], ['hard-kill'], ['full-partition', 'hard-kill']),
    ),
    checkers: mostly<string[]>(['linearizable'], fc.constantFrom([], ['linearizable', 'set'])),
    answers: mostly(question().answers, fc.constant([])),
    tier: fc.constantFrom<'smoke' | 'hardening'>('smoke', 'hardening'),
    durationMs: fc.constantFrom(0, 500),
    seeds: fc.constantFrom(1, 4),
  })
  .map(({ durationMs, seeds, ...rest }) =>
    question({
      ...rest,
      budgets: {
        smoke: budget({ seeds: Math.min(seeds, budget().seeds) }),
        hardening: budget({ seeds, operations: 500, durationMs }),
        release: null,
      },
    }),
  )

describe('over the whole input space', () => {
  it('PASS-hardening needs landed faults, a whole history, a checker on all operations, three seeds and the budget', () => {
    let passes = 0
    fc.assert(
      fc.property(questions, evidences, (asked, evidence) => {
        const { state } = verdictOf(asked, evidence)
        if (state !== 'PASS-hardening') return
        passes++
        expect(asked.nemeses.length).toBeGreaterThan(0)
        for (const nemesis of asked.nemeses) {
          const rows = evidence.faults.filter(
            (fault) =>
              fault.nemesis === nemesis || (nemesis === 'full-partition' && fault.nemesis === 'partition'),
          )
          expect(
            rows.some(({ landed }) => landed > 0) && rows.some(({ victimSignals }) => victimSignals > 0),
          ).toBe(true)
        }
        expect(
          evidence.violations.concat(
            evidence.oracles.filter(({ verdict }) => verdict === 'invalid') as never[],
          ),
        ).toEqual([])
        expect(new Set(evidence.seeds.map(({ seed }) => seed)).size).toBeGreaterThanOrEqual(3)
        expect(evidence.seeds.every(({ outcome }) => outcome === 'held')).toBe(true)
        expect(new Set(evidence.seeds.map(({ seed }) => seed)).size).toBeGreaterThanOrEqual(
          asked.budgets.hardening!.seeds,
        )
        expect(evidence.operations[0].ok).toBeGreaterThanOrEqual(500)
        expect(evidence.wallMs).toBeGreaterThanOrEqual(asked.budgets.hardening!.durationMs)
        expect(evidence.controls.some(({ detected }) => detected)).toBe(true)
        expect(evidence.controls.every(({ detected }) => detected)).toBe(true)
        expect(evidence.ended).toBe('completed')
        if (!asked.serious) return
        const { history } = evidence
        expect(history).not.toBeNull()
        expect(history!.truncated || history!.clock === 'wall').toBe(false)
        expect(history!.operations).toBeGreaterThanOrEqual(evidence.operations[0].ok)
        expect(
          neededFields(asked).filter((field) => (history!.fields[field] ?? 'absent') === 'absent'),
        ).toEqual([])
        for (const name of asked.checkers)
          expect(evidence.controls.flatMap(({ by }) => by)).toContain(`checker: ${name}`)
        const checker = evidence.oracles.filter(
          ({ name, kind }) => name === 'checker: linearizable' && kind === 'checker',
        )
        expect(checker.length).toBeGreaterThan(0)
        for (const { operations, ignored } of checker) {
          expect(operations).toBeGreaterThanOrEqual(history!.operations)
          expect(ignored ?? 0).toBe(0)
        }
      }),
      { numRuns: 6000, seed: 1 },
    )
    expect(passes, 'the generator reaches passes').toBeGreaterThan(20)
  })

  it('a violation of the system is never anything but a failure, unless the environment is missing', () => {
    fc.assert(
      fc.property(questions, evidences, (asked, evidence) => {
        const found = {
          ...evidence,
          violations: [
            ...evidence.violations.filter(({ origin }) => origin !== 'environment'),
            violation(1, 1),
          ],
        }
        const { state } = verdictOf(asked, found)
        expect(state).toBe(evidence.environment.missing.length > 0 ? 'INCONCLUSIVE-env' : 'FAIL-reproducible')
      }),
      { numRuns: 2000, seed: 2 },
    )
  })

  /** Ways in which a run can only have shown more. */
  const GROWTH: Readonly<Record<string, (evidence: Evidence) => Evidence>> = {
    'another seed holds': (e) => ({ ...e, seeds: [...e.seeds, { seed: 99, outcome: 'held' }] }),
    'a fault landed more often': (e) => ({
      ...e,
      faults: e.faults.map((f) => ({
        ...f,
        injected: f.injected + 1,
        landed: f.landed + 1,
        victimSignals: f.victimSignals + 1,
      })),
    }),
    'more operations, all of them checked': (e) => ({
      ...e,
      operations: e.operations.map((row) => ({ ...row, ok: row.ok + 500 })),
      history: e.history === null ? null : { ...e.history, operations: e.history.operations + 500 },
      oracles: e.oracles.map((o) => ({
        ...o,
        operations: o.operations === null ? null : o.operations + 500,
        checks: o.checks + 1,
      })),
    }),
    'every field is recorded': (e) => ({
      ...e,
      history: e.history === null ? null : { ...e.history, fields: HISTORY.fields },
    }),
    'the history is whole': (e) => ({
      ...e,
      history: e.history === null ? HISTORY : { ...e.history, truncated: false },
    }),
    'it ran longer': (e) => ({ ...e, wallMs: e.wallMs + 1000 }),
    'it recovered': (e) => ({ ...e, recovery: { completed: true, tookMs: 1 } }),
    'the control was rejected': (e) => ({
      ...e,
      controls: [...e.controls.map((c) => ({ ...c, detected: true })), CONTROL],
    }),
    'another topology ran': (e) => ({ ...e, topologies: [...e.topologies, 'other'] }),
    'the requirement is there': (e) => ({ ...e, environment: { ...e.environment, missing: [] } }),
  }

  const RANK: readonly RegExp[] = [
    /^NOT-RUN/,
    /^INCONCLUSIVE-env/,
    /^INCONCLUSIVE/,
    /^PARTIAL-surface/,
    /^PARTIAL-model/,
    /^PASS-smoke/,
    /^PASS-hardening/,
  ]
  const rank = (state: string): number => RANK.findIndex((pattern) => pattern.test(state))

  it.each(Object.keys(GROWTH))(
    'more evidence never moves the decision to an earlier question: %s',
    (name) => {
      fc.assert(
        fc.property(questions, evidences, (asked, evidence) => {
          const before = verdictOf(asked, evidence)
          const after = verdictOf(asked, GROWTH[name](evidence))
          expect(QUESTIONS.indexOf(after.decidedBy)).toBeGreaterThanOrEqual(
            QUESTIONS.indexOf(before.decidedBy),
          )
          // Less certain only because a later question is reached now, and then with a reason of its own.
          const isFailure = before.state.startsWith('FAIL') || after.state.startsWith('FAIL')
          const isLess = !isFailure && rank(after.state) < rank(before.state)
          const isLater = QUESTIONS.indexOf(after.decidedBy) > QUESTIONS.indexOf(before.decidedBy)
          const hasReason = after.reasons.some((reason) => !before.reasons.includes(reason))
          expect(isLess && !(isLater && hasReason)).toBe(false)
        }),
        { numRuns: 800, seed: 3 },
      )
    },
  )
})
