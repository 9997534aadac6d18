/**
 * `// wavetank-ignore RULE: reason` accepts the findings of a rule on its own line and on the next one. The reason is
 * asked for: a suppression without one, of a rule that does not exist, or that suppresses nothing is a finding itself.
 */
import { didYouMean } from '../kernel/expectation.ts'
import type { ReviewFinding, Suppressed } from './finding.ts'
import { RULES } from './rules.ts'
import type { SourceFile } from './syntax.ts'

const COMMENT = /^\s*wavetank-ignore\b\s*([\w-]*)\s*(?::\s*(\S[\s\S]*))?$/

export const SUPPRESSION_RULE = 'suppression'

interface Suppression {
  readonly rule: string
  readonly reason: string
  readonly line: number
}

export interface Sifted {
  readonly findings: readonly ReviewFinding[]
  readonly suppressed: readonly Suppressed[]
}

/** Takes out of the findings of a file those that its comments accept. */
export function sift(file: SourceFile, findings: readonly ReviewFinding[]): Sifted {
  const { valid, problems } = suppressionsOf(file)
  const kept: ReviewFinding[] = []
  const suppressed: Suppressed[] = []
  const used = new Set<Suppression>()
  for (const finding of findings) {
    const accepted = valid.find(
      ({ rule, line }) => rule === finding.rule && (finding.line === line || finding.line === line + 1),
    )
    if (accepted === undefined) kept.push(finding)
    else {
      used.add(accepted)
      suppressed.push({ finding, reason: accepted.reason })
    }
  }
  for (const each of valid)
    if (!used.has(each))
      problems.push(
        problem(file, each.line, `it suppresses nothing: there is no finding of ${each.rule} here`),
      )
  return { findings: [...kept, ...problems], suppressed }
}

function suppressionsOf(file: SourceFile): { valid: Suppression[]; problems: ReviewFinding[] } {
  const valid: Suppression[] = []
  const problems: ReviewFinding[] = []
  const names = RULES.map(({ name }) => name)
  for (const comment of file.comments) {
    const parts = COMMENT.exec(comment.value)
    if (parts === null) continue
    const { line } = file.position(comment.end)
    const [, rule, reason] = parts
    if (!names.includes(rule))
      problems.push(problem(file, line, `there is no rule "${rule}"${didYouMean(rule, names)}`))
    else if (reason === undefined) problems.push(problem(file, line, 'it gives no reason'))
    else valid.push({ rule, reason: reason.trim(), line })
  }
  return { valid, problems }
}

function problem(file: SourceFile, line: number, found: string): ReviewFinding {
  return {
    rule: SUPPRESSION_RULE,
    severity: 'warn',
    file: file.path,
    line,
    column: 1,
    found: `a wavetank-ignore comment: ${found}`,
    why: 'A finding that is put aside without a reason is a finding that comes back as a bug.',
    fix: 'Write `// wavetank-ignore RULE: reason`, on the line of the finding or on the one before.',
  }
}
