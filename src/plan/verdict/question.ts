/**
 * What a plan demands of one arm at one tier: the other half of a verdict, besides the evidence. It is made from the
 * scenario before the run, so that nothing can be demanded less once results are there.
 */
import { CLAIM_CATEGORIES } from '../catalog/claim-categories.ts'
import type { ModelName } from '../catalog/oracle-patterns.ts'
import { plansFaults, type Budget, type Tier } from '../model/budget.ts'
import type { HistoryField } from '../model/history-fields.ts'
import type { Plan, Scenario } from '../model/plan.ts'

export interface AuditAnswer {
  readonly question: string
  readonly answer: 'yes' | 'no' | 'n/a'
  readonly reason: string
}

export interface Question {
  /** A claim of a serious category is at stake: model, history and checker are demanded. */
  readonly serious: boolean
  readonly model: ModelName | null
  readonly historyFields: readonly HistoryField[]
  /** Oracles that must have run, by their names in the evidence. */
  readonly checkers: readonly string[]
  /** Nemeses that must land in this tier; empty if it plans none. */
  readonly nemeses: readonly string[]
  readonly tier: Tier
  readonly budgets: {
    readonly smoke: Budget | null
    readonly hardening: Budget | null
    readonly release: Budget | null
  }
  readonly answers: readonly AuditAnswer[]
}

const SERIOUS: ReadonlySet<string> = new Set(
  CLAIM_CATEGORIES.filter(({ serious }) => serious).map(({ id }) => id),
)

/** The claims that a scenario could show false, directly or by its hypotheses. */
export function claimsOf(plan: Plan, scenario: Scenario): Plan['claims'] {
  const named = new Set(scenario.falsifies)
  for (const { id, falsifies } of plan.hypotheses)
    if (named.has(id)) falsifies.forEach((claim) => named.add(claim))
  return plan.claims.filter(({ id }) => named.has(id))
}

export function isSerious(plan: Plan, scenario: Scenario): boolean {
  return claimsOf(plan, scenario).some(({ category }) => SERIOUS.has(category))
}

export function questionOf(plan: Plan, scenario: Scenario, tier: Tier): Question {
  const { discipline, budgets, audit } = scenario
  const budget = givenBudget(budgets[tier])
  return {
    serious: isSerious(plan, scenario),
    model: discipline?.model ?? null,
    historyFields: discipline?.historyFields ?? [],
    checkers: discipline?.checkers ?? [],
    nemeses: plansFaults(budget, tier) ? scenario.nemeses : [],
    tier,
    budgets: {
      smoke: givenBudget(budgets.smoke),
      hardening: givenBudget(budgets.hardening),
      release: givenBudget(budgets.release),
    },
    answers: audit,
  }
}

/** Null for a tier that the plan leaves out. */
export function givenBudget(budget: Scenario['budgets']['smoke']): Budget | null {
  return 'absent' in budget ? null : budget
}
