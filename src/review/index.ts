/** The review of source code: what breaks replay, hides bugs, or lies outside what the tank controls. */
export type { ReviewFinding, ReviewResult, Severity } from './finding.ts'
export { SEVERITIES } from './finding.ts'
export type { Rule, Surroundings } from './rule.ts'
export { RULES } from './rules.ts'
export { review, type SourceText } from './review.ts'
export { parse } from './parser.ts'
export { declaredRaces } from './declared-races.ts'
