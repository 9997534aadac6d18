/**
 * The linter: what a plan must have before it is worth running. First what the reader and the schema found, and what is
 * left open; if the plan is well formed, every rule. A plan without problems can still be a bad plan; one with problems is not
 * executed.
 */
import type { Problem } from '../markdown/problem.ts'
import type { PlanDocument } from '../markdown/read-plan.ts'
import { BOUNDARY_RULES } from './boundary-rules.ts'
import { CLAIM_RULES } from './claim-rules.ts'
import { ENDING_RULES } from './ending-rules.ts'
import { LintContext, type Project, type Rule } from './lint-context.ts'
import { openPlaces } from './open-places.ts'
import { SCENARIO_RULES } from './scenario-rules.ts'

export const RULES: Readonly<Record<string, Rule>> = {
  ...CLAIM_RULES,
  ...SCENARIO_RULES,
  ...BOUNDARY_RULES,
  ...ENDING_RULES,
}

/** Problems in the order of their lines. `project` looks up the sources that claims cite; without it they are not checked. */
export function lintPlan(document: PlanDocument, project: Project | null = null): readonly Problem[] {
  const early = [...document.problems, ...openPlaces(document.text)]
  if (document.plan === null) return early.toSorted((a, b) => a.line - b.line)
  const context = new LintContext(document, document.plan, project)
  for (const [name, rule] of Object.entries(RULES)) rule(context.for(name))
  return [...early, ...context.problems].toSorted((a, b) => a.line - b.line)
}

/** Problems that concern one scenario, or the plan as a whole: a bad scenario does not keep a good one from running. */
export function problemsOf(problems: readonly Problem[], scenario: string): readonly Problem[] {
  const other = /^§7(?:\.M(?:\.S)?)? (S\d+)$/
  return problems.filter(({ section }) => {
    const [, id] = other.exec(section) ?? []
    return id === undefined || id === scenario
  })
}
