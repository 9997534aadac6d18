/**
 * What a campaign of storms must say of an example system. At full counts it holds, so every situation occurred. A few
 * seeds cannot show all of that: then something rare may be missing, and nothing else.
 */
import type { CampaignResult } from '../src/sim/campaign/result.ts'

/** Gaps that more seeds would close. */
const RARE = ['no-situation', 'no-success']

export const FULL = process.env.WAVETANK_FULL === '1'

/** What a campaign must not have; nothing if all is well. */
export function objectionsTo({ failures, verified, gaps, verdict }: CampaignResult): unknown[] {
  const allowed = FULL ? ['held'] : ['held', 'coverage-gap']
  return [
    ...failures,
    ...verified.differing,
    ...gaps.filter(({ kind }) => FULL || !RARE.includes(kind)),
    ...(allowed.includes(verdict) ? [] : [verdict]),
  ]
}
