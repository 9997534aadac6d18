/**
 * What a campaign of storms must say of an example system. At full counts it holds, so every situation occurred. A few
 * seeds cannot show all of that: then something rare may be missing, and nothing else.
 */
import { expect } from 'vitest'
import type { CampaignResult } from '../src/sim/campaign/result.ts'

/** Gaps that more seeds would close. */
const RARE = ['no-situation', 'no-success']

export const FULL = process.env.WAVETANK_FULL === '1'

export function expectToHold({ failures, verified, gaps, verdict }: CampaignResult): void {
  expect(failures).toEqual([])
  expect(verified.differing).toEqual([])
  expect(gaps.filter(({ kind }) => FULL || !RARE.includes(kind))).toEqual([])
  expect(FULL ? ['held'] : ['held', 'coverage-gap']).toContain(verdict)
}
