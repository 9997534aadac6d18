/** Results as JSON: the data itself, one document, for machines. */
import type { CorpusResult } from '../../failures/corpus-verdict.ts'
import type { CampaignResult } from '../../sim/campaign/result.ts'

/** `corpus` is what the entries of the corpus gave that were run before the campaigns. */
export function campaignJson(
  results: readonly CampaignResult[],
  corpus: readonly CorpusResult[] = [],
): string {
  return `${JSON.stringify({ version: 1, kind: 'report', campaigns: results, corpus }, null, 2)}\n`
}
