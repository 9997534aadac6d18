/**
 * Collects anomalies: all are counted, the first few of each type are kept, so that a result about a thoroughly
 * broken system can still be read and stored.
 */
import type { Anomaly } from './result.ts'

const KEPT_PER_TYPE = 16

export class AnomalyCollector {
  readonly #kept: Anomaly[] = []
  readonly #counts = new Map<string, number>()

  /** The message is only made for anomalies that are kept. */
  add(type: string, operations: readonly number[], message: () => string, details?: unknown): void {
    const count = (this.#counts.get(type) ?? 0) + 1
    this.#counts.set(type, count)
    if (count > KEPT_PER_TYPE) return
    const anomaly = { type, message: message(), operations }
    this.#kept.push(details === undefined ? anomaly : { ...anomaly, details })
  }

  get anomalies(): readonly Anomaly[] {
    return this.#kept
  }

  /** How many of each type were found. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }

  count(type: string): number {
    return this.#counts.get(type) ?? 0
  }
}
