/**
 * What every checker returns: plain data, three-valued, with the evidence.
 *
 * `unknown` is an answer, not an error: a limit was reached, or the history is too weak for the question. Results
 * compose with invalid > unknown > valid: one violation decides, and nothing unknown hides behind something valid.
 */
import type { History } from '../history/history.ts'

export type Verdict = 'valid' | 'invalid' | 'unknown'

/** One thing that is wrong, with what proves it. */
export interface Anomaly {
  /** Stable kebab-case or literature name: `stale-read`, `lost`, `G-single`, … */
  readonly type: string
  /** One English sentence a person can follow. */
  readonly message: string
  /** Ids of the operations that prove it, in the order in which they are best read. */
  readonly operations: readonly number[]
  /** Whatever else a machine may want: the cycle, the key, the element, … */
  readonly details?: unknown
}

/** Details when nothing is known about the checker. */
export type AnyDetails = Readonly<Record<string, unknown>>

/**
 * `Details` is the checker's own record. All its fields are optional, since a history that cannot be put to the question
 * has none of them.
 */
export interface CheckResult<Details extends object = AnyDetails> {
  readonly checker: string
  readonly verdict: Verdict
  /** Why the verdict is unknown; null otherwise. */
  readonly reason: string | null
  /** Which operations were looked at. */
  readonly scope: {
    readonly operations: number
    readonly ignored: number
    readonly functions: readonly string[]
  }
  /** How many separate things were checked. Zero checks never make a `valid`. */
  readonly checks: number
  readonly anomalies: readonly Anomaly[]
  /** By which method the verdict was reached, where there is more than one. */
  readonly method: string | null
  /** What the caller asked the checker to assume about the history, in sentences: the verdict holds only with it. */
  readonly assumptions: readonly string[]
  /** Statistics and evidence of the checker's own. */
  readonly details: Readonly<Partial<Details>>
  /** Results that this one is composed of: per key, per checker. Failing ones first. */
  readonly parts: readonly CheckResult[]
}

const RANK: Record<Verdict, number> = { valid: 0, unknown: 1, invalid: 2 }

/** The worse of two verdicts. */
export function worst(a: Verdict, b: Verdict): Verdict {
  return RANK[a] >= RANK[b] ? a : b
}

/** Anything that judges a history. */
export type Checker = (history: History) => CheckResult

/** What a checker found out, from which {@link conclude} makes a result. */
export interface Findings<Details extends object = AnyDetails> {
  readonly checker: string
  readonly scope: CheckResult['scope']
  readonly checks: number
  readonly anomalies: readonly Anomaly[]
  /** Why a clean answer would say too much; ignored when there are anomalies. */
  readonly doubt?: string | null
  readonly method?: string | null
  readonly assumptions?: readonly string[]
  readonly details?: Readonly<Partial<Details>>
  readonly parts?: readonly CheckResult[]
}

/** Anomalies make invalid; a doubt, or nothing checked at all, makes unknown; the rest is valid. */
export function conclude<Details extends object = AnyDetails>(
  findings: Findings<Details>,
): CheckResult<Details> {
  const { checker, scope, checks, anomalies, method = null } = findings
  const { assumptions = [], parts = [] } = findings
  const details = findings.details ?? ({} as Partial<Details>)
  const doubt = findings.doubt ?? (checks === 0 ? NOTHING_CHECKED : null)
  const verdict = anomalies.length > 0 ? 'invalid' : doubt === null ? 'valid' : 'unknown'
  const reason = verdict === 'unknown' ? doubt : null
  return { checker, verdict, reason, scope, checks, anomalies, method, assumptions, details, parts }
}

/** The reason of an unknown verdict when no operation could be checked. */
export const NOTHING_CHECKED = 'there was nothing to check'
