/**
 * A review: every rule over every file, as a pure function of the texts. Reading the disk, the parser and the project
 * around a file come from outside.
 */
import type { ReviewFinding, ReviewResult, Suppressed, Unread } from './finding.ts'
import type { Rule, Surroundings } from './rule.ts'
import { RULES } from './rules.ts'
import { sift } from './suppressions.ts'
import { SourceFile, type Parser } from './syntax.ts'

export interface SourceText {
  readonly path: string
  readonly text: string
}

/** Reviews files in the order given; findings of one file come in the order of its lines. */
export function review(
  sources: Iterable<SourceText>,
  parser: Parser,
  surroundings: Surroundings,
  rules: readonly Rule[] = RULES,
): ReviewResult {
  const findings: ReviewFinding[] = []
  const suppressed: Suppressed[] = []
  const unread: Unread[] = []
  let [files, lines] = [0, 0]
  for (const { path, text } of sources) {
    const parsed = parser(path, text)
    if (parsed.problem !== null) {
      unread.push({ file: path, reason: parsed.problem })
      continue
    }
    const file = new SourceFile(path, text, parsed)
    files++
    lines += file.lines
    const sifted = sift(file, findingsOf(file, rules, surroundings))
    findings.push(...[...sifted.findings].sort((a, b) => a.line - b.line || a.column - b.column))
    suppressed.push(...sifted.suppressed)
  }
  return { version: 1, files, lines, findings, suppressed, unread }
}

function findingsOf(file: SourceFile, rules: readonly Rule[], surroundings: Surroundings): ReviewFinding[] {
  return rules.flatMap((rule) =>
    [...rule.find(file, surroundings)].map(({ node, found }) => ({
      rule: rule.name,
      severity: rule.severity,
      file: file.path,
      ...file.position(node.start),
      found,
      why: rule.why,
      fix: rule.fix,
    })),
  )
}
