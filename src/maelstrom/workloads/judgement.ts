/** From results of checkers to Maelstrom's words. */
import type { CheckResult } from '../../checkers/result.ts'
import type { Quantiles } from '../../checkers/quantiles.ts'
import type { Validity } from './workload.ts'

const MOST_FINDINGS = 16

export function validity({ verdict }: Pick<CheckResult<object>, 'verdict'>): Validity {
  return verdict === 'unknown' ? 'unknown' : verdict === 'valid'
}

/** The sentences of the anomalies, and the reason of an unknown answer. */
export function findings(result: CheckResult<object>): { findings?: string[] } {
  const all = result.anomalies.slice(0, MOST_FINDINGS).map(({ type, message }) => `${type}: ${message}`)
  if (result.reason !== null) all.push(`unknown: ${result.reason}`)
  return all.length === 0 ? {} : { findings: all }
}

/**
 * The stricter verdict, and why it is stricter than Maelstrom's where it is; or Maelstrom's own.
 */
export function strictly(
  strict: boolean,
  ours: Validity,
  upstream: Validity,
  why: string,
): { 'valid?': Validity; stricter?: string } {
  if (!strict) return { 'valid?': upstream }
  return ours === upstream ? { 'valid?': ours } : { 'valid?': ours, stricter: why }
}

export function latencies(quantiles: Quantiles | null | undefined): Record<string, number> | null {
  if (quantiles === null || quantiles === undefined) return null
  const { min, p50, p95, p99, max } = quantiles
  return { '0': min, '0.5': p50, '0.95': p95, '0.99': p99, '1': max }
}
