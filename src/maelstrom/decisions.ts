/**
 * Every random decision of a Maelstrom test: what is asked, when, of which latency, who is cut off. In the tank a
 * decision is a choice of the simulation (recorded, replayed, shrunk); with real processes it comes from a seeded
 * generator, one per label, so that one draw more of a label moves nothing elsewhere.
 */
import { Entropy } from '../kernel/prng.ts'

export interface Decisions {
  /** One of 0 … n−1. The label names what is decided. */
  below(n: number, label: string): number
}

/** Steps into which a fraction is divided. */
const FRACTIONS = 1 << 24

export function seededDecisions(seed: number): Decisions {
  const streams = new Map<string, Entropy>()
  return {
    below(n, label) {
      let stream = streams.get(label)
      if (stream === undefined) streams.set(label, (stream = new Entropy(seed, `maelstrom ${label}`)))
      return Math.floor(stream.float() * n)
    },
  }
}

/** A fraction in [0, 1). */
export function fraction(decisions: Decisions, label: string): number {
  return decisions.below(FRACTIONS, label) / FRACTIONS
}

export function pick<T>(decisions: Decisions, list: readonly T[], label: string): T {
  return list[decisions.below(list.length, label)]
}

/** Exponentially distributed around a mean. */
export function exponential(decisions: Decisions, mean: number, label: string): number {
  return -Math.log(1 - fraction(decisions, label)) * mean
}

/** Fisher–Yates; all zeros leave the list as it is. */
export function shuffled<T>(decisions: Decisions, list: readonly T[], label: string): T[] {
  const result = [...list]
  for (let i = 0; i < result.length - 1; i++) {
    const j = i + decisions.below(result.length - i, label)
    ;[result[i], result[j]] = [result[j], result[i]]
  }
  return result
}
