/**
 * The answer of a checker as text and as JSON: pure functions of the result and of what is known about the history.
 */
import type { Anomaly, CheckResult, Verdict } from '../../checkers/result.ts'
import type { History } from '../../history/history.ts'
import type { Paint } from '../form/paint.ts'
import { printable } from '../form/printable.ts'
import { count, counted } from '../form/quantity.ts'

export interface CheckReport {
  /** Where the history came from. */
  readonly file: string
  readonly history: History
  /** False: a limit was reached while it was read, and the history here is empty. */
  readonly isRead: boolean
  readonly result: CheckResult
}

/** How many parts and problems, and anomalies of a type, are listed before the rest is only counted. */
const LISTED = 10
const EXAMPLES = 3

export function verdictText({ file, history, isRead, result }: CheckReport, paint: Paint): string {
  const from = file === '-' ? 'standard input' : printable(file)
  const lines = [
    paint.dim(
      isRead
        ? `${from}: ${counted(history.length, 'operation')}, read as ${history.format ?? 'an empty file'}`
        : `${from}: not read to its end`,
    ),
    ...problemLines(history, paint),
    ...resultLines(cleaned(result), paint, ''),
  ]
  return `${lines.join('\n')}\n`
}

function problemLines(history: History, paint: Paint): string[] {
  const lines = history.problems.slice(0, LISTED).map(({ code, message, line }) => {
    const where = line === null ? '' : `line ${line}: `
    return `${paint.warn('warning')} ${where}${printable(message)} ${paint.dim(`(${code})`)}`
  })
  const rest = history.problemCount - lines.length
  return rest > 0 ? [...lines, paint.warn(`and ${counted(rest, 'more problem')}`)] : lines
}

const MARKS: Readonly<Record<Verdict, string>> = { valid: '✓', invalid: '✗', unknown: '?' }

function resultLines(result: CheckResult, paint: Paint, indent: string): string[] {
  const { verdict, checker, reason, checks, scope, method, assumptions, parts } = result
  const colour = { valid: paint.good, invalid: paint.bad, unknown: paint.warn }[verdict]
  const looked = `${counted(checks, 'check')} over ${counted(scope.operations, 'operation')}`
  const how = method === null ? '' : paint.dim(`, by ${method}`)
  const lines = [`${indent}${colour(`${MARKS[verdict]} ${verdict}`)} ${paint.bold(checker)}: ${looked}${how}`]
  if (reason !== null) lines.push(`${indent}  ${reason}`)
  for (const assumption of assumptions) lines.push(`${indent}  ${paint.warn('assumed:')} ${assumption}`)
  const failing = parts.filter((part) => part.verdict !== 'valid')
  if (failing.length > 0) {
    for (const part of failing.slice(0, LISTED)) lines.push(...resultLines(part, paint, `${indent}  `))
    if (failing.length > LISTED) lines.push(`${indent}  and ${counted(failing.length - LISTED, 'more part')}`)
    return lines
  }
  return [...lines, ...anomalyLines(result, paint, `${indent}  `), ...ruledOutLines(result, `${indent}  `)]
}

/** A result whose texts may go to a terminal: some of them quote the history. */
function cleaned(result: CheckResult): CheckResult {
  const { checker, reason, anomalies, parts } = result
  return {
    ...result,
    checker: printable(checker, 200),
    reason: reason === null ? null : printable(reason),
    anomalies: anomalies.map((anomaly) => ({ ...anomaly, message: printable(anomaly.message) })),
    parts: parts.map(cleaned),
  }
}

/** A few of each type, and how many there are. */
function anomalyLines({ anomalies, details }: CheckResult, paint: Paint, indent: string): string[] {
  const counts = Object(details.counts ?? details.anomalyCounts) as Record<string, number | undefined>
  const lines: string[] = []
  for (const type of new Set(anomalies.map((anomaly) => anomaly.type))) {
    const kept = anomalies.filter((anomaly) => anomaly.type === type)
    for (const anomaly of kept.slice(0, EXAMPLES)) lines.push(...exampleLines(anomaly, paint, indent))
    const more = Math.max(counts[type] ?? 0, kept.length) - EXAMPLES
    if (more > 0) lines.push(`${indent}${paint.bad(type)} ${paint.dim(`and ${count(more)} more`)}`)
  }
  return lines
}

/** The models that transactions certainly do not have. */
function ruledOutLines({ details, verdict }: CheckResult, indent: string): string[] {
  const { not, alsoNot } = details as { readonly not?: unknown; readonly alsoNot?: unknown }
  if (verdict !== 'invalid' || !Array.isArray(not) || not.length === 0) return []
  const stronger = Array.isArray(alsoNot) && alsoNot.length > 0 ? `, and with it ${alsoNot.join(', ')}` : ''
  return [`${indent}rules out ${not.join(', ')}${stronger}`]
}

function exampleLines({ type, message, operations }: Anomaly, paint: Paint, indent: string): string[] {
  const [first, ...rest] = message.split('\n')
  const shown = operations.slice(0, 12).join(', ')
  const ids =
    operations.length === 0 ? '' : paint.dim(` (operation${operations.length === 1 ? '' : 's'} ${shown})`)
  return [`${indent}${paint.bad(type)} ${first}${ids}`, ...rest.map((line) => `${indent}  ${line}`)]
}

/** Plain data, for machines. */
export function verdictJson({ file, history, result }: CheckReport): Record<string, unknown> {
  return {
    version: 1,
    file,
    format: history.format,
    operations: history.length,
    problems: history.problems,
    problemCount: history.problemCount,
    ...result,
  }
}
