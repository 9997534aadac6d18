/**
 * The report of a session as Markdown: what a reviewer needs besides the plan, and nothing that the verdicts do not
 * carry. Confidence is said in the words of the catalogue of verdicts; there is no other source of words for it.
 */
import { classify } from '../blame/classification.ts'
import { VERDICTS } from '../catalog/verdicts.ts'
import type { Violation } from '../evidence/evidence.ts'
import type { ScenarioResult, SessionResult } from '../run/session-result.ts'
import { passesAt, SESSION_MEANINGS } from '../verdict/aggregate.ts'
import { claimsOf, givenBudget } from '../verdict/question.ts'
import { landingOf } from '../verdict/landing.ts'
import { requiredOracles } from '../verdict/required-oracles.ts'
import { evidenceTable } from './evidence-table.ts'
import { blameText } from './finding-text.ts'

export function reportText(result: SessionResult): string {
  const parts = [
    head(result),
    scenarioTable(result),
    violations(result),
    evidences(result),
    hypotheses(result),
    surfaces(result),
    releaseBudgets(result),
    adequacy(result),
    confidence(result),
    residual(result),
    environment(result),
  ]
  return `${parts.flat().join('\n').trimEnd()}\n`
}

function head({ plan, facts, verdict, scenarios }: SessionResult): string[] {
  const asked = scenarios.filter(({ id }) => facts.scenarios.includes(id))
  const part = asked.length < scenarios.length ? ` --scenario ${facts.scenarios.join(',')}` : ''
  const passed = asked.filter((each) => passesAt(each, facts.tier)).length
  return [
    `# Report: ${plan.title.replace(/^Plan:\s*/, '')}`,
    '',
    `**${verdict}**: ${SESSION_MEANINGS[verdict]}. ${passed} of ${asked.length} scenarios passed at ${facts.tier}.`,
    '',
    '| field | value |',
    '| --- | --- |',
    `| Plan | ${facts.plan} (${facts.planHash}) |`,
    `| System | ${plan.header.system} |`,
    `| Started | ${facts.startedAt} |`,
    `| Budget | ${facts.tier} |`,
    `| Run it again | \`npx wavetank plan run ${facts.plan} --budget ${facts.tier}${part}\` |`,
    '',
  ]
}

function scenarioTable({ scenarios }: SessionResult): string[] {
  const lines = [
    '## Scenarios',
    '',
    '| ID | Scenario | Verdict | Oracle | It ran | Faults landed | Artefact |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ]
  for (const { id, scenario, arms, question, gaps } of scenarios) {
    for (const { id: arm, verdict, evidence, file } of arms) {
      const oracles = evidence === null ? [] : requiredOracles(question, evidence)
      const landed = evidence === null ? [] : question.nemeses.map((nemesis) => landingOf(nemesis, evidence))
      lines.push(
        row([
          arms.length > 1 ? `${id} ${arm}` : id,
          scenario.name,
          verdict.state,
          scenario.oraclePatterns.join(', '),
          oracles
            .map(
              ({ name, checks, operations }) =>
                `${name}: ${checks} checks${operations === null ? '' : ` over ${operations} operations`}`,
            )
            .join('; ') || 'no',
          landed
            .map(({ nemesis, landed: times, signals }) => `${nemesis} ${times} (${signals} signals)`)
            .join('; ') || (question.nemeses.length > 0 ? 'no' : 'none planned'),
          file === null ? '–' : `\`${file}\``,
        ]),
      )
    }
    if (gaps.length > 0)
      lines.push(row([id, 'handed back', `${gaps.length} gaps in the plan`, '', '', '', `findings/${id}.md`]))
  }
  return [...lines, '', ...why(scenarios)]
}

/** Why each scenario is not better than it is. */
function why(scenarios: readonly ScenarioResult[]): string[] {
  const lines = scenarios.flatMap(({ id, arms }) =>
    arms
      .filter(({ verdict }) => verdict.state !== 'PASS-hardening')
      .map(
        ({ id: arm, verdict }) => `- ${id} ${arm}: ${verdict.state}, because ${verdict.reasons.join('; ')}`,
      ),
  )
  return lines.length === 0 ? [] : ['Why no better:', '', ...lines, '']
}

function violations({ plan, facts, scenarios }: SessionResult): string[] {
  const found = scenarios.flatMap(({ id, arms, blame, scenario }) =>
    arms.flatMap(({ evidence }) =>
      (evidence?.violations ?? []).map((violation) => ({
        id,
        violation,
        blame: blameText(facts.plan, id, violation.origin, blame),
        kind: classify(violation, evidence!, claimsOf(plan, scenario)),
      })),
    ),
  )
  if (found.length === 0) return ['## Findings', '', 'No violation was observed.', '']
  return [
    '## Findings',
    '',
    ...found.flatMap(({ id, violation, blame, kind }, index) => [
      `- F${index + 1} in ${id} (findings/${id}.md): ${violation.signature}: ${violation.message.split('\n')[0]}. Severity ${kind.severity}, type ${kind.type}, seen in ${violation.seeds} seeds, ${violation.reruns.failedAgain} of ${violation.reruns.tried} re-runs fail again. Blame: ${blame}. Reproducer: ${violation.reproducer === null ? 'none' : `\`${violation.reproducer}\``}`,
      ...storyBlock(violation),
    ]),
    '',
  ]
}

/** The few lines that tell what happened, below their finding. */
function storyBlock({ story, shrunk }: Violation): string[] {
  if (story.length === 0) return []
  const reduced = shrunk === null ? '' : `, reduced ${shrunk.before} → ${shrunk.after} choices`
  return [
    `  The same bug as a story${reduced}:`,
    '',
    '  ```',
    ...story.map((line) => `  ${line}`),
    '  ```',
    '',
  ]
}

/** What each verdict rests on, so that a reader needs no other file. */
function evidences({ scenarios }: SessionResult): string[] {
  const lines = scenarios.flatMap(({ id, arms, question }) =>
    arms
      .filter(({ evidence }) => evidence !== null)
      .flatMap((arm) => [
        `### ${arms.length > 1 ? `${id} ${arm.id}` : id}: \`${arm.binding}\``,
        '',
        ...evidenceTable(arm, question),
      ]),
  )
  return lines.length === 0 ? [] : ['## Evidence', '', ...lines]
}

function hypotheses({ plan, scenarios }: SessionResult): string[] {
  const lines = plan.hypotheses.map(({ id, hypothesis, falsifies }) => {
    const tested = scenarios.filter(({ scenario }) => scenario.falsifies.includes(id))
    return row([
      id,
      hypothesis,
      falsifies.join(', '),
      tested.map((each) => `${each.id} ${each.state}`).join(', ') || 'not tested',
    ])
  })
  return [
    '## Hypotheses',
    '',
    '| ID | Hypothesis | Falsifies | Tested by |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ]
}

function surfaces({ scenarios }: SessionResult): string[] {
  const lines = scenarios
    .filter(({ scenario }) => scenario.boundary !== null)
    .flatMap(({ id, scenario, arms }) => [
      `- ${id} declares the surfaces ${scenario.boundary!.Surfaces}`,
      ...arms.map((arm) => `  - arm ${arm.id}: ${arm.verdict.state}`),
    ])
  return lines.length === 0 ? [] : ['## Surfaces', '', ...lines, '']
}

function releaseBudgets({ scenarios }: SessionResult): string[] {
  const lines = scenarios.map(({ id, scenario, tierMet }) => {
    const { release } = scenario.budgets
    if ('absent' in release) return `- ${id}: none, ${release.absent}. Revisit when ${release.revisit}.`
    return `- ${id}: ${tierMet === 'release' ? 'spent' : `not spent (${givenBudget(release)!.seeds} seeds are planned)`}`
  })
  return ['## Release budgets', '', ...lines, '']
}

/** The plan says which scenarios would be enough for a claim; this says which of them carry it. */
function adequacy({ plan, scenarios }: SessionResult): string[] {
  const lines = plan.adequacy.map(({ claim, scenarios: named, threat }) => {
    const states = named
      .map((id) => scenarios.find((each) => each.id === id))
      .filter((each) => each !== undefined)
    const isCarried = states.length > 0 && states.every(({ state }) => state === 'PASS-hardening')
    const text = isCarried
      ? plan.coverage.some((cell) => cell.claim === claim && cell.state !== 'covered')
        ? 'as planned, and the plan itself calls the claim covered in part (§5)'
        : 'as planned'
      : `short of the plan: ${states
          .filter(({ state }) => state !== 'PASS-hardening')
          .map(({ id, state }) => `${id} is ${state}`)
          .join(', ')}`
    return row([claim, threat, text])
  })
  return [
    '## Adequacy against the plan',
    '',
    '| Claim | Threat model | Evidence |',
    '| --- | --- | --- |',
    ...lines,
    '',
  ]
}

function confidence({ plan, scenarios }: SessionResult): string[] {
  const lines = plan.claims.map((claim) => {
    const about = scenarios.filter(({ scenario }) => claimsOf(plan, scenario).includes(claim))
    const words = about.map(({ id, state }) => {
      const { allows, confidence: delta } = VERDICTS.find((verdict) => verdict.id === state)!
      return `${delta} (${id}: ${allows})`
    })
    const text = claim.claim.replace(/\.$/, '')
    return `- ${claim.id}, ${text}: ${words.join('; ') || 'unchanged (no scenario is about it)'}`
  })
  return ['## Confidence, compared with before', '', ...lines, '']
}

function residual({ plan, scenarios }: SessionResult): string[] {
  const open = scenarios
    .filter(({ state }) => !state.startsWith('PASS') && !state.startsWith('FAIL'))
    .map(({ id, state, scenario }) => `- ${id} is ${state}: nothing is known about "${scenario.name}"`)
  return [
    '## Residual uncertainty',
    '',
    ...open,
    ...plan.coverage
      .filter(({ state }) => state !== 'covered')
      .map(
        ({ claim, hypothesis, state, gap }) =>
          `- ${claim} × ${hypothesis} is ${state === 'not' ? 'not covered' : 'covered in part'} by the plan itself: ${gap ?? 'no kind of gap is named'}`,
      ),
    ...plan.residual.map(({ what, why: because, revisit }) => `- ${what}: ${because}; revisit: ${revisit}`),
    `- Not covered by the plan: ${plan.notCovered.replaceAll('\n', ' ')}`,
    '',
  ]
}

function environment({ capabilities, scenarios }: SessionResult): string[] {
  const rows = capabilities.map(({ requirement, floor, version, state, hint }) =>
    row([requirement, floor, version ?? '–', state === 'present' ? state : `${state}: ${hint}`]),
  )
  const versions = scenarios
    .flatMap(({ arms }) => arms.flatMap(({ evidence }) => Object.entries(evidence?.source.versions ?? {})))
    .map(([name, version]) => `${name} ${version}`)
  const [platforms, revisions] = ['platform', 'revision'].map((fact) => factsOf(scenarios, fact))
  return [
    '## Environment',
    '',
    '| Requirement | Floor | Found | State |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    ...(platforms.length > 0 ? [`Ran on ${platforms.join(', ')}.`, ''] : []),
    ...(revisions.length > 0 ? [`The system is at commit ${revisions.join(', then at ')}.`, ''] : []),
    ...(versions.length > 0 ? [`Ran with ${[...new Set(versions)].join(', ')}.`, ''] : []),
  ]
}

/** Different ones only: a session that was resumed may have met several. */
function factsOf(scenarios: readonly ScenarioResult[], name: string): string[] {
  const found = scenarios.flatMap(({ arms }) => arms.map(({ evidence }) => evidence?.environment.facts[name]))
  return [...new Set(found.filter((fact) => fact !== undefined))]
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
