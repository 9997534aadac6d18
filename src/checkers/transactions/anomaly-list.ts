/**
 * Anomalies as a checker collects them: all counted, the first few of each type kept with their evidence.
 */
import type { Anomaly } from '../result.ts'

const KEPT_PER_TYPE = 8

export class AnomalyList {
  readonly #kept: Anomaly[] = []
  readonly #counts = new Map<string, number>()

  /** Makes the anomaly only if it will be kept. */
  add(type: string, make: () => Omit<Anomaly, 'type'>): void {
    const count = (this.#counts.get(type) ?? 0) + 1
    this.#counts.set(type, count)
    if (count <= KEPT_PER_TYPE) this.#kept.push({ type, ...make() })
  }

  has(type: string): boolean {
    return this.#counts.has(type)
  }

  delete(type: string): void {
    this.#counts.delete(type)
  }

  get types(): string[] {
    return [...this.#counts.keys()].sort()
  }

  count(type: string): number {
    return this.#counts.get(type) ?? 0
  }

  /** The kept ones of the given types, worst known first as they were added. */
  of(types: ReadonlySet<string>): Anomaly[] {
    return this.#kept.filter(({ type }) => types.has(type) && this.#counts.has(type))
  }
}
