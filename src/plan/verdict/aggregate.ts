/** The verdict of a scenario from its arms, and the verdict of a session from its scenarios. */
import type { VerdictState } from '../catalog/verdicts.ts'
import { TIERS, type Tier } from '../model/budget.ts'

/**
 * A failing arm fails the scenario. An arm that was not run, or only in part, caps it at PARTIAL-surface; so does one that
 * is inconclusive beside others that are not: the surfaces that were checked are clean, and no more can be said.
 */
export function aggregateArms(arms: readonly VerdictState[]): VerdictState {
  const has = (state: VerdictState): boolean => arms.includes(state)
  if (has('FAIL-reproducible')) return 'FAIL-reproducible'
  if (has('FAIL-nondeterministic')) return 'FAIL-nondeterministic'
  if (arms.every((state) => state === 'NOT-RUN')) return 'NOT-RUN'
  if (arms.every((state) => state === arms[0])) return arms[0]
  if (arms.every((state) => state.startsWith('PASS'))) return 'PASS-smoke'
  const isAnythingClean = arms.some((state) => /^(PASS|PARTIAL)/.test(state))
  if (isAnythingClean) return 'PARTIAL-surface'
  return INCONCLUSIVE.find(has)!
}

/** What hides most comes first. */
const INCONCLUSIVE: readonly VerdictState[] = [
  'INCONCLUSIVE-oracle-too-weak',
  'INCONCLUSIVE-fault-not-proven',
  'INCONCLUSIVE-env',
]

export type SessionVerdict = 'FAIL' | 'DONE_WITH_CONCERNS' | 'DONE' | 'INCONCLUSIVE' | 'BLOCKED'

export interface ScenarioOutcome {
  readonly state: VerdictState
  readonly tierMet: Tier | null
}

/** DONE needs a pass of every scenario, and the budget of the tier that was asked for. */
export function sessionVerdict(scenarios: readonly ScenarioOutcome[], tier: Tier): SessionVerdict {
  if (scenarios.some(({ state }) => state.startsWith('FAIL'))) return 'FAIL'
  if (scenarios.length > 0 && scenarios.every((each) => passesAt(each, tier))) return 'DONE'
  if (scenarios.some(({ state }) => /^(PASS|PARTIAL)/.test(state))) return 'DONE_WITH_CONCERNS'
  if (scenarios.some(({ state }) => state !== 'NOT-RUN' && state !== 'INCONCLUSIVE-env'))
    return 'INCONCLUSIVE'
  return 'BLOCKED'
}

/** PASS-smoke in a session at hardening is no pass at hardening. */
export function passesAt({ state, tierMet }: ScenarioOutcome, tier: Tier): boolean {
  if (tier === 'smoke') return state.startsWith('PASS')
  return state === 'PASS-hardening' && tierMet !== null && TIERS.indexOf(tierMet) >= TIERS.indexOf(tier)
}

/** The tier that all arms met. */
export function aggregateTiers(arms: readonly (Tier | null)[]): Tier | null {
  const least = Math.min(...arms.map((tier) => (tier === null ? -1 : TIERS.indexOf(tier))))
  return arms.length === 0 || least < 0 ? null : TIERS[least]
}

export const SESSION_MEANINGS: Readonly<Record<SessionVerdict, string>> = {
  FAIL: 'a claim is violated',
  DONE: 'every scenario passed at the tier that was asked for',
  DONE_WITH_CONCERNS: 'something passed or was checked in part, and something did not pass',
  INCONCLUSIVE: 'scenarios ran, and none of them can say anything about its claim',
  BLOCKED: 'nothing ran: the environment lacks something, or nothing was attempted',
}
