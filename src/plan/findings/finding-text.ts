/** The finding of one scenario as Markdown: verdict, why, evidence, audits, and what broke. A pure function of the result. */
import { VERDICTS } from '../catalog/verdicts.ts'
import { classify } from '../blame/classification.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { ArmResult, ScenarioResult, SessionResult } from '../run/session-result.ts'
import { claimsOf } from '../verdict/question.ts'
import type { Question } from '../verdict/question.ts'
import { evidenceTable } from './evidence-table.ts'

export function findingText(
  result: SessionResult,
  { id, scenario, state, tierMet, arms, gaps, question, blame }: ScenarioResult,
): string {
  const { plan, facts } = result
  const claims = claimsOf(plan, scenario)
  const lines = [
    `# ${id} ${scenario.name}`,
    '',
    `**${state}** at ${facts.tier}; budget met: ${tierMet ?? 'none'}.`,
    '',
    `It allows to say: ${VERDICTS.find((verdict) => verdict.id === state)!.allows}.`,
    '',
    ...claims.map((claim) => `- ${claim.id} (${claim.category}): ${claim.claim}`),
    ...plan.hypotheses
      .filter((each) => scenario.falsifies.includes(each.id))
      .map((each) => `- ${each.id}: ${each.hypothesis}`),
    '',
  ]
  if (gaps.length > 0) {
    lines.push('## Handed back', '', 'The plan has gaps. Nothing was run; close them and run again.', '')
    lines.push(...gaps.map(({ section, line, message }) => `- ${section}, line ${line}: ${message}`), '')
  }
  for (const arm of arms) lines.push(...armLines(arm, question))
  for (const arm of arms) lines.push(...violationLines(result, { id, blame }, claims, arm))
  return `${lines.join('\n').trimEnd()}\n`
}

function armLines(arm: ArmResult, question: Question): string[] {
  const { id, binding, verdict, evidence, file } = arm
  const lines = [
    `## Arm ${id}: ${verdict.state}`,
    '',
    `\`${binding}\`, decided by the question "${verdict.decidedBy}":`,
    '',
  ]
  lines.push(...verdict.reasons.map((reason) => `- ${reason}`), '')
  if (evidence === null) return lines
  lines.push(...evidenceTable(arm, question))
  if (evidence.notes.length > 0)
    lines.push('Notes of the run:', '', ...evidence.notes.map((note) => `- ${note}`), '')
  const open = verdict.audits.filter(({ answer }) => answer !== 'yes')
  lines.push(
    `Audits: ${verdict.audits.length - open.length} of ${verdict.audits.length} answered with yes.`,
    '',
  )
  lines.push(
    ...open.map(({ list, id: question, answer, why }) => `- ${list} / ${question}: **${answer}**, ${why}`),
  )
  if (open.length > 0) lines.push('')
  lines.push(`Evidence: \`${file}\``, '')
  return lines
}

function violationLines(
  { facts }: SessionResult,
  { id: scenario, blame }: Pick<ScenarioResult, 'id' | 'blame'>,
  claims: ReturnType<typeof claimsOf>,
  { evidence }: ArmResult,
): string[] {
  if (evidence === null) return []
  return evidence.violations.flatMap((violation, index) => {
    const { signature, message, origin, seed, seeds, reruns, reproducer, artefact, shrunk, story } = violation
    const { type, because, tags, severity } = classify(violation, evidence, claims)
    return [
      `## Violation ${index + 1}: ${signature}`,
      '',
      message,
      '',
      ...(story.length === 0 ? [] : ['```', ...story, '```', '']),
      `- Severity: ${severity}`,
      `- TaxDC type: ${type} (${because})${tags.length > 0 ? `; tags: ${tags.join(', ')}` : ''}`,
      `- Blame: ${blameText(facts.plan, scenario, origin, blame)}`,
      `- Seen in ${seeds} seeds${seed === null ? '' : `, first in seed ${seed}`}; ${reruns.failedAgain} of ${reruns.tried} identical re-runs fail again`,
      `- Reproducer: ${reproducer === null ? 'none' : `\`${reproducer}\``}`,
      ...(shrunk === null
        ? []
        : [
            `- Reduced ${shrunk.before} → ${shrunk.after} choices over ${shrunk.runs} runs; faults left: ${shrunk.faults.join(', ') || 'none'}`,
          ]),
      ...(artefact === null ? [] : [`- Artefact: ${artefact}`]),
      '',
    ]
  })
}

/** What the run itself could tell, or the argument of `plan blame`, or how to get one. */
export function blameText(
  plan: string,
  scenario: string,
  origin: Evidence['violations'][number]['origin'],
  blame: ScenarioResult['blame'],
): string {
  if (origin !== 'oracle') return `${origin}, by the run itself`
  if (blame === null) return `unknown, pending \`npx wavetank plan blame ${plan} --scenario ${scenario}\``
  const pending = blame.pending.length === 0 ? '' : `; pending: ${blame.pending.join(', ')}`
  return `${blame.blamed}: ${blame.argument.at(-1)}${pending} (findings/${scenario}-blame.md)`
}
