import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Choices } from './choices.ts'
import { drawUs, durationUs, maximumUs, minimumUs, rangeOf, type Distribution } from './distribution.ts'

const EXPONENTIAL: Distribution = { kind: 'exponential', minUs: 100, meanUs: 3_000, maxUs: 1_000_000 }
const BIMODAL: Distribution = {
  kind: 'bimodal',
  fastMinUs: 10,
  fastMaxUs: 19,
  slowMinUs: 1_000,
  slowMaxUs: 1_999,
  slowPpm: 100_000,
}

const any: fc.Arbitrary<Distribution> = fc.oneof(
  fc.record({ kind: fc.constant('constant' as const), us: fc.nat(1e6) }),
  fc
    .tuple(fc.nat(1e6), fc.nat(1e6))
    .map(([minUs, more]) => ({ kind: 'uniform' as const, minUs, maxUs: minUs + more })),
  fc
    .tuple(fc.nat(1e6), fc.nat(1e6), fc.nat(1e7))
    .map(([minUs, meanUs, more]) => ({ kind: 'exponential' as const, minUs, meanUs, maxUs: minUs + more })),
  fc
    .tuple(fc.nat(1e3), fc.nat(1e3), fc.nat(1e3), fc.nat(1e6), fc.nat(1e6))
    .map(([fastMinUs, fast, gap, slow, slowPpm]) => ({
      kind: 'bimodal' as const,
      fastMinUs,
      fastMaxUs: fastMinUs + fast,
      slowMinUs: fastMinUs + fast + gap,
      slowMaxUs: fastMinUs + fast + gap + slow,
      slowPpm,
    })),
)

function mean(distribution: Distribution, draws = 100_000): number {
  const stream = new Choices({ seed: 1 }).stream('a', 'x')
  let total = 0
  for (let i = 0; i < draws; i++) total += drawUs(stream, distribution)
  return total / draws
}

describe('a distribution', () => {
  it('gives integers between its minimum, at 0, and its maximum, and never less for a greater choice', () => {
    fc.assert(
      fc.property(any, fc.array(fc.nat(), { maxLength: 20 }), (distribution, picks) => {
        const n = rangeOf(distribution)
        expect(durationUs(distribution, 0)).toBe(minimumUs(distribution))
        const values = [...picks.map((pick) => pick % n), 0, n - 1].sort((a, b) => a - b)
        let previous = minimumUs(distribution)
        for (const value of values) {
          const us = durationUs(distribution, value)
          expect(Number.isInteger(us)).toBe(true)
          expect(us).toBeGreaterThanOrEqual(previous)
          expect(us).toBeLessThanOrEqual(maximumUs(distribution))
          previous = us
        }
      }),
      { numRuns: 500 },
    )
  })

  it('has the mean that it says', () => {
    expect(Math.abs(mean(EXPONENTIAL) - 3_100)).toBeLessThan(60)
    expect(Math.abs(mean({ kind: 'uniform', minUs: 0, maxUs: 1_000 }) - 500)).toBeLessThan(5)
    expect(Math.abs(mean(BIMODAL) - (0.9 * 14.5 + 0.1 * 1_499.5))).toBeLessThan(8)
  })

  it('asks for no choice where there is none', () => {
    const choices = new Choices({ seed: 1 })
    expect(drawUs(choices.stream('a', 'x'), { kind: 'constant', us: 7 })).toBe(7)
    expect(drawUs(choices.stream('a', 'x'), { kind: 'uniform', minUs: 7, maxUs: 7 })).toBe(7)
    expect(choices.asked).toBe(0)
  })
})
