/** A review as text for people, and as GitHub annotations. Findings of one rule share their reason and their remedy. */
import type { ReviewFinding, ReviewResult, Rule, Severity } from '../review/index.ts'
import { message, property } from './form/github-commands.ts'
import { PLAIN, type Paint } from './form/paint.ts'
import { printable } from './form/printable.ts'

type Described = Pick<Rule, 'name' | 'severity' | 'text' | 'why' | 'fix'>

export function reviewText(result: ReviewResult, paint: Paint = PLAIN): string {
  const lines: string[] = []
  const byRule = new Map<string, ReviewFinding[]>()
  for (const finding of result.findings) {
    const list = byRule.get(finding.rule)
    if (list === undefined) byRule.set(finding.rule, [finding])
    else list.push(finding)
  }
  for (const severity of ['block', 'warn', 'info'] as const) {
    for (const findings of byRule.values()) {
      if (findings[0].severity !== severity) continue
      lines.push(`${label(severity, paint)} ${paint.bold(findings[0].rule)}`)
      for (const { file, line, column, found } of findings)
        lines.push(`  ${printable(file)}:${line}:${column}  ${printable(found)}`)
      lines.push(`  ${paint.dim(`why  ${findings[0].why}`)}`, `  ${paint.dim(`fix  ${findings[0].fix}`)}`, '')
    }
  }
  for (const { file, reason } of result.unread)
    lines.push(`${paint.warn('not read')} ${printable(file)}: ${printable(reason)}`)
  lines.push(totals(result), '')
  return lines.join('\n')
}

function totals({ files, lines, findings, suppressed, unread }: ReviewResult): string {
  if (files === 0 && unread.length === 0) return 'no source files here'
  const count = (severity: Severity): number => findings.filter((each) => each.severity === severity).length
  const accepted = suppressed.length === 0 ? '' : `, ${suppressed.length} accepted by comments`
  return `${files} files, ${lines} lines: ${count('block')} block, ${count('warn')} warn, ${count('info')} info${accepted}`
}

function label(severity: Severity, paint: Paint): string {
  const text = severity.toUpperCase().padEnd(5)
  return severity === 'block' ? paint.bad(text) : severity === 'warn' ? paint.warn(text) : paint.dim(text)
}

const COMMANDS: Readonly<Record<Severity, string>> = { block: 'error', warn: 'warning', info: 'notice' }

/** An annotation per finding, at its line. */
export function reviewGithub({ findings, unread }: ReviewResult): string {
  const lines = findings.map(
    ({ severity, file, line, column, rule, found, why, fix }) =>
      `::${COMMANDS[severity]} file=${property(file)},line=${line},col=${column},title=${property(rule)}::${message(`${found}\n${why}\n${fix}`)}\n`,
  )
  const skipped = unread.map(
    ({ file, reason }) => `::warning file=${property(file)},title=not reviewed::${message(reason)}\n`,
  )
  return [...lines, ...skipped].join('')
}

/** The rules as a table of docs/review.md, which a test holds against it. */
export function rulesMarkdown(rules: readonly Described[]): string {
  const rows = rules.map(
    ({ name, severity, text, why, fix }) =>
      `| \`${name}\` | ${severity.toUpperCase()} | ${text} ${why} | ${fix} |\n`,
  )
  return ['| rule | severity | what, and why | instead |\n', '| --- | --- | --- | --- |\n', ...rows].join('')
}

/** All rules, for `--rules`. */
export function rulesText(rules: readonly Described[]): string {
  return rules
    .flatMap(({ name, severity, text, why, fix }) => [
      `${name} (${severity.toUpperCase()})`,
      `  ${text}`,
      `  why  ${why}`,
      `  fix  ${fix}`,
      '',
    ])
    .join('\n')
}
