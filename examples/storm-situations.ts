/**
 * Situations that need a storm. The first fault of a run declares them all, so a campaign with faults that never meets
 * one has a gap, and a campaign without faults has not.
 */
import { situation } from 'wavetank'

export class StormSituations<Name extends string> {
  private readonly names: readonly Name[]
  private declared = false

  constructor(names: readonly Name[]) {
    this.names = names
  }

  /** A fault begins. */
  fault(): void {
    if (this.declared) return
    this.declared = true
    for (const name of this.names) situation(name, false)
  }

  occurs(name: Name, condition = true): void {
    if (condition) situation(name)
  }
}
