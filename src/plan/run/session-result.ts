/**
 * What a session amounts to, as data: verdicts of arms, scenarios and the session, with the evidence they rest on. A
 * pure reading of the session folder: computed again at any time, it is the same.
 */
import { relative } from 'node:path'
import type { Blame } from '../blame/blame.ts'
import type { VerdictState } from '../catalog/verdicts.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { problemsOf } from '../lint/lint.ts'
import type { Problem } from '../markdown/problem.ts'
import { printBinding } from '../model/binding.ts'
import type { Tier } from '../model/budget.ts'
import type { Plan, Scenario } from '../model/plan.ts'
import { aggregateArms, aggregateTiers, sessionVerdict, type SessionVerdict } from '../verdict/aggregate.ts'
import { questionOf, type Question } from '../verdict/question.ts'
import { verdictOf, type Verdict } from '../verdict/verdict.ts'
import type { Capability } from './environment-probe.ts'
import type { Session, SessionFacts } from './session.ts'

export interface ArmResult {
  readonly id: string
  readonly binding: string
  readonly verdict: Verdict
  readonly evidence: Evidence | null
  /** Relative to the session. */
  readonly file: string | null
}

export interface ScenarioResult {
  readonly id: string
  readonly scenario: Scenario
  readonly question: Question
  readonly state: VerdictState
  readonly tierMet: Tier | null
  readonly arms: readonly ArmResult[]
  /** Why it was handed back instead of run. */
  readonly gaps: readonly Problem[]
  /** What `plan blame` found; null before it ran. */
  readonly blame: Blame | null
}

export interface SessionResult {
  readonly plan: Plan
  readonly facts: SessionFacts
  readonly verdict: SessionVerdict
  /** All of the plan: those that were not asked for are NOT-RUN. */
  readonly scenarios: readonly ScenarioResult[]
  readonly capabilities: readonly Capability[]
}

interface Judged {
  readonly plan: Plan
  readonly session: Session
  readonly problems: readonly Problem[]
  readonly capabilities: readonly Capability[]
}

export function judgeSession({ plan, session, problems, capabilities }: Judged): SessionResult {
  const { facts } = session
  const scenarios = plan.scenarios.map((scenario) =>
    judgeScenario(plan, scenario, session, problemsOf(problems, scenario.id)),
  )
  const asked = scenarios.filter(({ id }) => facts.scenarios.includes(id))
  return { plan, facts, verdict: sessionVerdict(asked, facts.tier), scenarios, capabilities }
}

function judgeScenario(
  plan: Plan,
  scenario: Scenario,
  session: Session,
  gaps: readonly Problem[],
): ScenarioResult {
  const question = questionOf(plan, scenario, session.facts.tier)
  const arms = scenario.arms.map((arm): ArmResult => {
    const kept = session.evidenceOf(scenario.id, arm.id)
    return {
      id: arm.id,
      binding: printBinding(arm.binding),
      verdict: verdictOf(question, kept?.evidence ?? null),
      evidence: kept?.evidence ?? null,
      file: kept === null ? null : relative(session.folder, kept.file),
    }
  })
  return {
    id: scenario.id,
    scenario,
    question,
    state: aggregateArms(arms.map(({ verdict }) => verdict.state)),
    tierMet: aggregateTiers(arms.map(({ verdict }) => verdict.tierMet)),
    arms,
    gaps,
    blame: session.blameOf(scenario.id),
  }
}
