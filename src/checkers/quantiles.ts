/**
 * Quantiles by nearest rank, as Jepsen reports them: the value at `floor(n × q)` of the sorted sample.
 */
export interface Quantiles {
  readonly min: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Null for an empty sample. */
export function quantiles(sample: readonly number[]): Quantiles | null {
  if (sample.length === 0) return null
  const sorted = Float64Array.from(sample).sort()
  const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]
  return { min: at(0), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}
