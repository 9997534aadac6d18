/** The oracles that a verdict may rest on: those that the plan names, or, for a claim that is not serious, any that decides. */
import type { Evidence, Oracle } from '../evidence/evidence.ts'
import type { Question } from './question.ts'

/** Kinds that read operations or state; the others are surface checks. */
const DECIDING: ReadonlySet<Oracle['kind']> = new Set<Oracle['kind']>(['checker', 'invariant'])

export function isDeciding({ kind }: Pick<Oracle, 'kind'>): boolean {
  return DECIDING.has(kind)
}

/** A name in a plan is the whole name in the evidence, or what follows the kind: `checker: linearizable`. */
export function isNamed(oracle: Oracle, name: string): boolean {
  return oracle.name === name || oracle.name === `${oracle.kind}: ${name}`
}

/** Those that count, whether they ran or not. */
export function requiredOracles(question: Question, { oracles }: Evidence): Oracle[] {
  if (!question.serious && question.checkers.length === 0) return oracles.filter(({ checks }) => checks > 0)
  return oracles.filter(
    (oracle) => isDeciding(oracle) && question.checkers.some((name) => isNamed(oracle, name)),
  )
}

/** Names that the plan demands and that made no check. */
export function unreadCheckers(question: Question, { oracles }: Evidence): string[] {
  return question.checkers.filter(
    (name) => !oracles.some((oracle) => isDeciding(oracle) && isNamed(oracle, name) && oracle.checks > 0),
  )
}
