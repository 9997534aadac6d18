/**
 * The verdict: a pure function of what the plan demands and of what the evidence shows. The questions are asked in a fixed
 * order, and the first that is answered badly decides:
 *
 *   attempted? → environment there? → any violation? → ended by itself? → workload alive? → faults proven? →
 *   oracle ran? → oracle can fail? → history whole? → all operations read? → all seeds judged? → three seeds? → budget?
 *
 * Only then is it a pass, and only with faults that landed, the hardening budget and clean audits is it PASS-hardening.
 * No option, environment variable or plan can change the order or skip a question.
 */
import type { VerdictState } from '../catalog/verdicts.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Tier } from '../model/budget.ts'
import { audit, LEAST_OPERATIONS, LEAST_SEEDS, type AuditResult } from './audits.ts'
import { heldSeeds, shortfalls, succeededOperations } from './budget-met.ts'
import { historyWeaknesses } from './history-weakness.ts'
import { landingOf } from './landing.ts'
import type { Question } from './question.ts'
import { isDeciding, isNamed, requiredOracles, unreadCheckers } from './required-oracles.ts'

export interface Verdict {
  readonly state: VerdictState
  /** The question that decided: one of {@link QUESTIONS}, or `pass`. */
  readonly decidedBy: string
  /** Why it is this state, and why it is no better; never empty. */
  readonly reasons: readonly string[]
  /** The hardest tier whose budget was spent; null if none. */
  readonly tierMet: Tier | null
  readonly audits: readonly AuditResult[]
}

type Decision = readonly [state: VerdictState, reasons: readonly string[]]
type Ask = (question: Question, evidence: Evidence) => Decision | null

const WEAK = 'INCONCLUSIVE-oracle-too-weak'

function environment(_: Question, { environment: { missing }, violations }: Evidence): Decision | null {
  const reasons = [
    ...missing.map(({ requirement, hint }) => `${requirement} is missing: ${hint}`),
    ...violations.filter(({ origin }) => origin === 'environment').map(({ message }) => message),
  ]
  return reasons.length > 0 ? ['INCONCLUSIVE-env', reasons] : null
}

/** A failure is never lost: a violated seed or an invalid oracle counts also without a record of the violation. */
function violation(_: Question, { violations, seeds, oracles }: Evidence): Decision | null {
  const found = violations.filter(({ origin }) => origin === 'oracle')
  const again = found.find(({ reruns }) => reruns.tried > 0 && reruns.failedAgain === reruns.tried)
  if (again !== undefined)
    return [
      'FAIL-reproducible',
      [again.message, `${again.reruns.failedAgain} of ${again.reruns.tried} identical re-runs fail again`],
    ]
  if (found.length > 0) {
    const [{ message, reruns }] = found
    return [
      'FAIL-nondeterministic',
      [
        message,
        reruns.tried === 0
          ? 'it was not run again'
          : `${reruns.failedAgain} of ${reruns.tried} identical re-runs fail again`,
      ],
    ]
  }
  const isHarness = violations.some(({ origin }) => origin === 'harness')
  const invalid = oracles.find(({ verdict }) => verdict === 'invalid')
  if (invalid !== undefined)
    return [
      'FAIL-nondeterministic',
      [`${invalid.name} is invalid`, 'the evidence has no record of the violation'],
    ]
  const violated = seeds.filter(({ outcome }) => outcome === 'violated')
  if (violated.length > 0 && !isHarness)
    return [
      'FAIL-nondeterministic',
      [`seed ${violated[0].seed} is violated`, 'the evidence has no record of the violation'],
    ]
  return null
}

function ending(_: Question, { ended, violations, notes }: Evidence): Decision | null {
  const harness = violations.filter(({ origin }) => origin === 'harness')
  if (harness.length > 0) return [WEAK, harness.map(({ message }) => `the harness failed: ${message}`)]
  if (ended === 'completed') return null
  return [
    WEAK,
    [ended === 'timeout' ? 'the run did not end in time and was ended' : 'the run crashed', ...notes],
  ]
}

function workload(_: Question, evidence: Evidence): Decision | null {
  const succeeded = succeededOperations(evidence)
  return succeeded >= LEAST_OPERATIONS
    ? null
    : [WEAK, [`only ${succeeded} operations succeeded: an idle workload proves nothing`]]
}

function faults({ nemeses }: Question, evidence: Evidence): Decision | null {
  const unproven = nemeses.map((nemesis) => landingOf(nemesis, evidence)).filter(({ proven }) => !proven)
  return unproven.length > 0 ? ['INCONCLUSIVE-fault-not-proven', unproven.map(({ why }) => why)] : null
}

function oracleRan(question: Question, evidence: Evidence): Decision | null {
  const ran = evidence.oracles.filter(({ checks }) => checks > 0)
  if (ran.length === 0) return [WEAK, ['no oracle made a check']]
  const unread = unreadCheckers(question, evidence)
  const isModelMissing =
    question.serious && (question.checkers.length === 0 || unread.length === question.checkers.length)
  if (isModelMissing)
    return [
      'PARTIAL-surface',
      [
        unread.length > 0 ? `${unread.join(', ')} made no check` : 'the plan names no checker',
        `${ran.map(({ name }) => name).join(', ')} found nothing`,
      ],
    ]
  if (unread.length > 0) return [partial(question), unread.map((name) => `${name} made no check`)]
  const unknown = requiredOracles(question, evidence).filter(({ verdict }) => verdict === 'unknown')
  return unknown.length > 0
    ? [
        WEAK,
        unknown.map(({ name, reason }) => `${name} cannot decide${reason === null ? '' : `: ${reason}`}`),
      ]
    : null
}

/** An oracle that never rejected anything may be unable to. */
function control(question: Question, evidence: Evidence): Decision | null {
  const { controls } = evidence
  if (controls.length === 0)
    return [WEAK, ['no negative control ran: nothing shows that the oracle can fail']]
  const missed = controls.filter(({ detected }) => !detected)
  if (missed.length > 0)
    return [WEAK, missed.map(({ name }) => `the oracle did not reject the negative control ${name}`)]
  const required = requiredOracles(question, evidence)
  const rejecting = controls.flatMap(({ by }) => by)
  const idle = required.filter((oracle) => !rejecting.some((name) => isNamed(oracle, name)))
  if (idle.length === required.length)
    return [
      WEAK,
      [
        `the negative control was rejected by ${rejecting.join(', ') || 'something else'}, not by an oracle of this scenario`,
      ],
    ]
  // Where the plan names its checkers, each of them must be able to fail.
  return idle.length > 0 && question.checkers.length > 0
    ? [partial(question), idle.map(({ name }) => `no negative control was rejected by ${name}`)]
    : null
}

function history(question: Question, evidence: Evidence): Decision | null {
  if (!question.serious) return null
  const why = historyWeaknesses(question, evidence)
  return why.length > 0 ? [WEAK, why] : null
}

function scope(question: Question, evidence: Evidence): Decision | null {
  if (!question.serious) return null
  const total = evidence.history?.operations ?? 0
  const short = requiredOracles(question, evidence).filter(
    (oracle) =>
      isDeciding(oracle) &&
      (oracle.operations === null || oracle.operations < total || (oracle.ignored ?? 0) > 0),
  )
  return short.length > 0
    ? [
        'PARTIAL-model',
        short.map(
          ({ name, operations, ignored }) =>
            `${name} read ${operations ?? 'an unknown number'} of ${total} operations${(ignored ?? 0) > 0 ? ` and ignored ${ignored}` : ''}`,
        ),
      ]
    : null
}

function seedsJudged(question: Question, { seeds }: Evidence): Decision | null {
  const unjudged = seeds.filter(({ outcome }) => outcome === 'unjudged')
  return unjudged.length > 0
    ? [partial(question), [`${unjudged.length} of ${seeds.length} seeds could not be judged`]]
    : null
}

function seedsEnough(question: Question, evidence: Evidence): Decision | null {
  const held = heldSeeds(evidence)
  return held >= LEAST_SEEDS ? null : [partial(question), [`${held} seeds held; ${LEAST_SEEDS} must agree`]]
}

/** The smoke budget is the least that any pass needs. */
function budget(question: Question, evidence: Evidence): Decision | null {
  const { smoke } = question.budgets
  if (smoke === null) return [partial(question), ['the plan has no smoke budget']]
  const lacks = shortfalls(smoke, evidence)
  return lacks.length > 0 ? [partial(question), lacks.map((lack) => `below the smoke budget: ${lack}`)] : null
}

function partial({ serious }: Question): VerdictState {
  return serious ? 'PARTIAL-model' : 'PARTIAL-surface'
}

const ORDER: readonly (readonly [name: string, ask: Ask])[] = [
  ['environment', environment],
  ['violation', violation],
  ['ending', ending],
  ['workload', workload],
  ['faults', faults],
  ['oracle-ran', oracleRan],
  ['negative-control', control],
  ['history', history],
  ['scope', scope],
  ['seeds-judged', seedsJudged],
  ['seeds-enough', seedsEnough],
  ['budget', budget],
]

/** The questions in their order; `pass` is what is left. */
export const QUESTIONS: readonly string[] = ['attempted', ...ORDER.map(([name]) => name), 'pass']

/** `evidence` is null for a scenario that was never attempted. */
export function verdictOf(question: Question, evidence: Evidence | null): Verdict {
  if (evidence === null)
    return {
      state: 'NOT-RUN',
      decidedBy: 'attempted',
      reasons: [
        question.budgets[question.tier] === null
          ? `it was not attempted: the plan has no ${question.tier} budget for it`
          : 'it was not attempted',
      ],
      tierMet: null,
      audits: [],
    }
  const audits = audit(question, evidence)
  const tierMet = metTier(question, evidence)
  for (const [decidedBy, ask] of ORDER) {
    const decision = ask(question, evidence)
    if (decision !== null) return { state: decision[0], decidedBy, reasons: decision[1], tierMet, audits }
  }
  const short = shortOfHardening(question, evidence, audits)
  const [state, reasons]: Decision =
    short.length > 0
      ? ['PASS-smoke', short]
      : [
          'PASS-hardening',
          [
            `faults landed, a checker read all operations, ${heldSeeds(evidence)} seeds agree, and the ${tierMet} budget was spent`,
          ],
        ]
  return { state, decidedBy: 'pass', reasons, tierMet, audits }
}

function shortOfHardening(question: Question, evidence: Evidence, audits: readonly AuditResult[]): string[] {
  const reasons: string[] = []
  if (question.nemeses.length === 0) reasons.push('no fault was planned at this tier')
  const { hardening } = question.budgets
  if (hardening === null) reasons.push('the plan has no hardening budget')
  else reasons.push(...shortfalls(hardening, evidence).map((lack) => `below the hardening budget: ${lack}`))
  if (reasons.length > 0) return reasons
  return audits
    .filter(({ answer }) => answer !== 'yes')
    .map(({ id, answer, why }) => `audit ${id}: ${answer === 'open' ? 'open' : 'no'}, ${why}`)
}

function metTier({ budgets, nemeses }: Question, evidence: Evidence): Tier | null {
  const isMet = (tier: Tier): boolean => {
    const budget = budgets[tier]
    return (
      budget !== null && (tier === 'smoke' || nemeses.length > 0) && shortfalls(budget, evidence).length === 0
    )
  }
  if (!isMet('smoke')) return null
  if (!isMet('hardening')) return 'smoke'
  return isMet('release') ? 'release' : 'hardening'
}
