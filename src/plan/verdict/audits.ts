/**
 * The two audits of a green result, answered from the evidence as far as it goes and from the plan's answers where it is
 * silent. `open` is no answer: it never counts as yes.
 */
import { GREEN_BUT_BROKEN, WEAK_ORACLE, type AuditQuestion } from '../catalog/audits.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { heldSeeds, shortfalls, succeededOperations } from './budget-met.ts'
import { landingOf } from './landing.ts'
import type { Question } from './question.ts'
import { isDeciding, requiredOracles, unreadCheckers } from './required-oracles.ts'

/** Fewer successful operations than these are an idle workload. */
export const LEAST_OPERATIONS = 10
/** One run that passes is luck; these many that agree are a result. */
export const LEAST_SEEDS = 3

export interface AuditResult {
  readonly id: string
  readonly list: 'green-but-broken' | 'weak-oracle'
  readonly answer: 'yes' | 'no' | 'open'
  readonly why: string
  /** Where the answer comes from: computed from the evidence, or the word of the plan's author. */
  readonly by: 'evidence' | 'plan' | null
}

type Answer = Pick<AuditResult, 'answer' | 'why'>
type Compute = (question: Question, evidence: Evidence) => Answer | null

const yes = (why: string): Answer => ({ answer: 'yes', why })
const no = (why: string): Answer => ({ answer: 'no', why })
const given = (holds: boolean, why: string): Answer => (holds ? yes(why) : no(why))

/** Nemeses that cut in both directions. */
export const PARTITIONS: ReadonlySet<string> = new Set([
  'full-partition',
  'minority-partition',
  'majority-partition',
  'leader-isolation',
  'split-brain',
  'partition',
])

function budgetAnswer(question: Question, evidence: Evidence, tier: 'own' | 'hardening'): Answer {
  const budget = question.budgets[tier === 'own' ? question.tier : 'hardening']
  if (budget === null) return no(`the plan has no budget for ${tier === 'own' ? question.tier : 'hardening'}`)
  const lacks = shortfalls(budget, evidence)
  return lacks.length === 0 ? yes('the budget was spent') : no(lacks.join('; '))
}

function landedTotal(question: Question, evidence: Evidence): number {
  return question.nemeses.reduce((sum, nemesis) => sum + landingOf(nemesis, evidence).landed, 0)
}

const COMPUTED: Readonly<Record<string, Compute>> = {
  'load-generated': (_, evidence) => {
    const succeeded = succeededOperations(evidence)
    return given(succeeded >= LEAST_OPERATIONS, `${succeeded} operations succeeded`)
  },
  'oracle-ran': (question, evidence) => {
    const unread = unreadCheckers(question, evidence)
    if (unread.length > 0) return no(`no check by ${unread.join(', ')}`)
    const checks = requiredOracles(question, evidence).reduce((sum, oracle) => sum + oracle.checks, 0)
    return given(checks > 0, `${checks} checks`)
  },
  'faults-on-both-sides': (question, evidence) => {
    const unproven = question.nemeses
      .map((nemesis) => landingOf(nemesis, evidence))
      .filter(({ proven }) => !proven)
    return unproven.length === 0
      ? yes(question.nemeses.length === 0 ? 'no fault is planned' : 'each has both signals')
      : no(unproven.map(({ why }) => why).join('; '))
  },
  'no-silent-no-op': (question, evidence) => {
    const idle = question.nemeses
      .map((nemesis) => landingOf(nemesis, evidence))
      .filter(({ injected, landed }) => injected > 0 && landed === 0)
    return given(
      idle.length === 0,
      idle.length === 0 ? 'none' : `without effect: ${idle.map(({ nemesis }) => nemesis).join(', ')}`,
    )
  },
  'clocks-did-not-mask': (_, { history }) =>
    history === null ? null : given(history.clock !== 'wall', `times are ${history.clock}`),
  'duration-met': (question, evidence) => budgetAnswer(question, evidence, 'own'),
  'no-swallowed-errors': (_, evidence) => {
    const unjudged = evidence.seeds.filter(({ outcome }) => outcome === 'unjudged').length
    if (unjudged > 0) return no(`${unjudged} seeds could not be judged`)
    return given(
      evidence.ended === 'completed',
      `the run ${evidence.ended === 'completed' ? 'completed' : `ended by ${evidence.ended}`}`,
    )
  },
  'recovery-completed': (question, { recovery }) => {
    if (recovery !== null)
      return given(recovery.completed, recovery.completed ? 'it did its work again' : 'it did not recover')
    return question.nemeses.length === 0 ? yes('no fault is planned') : null
  },
  'more-than-one-pass': (_, evidence) =>
    given(heldSeeds(evidence) >= LEAST_SEEDS, `${heldSeeds(evidence)} seeds held`),
  'final-state-only': (question, evidence) => {
    const during = requiredOracles(question, evidence).filter(
      ({ kind, when }) => when === 'during' || kind === 'checker',
    )
    return given(
      during.length > 0,
      during.length > 0 ? `${during[0].name} sees the whole run` : 'only the end is looked at',
    )
  },
  'logs-only': (question, evidence) => kindsBeyond(question, evidence, 'log'),
  'health-only': (question, evidence) => kindsBeyond(question, evidence, 'health'),
  'single-failover': (question, evidence) => {
    const landed = landedTotal(question, evidence)
    return question.nemeses.length === 0
      ? yes('no fault is planned')
      : given(landed > 1, `faults landed ${landed} times`)
  },
  'no-error-metrics': (question, evidence) => {
    const deciding = requiredOracles(question, evidence).filter(
      (oracle) =>
        isDeciding(oracle) || oracle.kind === 'assertion' || (oracle.kind === 'metric' && !question.serious),
    )
    return given(
      deciding.length > 0,
      deciding.length > 0 ? `${deciding[0].name} decides` : 'nothing but the absence of errors decides',
    )
  },
  'short-run': (question, evidence) => budgetAnswer(question, evidence, 'hardening'),
  'symmetric-partitions-only': (question, evidence) => {
    if (!question.nemeses.some((nemesis) => PARTITIONS.has(nemesis))) return yes('no partition is planned')
    return landingOf('asymmetric-partition', evidence).proven ? yes('a one-way cut landed') : null
  },
  'wall-clock': (_, { history }) =>
    history === null ? null : given(history.clock !== 'wall', `times are ${history.clock}`),
  'one-topology': (_, { topologies }) => (new Set(topologies).size > 1 ? yes(topologies.join(', ')) : null),
  'one-seed': (_, evidence) => given(heldSeeds(evidence) >= LEAST_SEEDS, `${heldSeeds(evidence)} seeds held`),
}

function kindsBeyond(question: Question, evidence: Evidence, weak: string): Answer {
  const others = requiredOracles(question, evidence).filter(({ kind }) => kind !== weak)
  return given(
    others.length > 0,
    others.length > 0 ? `${others[0].name} is a ${others[0].kind}` : `nothing but ${weak} checks`,
  )
}

/** Both audits, in the order of the catalogue. */
export function audit(question: Question, evidence: Evidence): AuditResult[] {
  return [
    ...GREEN_BUT_BROKEN.map((entry) => answer(entry, 'green-but-broken', question, evidence)),
    ...WEAK_ORACLE.map((entry) => answer(entry, 'weak-oracle', question, evidence)),
  ]
}

function answer(
  { id, decides }: AuditQuestion,
  list: AuditResult['list'],
  question: Question,
  evidence: Evidence,
): AuditResult {
  const computed = decides === 'plan' ? null : (COMPUTED[id]?.(question, evidence) ?? null)
  if (computed !== null) return { id, list, ...computed, by: 'evidence' }
  const said = question.answers.find((each) => each.question === id)
  if (said === undefined)
    return {
      id,
      list,
      answer: 'open',
      why: 'neither the evidence nor the Audit field of the scenario answers it',
      by: null,
    }
  return {
    id,
    list,
    answer: said.answer === 'no' ? 'no' : 'yes',
    why: `the plan: ${said.answer}, ${said.reason}`,
    by: 'plan',
  }
}
