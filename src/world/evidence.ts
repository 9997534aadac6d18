/**
 * Landing evidence: what a fault did to its victims. A nemesis that cut an unused link has done nothing; only what is
 * reported here counts. Reports are counted by kind and handed to the listeners in the order in which they happen.
 */

/** The victim of a fault, as plain data: `{ from: 'n1', to: 'n2' }`. */
export type EvidenceDetails = Readonly<Record<string, string | number | boolean>>

export type EvidenceListener = (kind: string, details: EvidenceDetails) => void

export class Evidence {
  /** How often each kind was reported. */
  readonly counts = new Map<string, number>()
  private readonly listeners: EvidenceListener[] = []

  report(kind: string, details: EvidenceDetails): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    for (const listener of this.listeners) listener(kind, details)
  }

  onReport(listener: EvidenceListener): void {
    this.listeners.push(listener)
  }

  count(kind: string): number {
    return this.counts.get(kind) ?? 0
  }
}
