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

export interface CheckResult {
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
  /** Statistics and evidence of the checker's own. */
  readonly details: Readonly<Record<string, unknown>>
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
export interface Findings {
  readonly checker: string
  readonly scope: CheckResult['scope']
  readonly checks: number
  readonly anomalies: readonly Anomaly[]
  /** Why a clean answer would say too much; ignored when there are anomalies. */
  readonly doubt?: string | null
  readonly method?: string | null
  readonly details?: Readonly<Record<string, unknown>>
  readonly parts?: readonly CheckResult[]
}

/** Anomalies make invalid; a doubt, or nothing checked at all, makes unknown; the rest is valid. */
export function conclude(findings: Findings): CheckResult {
  const { checker, scope, checks, anomalies, method = null, details = {}, parts = [] } = findings
  const doubt = findings.doubt ?? (checks === 0 ? 'there was nothing to check' : null)
  const verdict = anomalies.length > 0 ? 'invalid' : doubt === null ? 'valid' : 'unknown'
  const reason = verdict === 'unknown' ? doubt : null
  return { checker, verdict, reason, scope, checks, anomalies, method, details, parts }
}
