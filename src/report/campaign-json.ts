/** Results as JSON: the data itself, one document, for machines. */
import type { CampaignResult } from '../sim/campaign/result.ts'

export function campaignJson(results: readonly CampaignResult[]): string {
  return `${JSON.stringify({ version: 1, kind: 'report', campaigns: results }, null, 2)}\n`
}
