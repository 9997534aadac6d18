/** All catalogues, by kind. */
import { GREEN_CATALOGUE, WEAK_CATALOGUE } from './audits.ts'
import { CLAIM_CATEGORY_CATALOGUE } from './claim-categories.ts'
import { CONFUSABLE_CATALOGUE } from './confusable-identifiers.ts'
import type { Catalogue, Entry } from './entry.ts'
import { HISTORY_COLUMN_CATALOGUE } from './history-columns.ts'
import { NEMESIS_CATALOGUE } from './nemeses.ts'
import { ORACLE_PATTERN_CATALOGUE } from './oracle-patterns.ts'
import { PITFALL_CATALOGUE } from './pitfalls.ts'
import { RED_FLAG_CATALOGUE } from './red-flags.ts'
import { TAXDC_CATALOGUE } from './taxdc.ts'
import { TECHNIQUE_CATALOGUE } from './techniques.ts'
import { VERDICT_CATALOGUE } from './verdicts.ts'

/** A catalogue whose entries are seen as entries only. */
function plain<E extends Entry>(catalogue: Catalogue<E>): Catalogue {
  return { ...catalogue, details: (entry) => catalogue.details(entry as E) }
}

export const CATALOGUES: readonly Catalogue[] = [
  plain(CLAIM_CATEGORY_CATALOGUE),
  plain(TECHNIQUE_CATALOGUE),
  plain(PITFALL_CATALOGUE),
  plain(NEMESIS_CATALOGUE),
  plain(ORACLE_PATTERN_CATALOGUE),
  plain(RED_FLAG_CATALOGUE),
  plain(CONFUSABLE_CATALOGUE),
  plain(HISTORY_COLUMN_CATALOGUE),
  plain(VERDICT_CATALOGUE),
  plain(GREEN_CATALOGUE),
  plain(WEAK_CATALOGUE),
  plain(TAXDC_CATALOGUE),
]

export type { Catalogue, Entry } from './entry.ts'
