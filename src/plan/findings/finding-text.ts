/** The finding of one scenario as Markdown: verdict, why, evidence, audits, and what broke. A pure function of the result. */
import { VERDICTS } from '../catalog/verdicts.ts'
import { classify } from '../blame/classification.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { ArmResult, ScenarioResult, SessionResult } from '../run/session-result.ts'
import { claimsOf } from '../verdict/question.ts'
import { landingOf } from '../verdict/landing.ts'

export function findingText(
  result: SessionResult,
  { id, scenario, state, tierMet, arms, gaps, question }: ScenarioResult,
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
  for (const arm of arms) lines.push(...armLines(arm, question.nemeses))
  for (const arm of arms) lines.push(...violationLines(result, id, claims, arm))
  return `${lines.join('\n').trimEnd()}\n`
}

function armLines({ id, binding, verdict, evidence, file }: ArmResult, nemeses: readonly string[]): string[] {
  const lines = [
    `## Arm ${id}: ${verdict.state}`,
    '',
    `\`${binding}\`, decided by the question "${verdict.decidedBy}":`,
    '',
  ]
  lines.push(...verdict.reasons.map((reason) => `- ${reason}`), '')
  if (evidence === null) return lines
  lines.push(...evidenceLines(evidence, nemeses))
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

function evidenceLines(evidence: Evidence, nemeses: readonly string[]): string[] {
  const { operations, history, oracles, seeds, controls, wallMs, simulatedMs } = evidence
  const sum = (key: 'ok' | 'fail' | 'info'): number => operations.reduce((total, row) => total + row[key], 0)
  const held = seeds.filter(({ outcome }) => outcome === 'held').length
  return [
    '| what | evidence |',
    '| --- | --- |',
    `| operations | ${sum('ok')} ok, ${sum('fail')} failed, ${sum('info')} unknown |`,
    `| history | ${historyText(history)} |`,
    ...oracles.map(
      ({ name, verdict, checks, operations: read, ignored }) =>
        `| ${cell(name)} | ${verdict}, ${checks} checks${read === null ? '' : `, ${read} operations read, ${ignored ?? 0} ignored`} |`,
    ),
    ...nemeses.map((nemesis) => {
      const { injected, landed, signals } = landingOf(nemesis, evidence)
      return `| ${nemesis} | injected ${injected}, landed ${landed}, ${signals} signals at victims |`
    }),
    `| seeds | ${held} of ${seeds.length} held |`,
    ...controls.map(
      ({ name, detected, by }) =>
        `| negative control ${cell(name)} | ${detected ? `rejected by ${cell(by.join(', '))}` : '**not rejected**'} |`,
    ),
    `| time | ${Math.round(wallMs)} ms${simulatedMs === null ? '' : `, ${Math.round(simulatedMs)} ms simulated`} |`,
    '',
  ]
}

function historyText(history: Evidence['history']): string {
  if (history === null) return 'none'
  const absent = Object.entries(history.fields)
    .filter(([, state]) => state === 'absent')
    .map(([field]) => field)
  return `${history.operations} operations, ${history.clock} clock${history.truncated ? ', truncated' : ''}${absent.length > 0 ? `, without ${absent.join(', ')}` : ''}`
}

function violationLines(
  { facts }: SessionResult,
  scenario: string,
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
      `- Blame: ${origin === 'oracle' ? `unknown, pending \`npx wavetank plan blame ${facts.plan} --scenario ${scenario}\`` : `${origin}, by the run itself`}`,
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

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
