/** Scenarios: name, oracle, faults, budgets, control, bindings and §7.M. */
import { GREEN_BUT_BROKEN, WEAK_ORACLE } from '../catalog/audits.ts'
import { NEMESES } from '../catalog/nemeses.ts'
import { ORACLE_PATTERNS } from '../catalog/oracle-patterns.ts'
import { TECHNIQUES } from '../catalog/techniques.ts'
import { OPEN_REGIONS } from '../scaffold/skeletons.ts'
import { printBinding, type Binding } from '../model/binding.ts'
import type { Budget } from '../model/budget.ts'
import { ALWAYS_NEEDED, NEEDED_BY_MODEL } from '../model/history-fields.ts'
import type { Scenario } from '../model/plan.ts'
import { LEAST_SEEDS } from '../verdict/audits.ts'
import { claimsOf, givenBudget, isSerious } from '../verdict/question.ts'
import { unanswered } from './audit-answers.ts'
import { bindingProblem, nemesesOutOfReach } from './binding-problems.ts'
import type { Rule, RuleContext } from './lint-context.ts'

type ScenarioRule = (context: RuleContext, scenario: Scenario, path: readonly (string | number)[]) => void

/** A rule that is asked of each scenario. */
function each(rule: ScenarioRule): Rule {
  return (context) =>
    context.plan.scenarios.forEach((scenario, index) => rule(context, scenario, ['scenarios', index]))
}

const FAMILY_KINDS = new Set<string>(NEMESES.flatMap(({ families, related }) => [...families, ...related]))
const AUDITS = [...GREEN_BUT_BROKEN, ...WEAK_ORACLE]

export const SCENARIO_RULES: Readonly<Record<string, Rule>> = {
  'scenario-falsifies': each(({ plan, report }, { id, falsifies }, path) => {
    const known = new Set([...plan.claims, ...plan.hypotheses].map((entry) => entry.id))
    if (falsifies.length === 0) report([...path, 'falsifies'], `${id} falsifies nothing: name its hypotheses`)
    for (const name of falsifies)
      if (!known.has(name))
        report([...path, 'falsifies'], `${id} falsifies ${name}, which is not in the plan`)
  }),

  'scenario-name': each(({ plan, report }, scenario, path) => {
    const claims = claimsOf(plan, scenario)
    if (claims.length === 0) return
    const own = stems(scenario.name)
    if (!claims.some(({ claim }) => stems(claim).filter((word) => own.includes(word)).length >= 2))
      report(
        [...path, 'name'],
        `${scenario.id} is named "${scenario.name}", which does not say the claim it is about (${claims.map((claim) => claim.id).join(', ')})`,
      )
  }),

  oracle: each(({ report, refuseRedFlags }, { id, oracle, oraclePatterns }, path) => {
    refuseRedFlags([...path, 'oracle'], 'the oracle', oracle)
    if (!oraclePatterns.some((name) => ORACLE_PATTERNS.some((pattern) => pattern.id === name)))
      report(
        [...path, 'oracle'],
        `the oracle of ${id} names no pattern: which machine decides, and how? (wavetank catalog oracle-patterns)`,
      )
  }),

  'exit-criteria': each(({ refuseRedFlags }, { exitCriteria }, path) => {
    refuseRedFlags([...path, 'exitCriteria'], 'the exit criterion', exitCriteria)
  }),

  workload: each(({ refuseRedFlags }, { workload }, path) => {
    refuseRedFlags([...path, 'workload'], 'the workload', workload)
  }),

  'negative-control': each(({ report }, { id, negativeControls }, path) => {
    if (negativeControls.length === 0)
      report(
        path,
        `${id} has no negative control: bind something that its oracle must reject, such as \`simulation kv-broken\``,
      )
  }),

  nemeses: each(({ report }, { id, faults, nemeses }, path) => {
    for (const name of nemeses)
      if (!NEMESES.some((nemesis) => nemesis.id === name) && !FAMILY_KINDS.has(name))
        report([...path, 'faults'], `there is no nemesis "${name}" (wavetank catalog nemeses)`)
    if (nemeses.length === 0 && !/^none\b/i.test(faults))
      report(
        [...path, 'faults'],
        `the faults of ${id} name no nemesis of the catalogue; write \`none\` and the reason if there are none`,
      )
  }),

  'landing-evidence': each(({ report, refuseRedFlags }, scenario, path) => {
    if (scenario.nemeses.length === 0) return
    const text = scenario.discipline?.landingEvidence ?? scenario.landingEvidence
    const at =
      scenario.discipline === null ? [...path, 'landingEvidence'] : [...path, 'discipline', 'landingEvidence']
    if (text === '') report(at, `${scenario.id} plans faults and does not say what proves that they landed`)
    refuseRedFlags(at, 'the landing evidence', text)
  }),

  'ambiguous-outcomes': each(({ report }, { id, ambiguousOutcomes, discipline }, path) => {
    if ((discipline?.ambiguousOutcomes ?? ambiguousOutcomes) === '')
      report(
        path,
        `${id} does not say how unknown outcomes are counted: a time-out is neither a success nor a failure`,
      )
  }),

  'reduction-plan': each(({ report }, { id, reductionPlan, discipline }, path) => {
    if ((discipline?.reductionPlan ?? reductionPlan) === '')
      report(path, `${id} does not say how a failure is reduced`)
  }),

  'scenario-techniques': each(({ report }, { techniques }, path) => {
    for (const name of techniques)
      if (!TECHNIQUES.some(({ id }) => id === name))
        report([...path, 'techniques'], `there is no technique "${name}" (wavetank catalog techniques)`)
    if (techniques.length === 0)
      report([...path, 'techniques'], 'the scenario names no technique (wavetank catalog techniques)')
  }),

  budgets: each((context, scenario, path) => checkBudgets(context, scenario, path)),

  discipline: each(({ plan, report }, scenario, path) => {
    if (!isSerious(plan, scenario)) return
    const { discipline, id } = scenario
    if (discipline === null) {
      const categories = [...new Set(claimsOf(plan, scenario).map(({ category }) => category))]
      report(
        path,
        `${id} is about ${categories.join(', ')} and has no §7.M: model, history, checker, nemesis, ambiguous outcomes and reduction`,
      )
      return
    }
    const { checker, checkers } = discipline
    if (checkers.length === 0 && !/^none\s*[:—–-]\s*\S+(\s+\S+){3}/i.test(checker))
      report(
        [...path, 'discipline', 'checker'],
        'name the checker as it is in the evidence, such as `invariant: …` or `linearizable`, or write `none: reason`',
      )
    checkFields({ report }, scenario, [...path, 'discipline', 'history'])
  }),

  bindings: each(({ report }, { arms, negativeControls, swaps }, path) => {
    const all: (readonly [string, Binding | null | undefined])[] = [
      ...arms.map(({ binding }) => ['arms', binding] as const),
      ...negativeControls.map((binding) => ['negativeControls', binding] as const),
      ...Object.entries(swaps).map(([swap, binding]) => [`swaps.${swap}`, binding] as const),
    ]
    for (const [key, binding] of all) {
      const problem = binding === null || binding === undefined ? null : bindingProblem(binding)
      if (problem !== null) report([...path, ...key.split('.')], problem)
    }
    const ids = arms.map(({ id }) => id)
    if (new Set(ids).size < ids.length) report([...path, 'arms'], 'two arms have the same id')
  }),

  'binding-nemeses': each(({ report }, { arms, nemeses }, path) => {
    for (const { binding } of arms) {
      const missing = nemesesOutOfReach(binding, nemeses)
      if (missing.length > 0)
        report(
          [...path, 'arms'],
          `nothing that \`${printBinding(binding)}\` injects proves ${missing.join(', ')} (wavetank catalog nemeses ${missing[0]})`,
        )
    }
  }),

  'binding-history': each(({ plan, report }, scenario, path) => {
    const { arms, discipline } = scenario
    if (discipline === null || !isSerious(plan, scenario)) return
    const needed = [...discipline.historyFields, ...NEEDED_BY_MODEL[discipline.model]]
    for (const { binding } of arms) {
      if (binding.kind === 'race')
        report(
          [...path, 'arms'],
          `\`${printBinding(binding)}\` records no history, and a serious claim needs one`,
        )
      else if (needed.includes('node_seen') && (binding.kind === 'simulation' || binding.kind === 'real'))
        report(
          [...path, 'arms'],
          `\`${printBinding(binding)}\` does not record node_seen; a Maelstrom test does, and a command may`,
        )
    }
  }),

  audit: each(({ report }, scenario, path) => {
    const { id, audit, budgets } = scenario
    for (const { question } of audit)
      if (!AUDITS.some((entry) => entry.id === question))
        report(
          [...path, 'audit'],
          `there is no audit question "${question}" (wavetank catalog weak-oracle, green-but-broken)`,
        )
    if ('absent' in budgets.hardening) return
    const open = unanswered(scenario)
    if (open.length > 0)
      report(
        [...path, 'audit'],
        `no evidence of this scenario can answer ${open.join(', ')}: answer in the Audit field of ${id}, or PASS-hardening is out of reach`,
      )
  }),

  skeleton: each(({ report }, { skeleton }, path) => {
    if (skeleton === null) return
    const { file, code } = skeleton
    if (/^(\/|[A-Za-z]:)|(^|\/)\.\.(\/|$)/.test(file))
      report([...path, 'skeleton'], `the target ${file} is outside the project`)
    else if (!/(^|\/)auto\//.test(file))
      report(
        [...path, 'skeleton'],
        `the target ${file} must be in a folder named auto, so that readers can tell generated tests from written ones`,
      )
    const missing = OPEN_REGIONS.filter((region) => !new RegExp(`TODO[^\\n]*\\b${region}\\b`, 'i').test(code))
    if (missing.length > 0)
      report(
        [...path, 'skeleton'],
        `the skeleton leaves no TODO for ${missing.join(', ')}: it would look finished`,
      )
  }),
}

function checkFields(
  { report }: Pick<RuleContext, 'report'>,
  { discipline, nemeses }: Scenario,
  path: readonly (string | number)[],
): void {
  const needed = new Set([
    ...ALWAYS_NEEDED,
    ...NEEDED_BY_MODEL[discipline!.model],
    ...(nemeses.length > 0 ? (['fault_epoch'] as const) : []),
  ])
  const missing = [...needed].filter((field) => !discipline!.historyFields.includes(field))
  if (missing.length > 0)
    report(
      path,
      `the history lacks ${missing.join(', ')}, without which the model ${discipline!.model} cannot be judged`,
    )
}

function checkBudgets(
  { report }: Pick<RuleContext, 'report'>,
  scenario: Scenario,
  path: readonly (string | number)[],
): void {
  const { smoke, hardening, release } = scenario.budgets
  const [least, hard, most] = [givenBudget(smoke), givenBudget(hardening), givenBudget(release)]
  const at = (tier: string): readonly (string | number)[] => [...path, 'budgets', tier]
  if (least === null)
    report(at('smoke'), 'every scenario needs a smoke budget: it is what shows that the harness works')
  else if (least.seeds < LEAST_SEEDS)
    report(at('smoke'), `${least.seeds} seeds are below ${LEAST_SEEDS}: nothing below that can pass`)
  if (hard !== null) {
    if (least !== null && !isStronger(hard, least))
      report(at('hardening'), 'the hardening budget is not stronger than the smoke budget')
    if (scenario.nemeses.length > 0 && (hard.level === 'sunny' || hard.faults === 'off'))
      report(at('hardening'), 'the scenario plans faults, and its hardening budget runs without them')
    const isSimulation = scenario.arms.some(({ binding }) => binding.kind === 'simulation')
    if (isSimulation && hard.level === null)
      report(at('hardening'), 'a simulation needs a level: sunny, stormy or radioactive')
  }
  if (most !== null && (hard === null || !isStronger(most, hard)))
    report(at('release'), 'the release budget is not stronger than the hardening budget')
}

const LEVELS = [null, 'sunny', 'stormy', 'radioactive']

function isStronger(more: Budget, less: Budget): boolean {
  const pairs: readonly (readonly [number, number])[] = [
    [more.seeds, less.seeds],
    [more.operations, less.operations],
    [more.durationMs, less.durationMs],
    [more.iterations ?? 0, less.iterations ?? 0],
    [LEVELS.indexOf(more.level), LEVELS.indexOf(less.level)],
  ]
  return pairs.every(([a, b]) => a >= b) && pairs.some(([a, b]) => a > b)
}

const STOP_WORDS = new Set([
  'with',
  'that',
  'this',
  'from',
  'into',
  'when',
  'while',
  'after',
  'before',
  'never',
  'always',
  'must',
  'will',
  'each',
  'every',
  'test',
  'scenario',
  'there',
  'their',
  'which',
  'under',
])

/** Words by their first five letters: `acknowledged` and `acknowledges` are one. */
function stems(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []
  return [...new Set(words.filter((word) => !STOP_WORDS.has(word)).map((word) => word.slice(0, 5)))]
}
