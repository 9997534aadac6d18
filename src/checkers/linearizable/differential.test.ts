/**
 * Every algorithm against trying all orders, on small random histories with unknown outcomes. What the checker calls
 * valid must come with an order that stands up; the search is also run without its monitors and without partition.
 */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OK, type History } from '../../history/history.ts'
import { sameValue } from '../../history/value.ts'
import type { CheckResult } from '../result.ts'
import { bruteForce, flawOf } from './brute-force.test-support.ts'
import { linearizable, type Model } from './index.ts'
import { build, draft } from './random-histories.test-support.ts'
import { SUBJECTS } from './subjects.test-support.ts'

const RUNS = process.env.WAVETANK_FULL === '1' ? 20_000 : 300

/** What is wrong with the orders that come with a valid result: one of each object. */
function flawOfWitness(history: History, result: CheckResult, model: Model<any>): string | null {
  if (result.verdict !== 'valid') return null
  for (const part of result.parts) {
    // Only sets are split here, by key and element.
    const own = history.filter((i) =>
      sameValue([history.keys[history.key[i]], history.input[i]], part.details.key),
    )
    const flaw = flawOf(own, part.details.witness as ArrayLike<number>, model)
    if (flaw !== null) return flaw
  }
  return result.parts.length > 0 ? null : flawOf(history, result.details.witness as ArrayLike<number>, model)
}

const drafts = fc.array(draft, { minLength: 1, maxLength: 7 })

describe('against brute force', () => {
  for (const subject of SUBJECTS) {
    it(`decides a ${subject.name} as trying every order does`, () => {
      const truth = (history: History) => (bruteForce(history, subject.model) ? 'valid' : 'invalid')
      fc.assert(
        fc.property(drafts, (drafted) => {
          const history = build(subject, drafted)
          // Where nothing completed nothing can be checked.
          const expected = history.type.includes(OK) ? truth(history) : 'unknown'
          const bySearch = linearizable(history, subject.model, { monitors: false, partition: 'none' })
          expect(bySearch.verdict).toBe(expected)
          expect(flawOfWitness(history, bySearch, subject.model)).toBe(null)
          const byDefault = linearizable(history, subject.model)
          expect(byDefault.verdict).toBe(expected)
          expect(flawOfWitness(history, byDefault, subject.model)).toBe(null)
        }),
        { numRuns: RUNS },
      )
      // A generator that makes only one kind of history would test nothing. One sample, the same in every run.
      const tally = { valid: 0, invalid: 0 }
      for (const drafted of fc.sample(drafts, { numRuns: 1_000, seed: 1 }))
        tally[truth(build(subject, drafted))]++
      expect(tally.valid).toBeGreaterThan(50)
      expect(tally.invalid).toBeGreaterThan(10)
    })
  }
})

describe('monitors on longer histories', () => {
  for (const subject of SUBJECTS.filter(({ name }) => name.includes('unique'))) {
    it(`decides a ${subject.name} as the search does`, () => {
      fc.assert(
        fc.property(fc.array(draft, { minLength: 8, maxLength: 11 }), (drafts) => {
          const history = build(subject, drafts)
          const byMonitor = linearizable(history, subject.model)
          const bySearch = linearizable(history, subject.model, { monitors: false })
          expect(byMonitor.verdict).toBe(bySearch.verdict)
          expect(flawOfWitness(history, byMonitor, subject.model)).toBe(null)
          expect(flawOfWitness(history, bySearch, subject.model)).toBe(null)
        }),
        { numRuns: RUNS },
      )
    })
  }
})
