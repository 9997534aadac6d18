/**
 * Counts the world's landing evidence by kind and place, so that each episode can say what it did to *its* victims. A
 * place is a host's name.
 */
import type { Evidence } from '../world/evidence.ts'

export class EvidenceTally {
  private readonly counts = new Map<string, number>()

  constructor(evidence: Evidence) {
    evidence.onReport((kind, details) => {
      const key = `${kind} ${details.host ?? details.from ?? ''}`
      this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    })
  }

  /** Reports of these kinds at a host so far. */
  at(host: string, kinds: readonly string[]): number {
    let sum = 0
    for (const kind of kinds) sum += this.counts.get(`${kind} ${host}`) ?? 0
    return sum
  }
}

/** What happened between the beginning and the end of something. */
export class Since {
  private readonly read: () => number
  private readonly before: number
  private after: number | null = null

  constructor(read: () => number) {
    this.read = read
    this.before = read()
  }

  end(): void {
    this.after ??= this.read()
  }

  get count(): number {
    return (this.after ?? this.read()) - this.before
  }
}
