import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { VERDICT_STATES, type VerdictState } from '../catalog/verdicts.ts'
import { aggregateArms, aggregateTiers, sessionVerdict, type SessionVerdict } from './aggregate.ts'

describe('the arms of a scenario', () => {
  it.each<[readonly VerdictState[], VerdictState]>([
    [[], 'NOT-RUN'],
    [['NOT-RUN', 'NOT-RUN'], 'NOT-RUN'],
    [['PASS-hardening', 'PASS-hardening'], 'PASS-hardening'],
    [['PASS-hardening', 'PASS-smoke'], 'PASS-smoke'],
    [['PASS-hardening', 'NOT-RUN'], 'PARTIAL-surface'],
    [['PASS-hardening', 'PARTIAL-model'], 'PARTIAL-surface'],
    [['PASS-hardening', 'INCONCLUSIVE-env'], 'PARTIAL-surface'],
    [['PARTIAL-model', 'PARTIAL-model'], 'PARTIAL-model'],
    [['PARTIAL-model', 'NOT-RUN'], 'PARTIAL-surface'],
    [['PASS-hardening', 'FAIL-nondeterministic'], 'FAIL-nondeterministic'],
    [['FAIL-nondeterministic', 'FAIL-reproducible'], 'FAIL-reproducible'],
    [['INCONCLUSIVE-env', 'NOT-RUN'], 'INCONCLUSIVE-env'],
    [['INCONCLUSIVE-env', 'INCONCLUSIVE-oracle-too-weak'], 'INCONCLUSIVE-oracle-too-weak'],
  ])('%j make %s', (arms, expected) => {
    expect(aggregateArms(arms)).toBe(expected)
  })

  it('never pass unless all of them do, in any order', () => {
    const states = fc.array(fc.constantFrom(...VERDICT_STATES), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(states, (arms) => {
        const whole = aggregateArms(arms)
        expect(whole.startsWith('PASS')).toBe(arms.every((state) => state.startsWith('PASS')))
        expect(whole.startsWith('FAIL')).toBe(arms.some((state) => state.startsWith('FAIL')))
        expect(aggregateArms(arms.toReversed())).toBe(whole)
      }),
    )
  })

  it('meet the tier that all of them met', () => {
    expect(aggregateTiers(['release', 'smoke'])).toBe('smoke')
    expect(aggregateTiers(['hardening', null])).toBeNull()
    expect(aggregateTiers([])).toBeNull()
  })
})

describe('the verdict of a session', () => {
  it.each<[readonly VerdictState[], 'smoke' | 'hardening', SessionVerdict]>([
    [['PASS-hardening', 'FAIL-nondeterministic'], 'hardening', 'FAIL'],
    [['PASS-hardening', 'PASS-hardening'], 'hardening', 'DONE'],
    [['PASS-smoke'], 'smoke', 'DONE'],
    [['PASS-smoke'], 'hardening', 'DONE_WITH_CONCERNS'],
    [['PASS-hardening', 'NOT-RUN'], 'hardening', 'DONE_WITH_CONCERNS'],
    [['PARTIAL-model'], 'smoke', 'DONE_WITH_CONCERNS'],
    [['INCONCLUSIVE-oracle-too-weak', 'NOT-RUN'], 'smoke', 'INCONCLUSIVE'],
    [['INCONCLUSIVE-env', 'NOT-RUN'], 'smoke', 'BLOCKED'],
    [[], 'smoke', 'BLOCKED'],
  ])('%j at %s: %s', (states, tier, expected) => {
    expect(
      sessionVerdict(
        states.map((state) => ({ state, tierMet: 'hardening' as const })),
        tier,
      ),
    ).toBe(expected)
  })

  it('needs the release budget for a release', () => {
    const scenario = { state: 'PASS-hardening', tierMet: 'hardening' } as const
    expect(sessionVerdict([scenario], 'release')).toBe('DONE_WITH_CONCERNS')
    expect(sessionVerdict([{ ...scenario, tierMet: 'release' }], 'release')).toBe('DONE')
  })
})
