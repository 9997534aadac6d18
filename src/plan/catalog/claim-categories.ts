/**
 * What a claim can be about. *Serious* categories are those in which a wrong answer harms data or its owner without anyone
 * noticing: a scenario for such a claim must name its model, its history and its checker (§7.M). Surface categories
 * are about who may reach what and how fairly: their scenarios need a boundary matrix (§7.M.S).
 */
import type { Catalogue, Entry } from './entry.ts'

export interface ClaimCategory extends Entry {
  readonly serious: boolean
  readonly surface: boolean
}

const ALPERN = 'Alpern, Schneider: Defining Liveness, 1985'
const BAILIS = 'Bailis et al.: Highly Available Transactions, 2013'

function category(
  id: string,
  kind: 'serious' | 'plain' | 'surface',
  text: string,
  references: readonly string[],
): ClaimCategory {
  const title = id.replace('-', ' ')
  return { id, title, text, references, serious: kind === 'serious', surface: kind === 'surface' }
}

export const CLAIM_CATEGORIES = [
  category('safety', 'serious', 'Something wrong never happens: no stale read, no second leader.', [ALPERN]),
  category('liveness', 'plain', 'Something good happens in the end: an election ends, a queue drains.', [
    ALPERN,
  ]),
  category(
    'durability',
    'serious',
    'What was acknowledged survives a crash, a power loss or a lost replica.',
    ['Pillai et al.: All File Systems Are Not Created Equal, 2014'],
  ),
  category(
    'performance-slo',
    'plain',
    'A bound on latency, throughput or cost that holds under a stated load.',
    ['Tene: How NOT to Measure Latency, 2013'],
  ),
  category('operational', 'plain', 'Operators can deploy, observe, back up, restore and roll back.', [
    'Gunawi et al.: Why Does the Cloud Stop Computing?, 2016',
  ]),
  category('idempotency', 'serious', 'A request that is sent twice takes effect once.', [
    'Helland: Idempotence Is Not a Medical Condition, 2012',
  ]),
  category('isolation', 'serious', 'Concurrent transactions or tenants do not see what they must not see.', [
    'Adya: Weak Consistency, 1999',
    BAILIS,
  ]),
  category(
    'ordering',
    'serious',
    'Observers agree on the order in which things happened, as far as promised.',
    ['Lamport: Time, Clocks, and the Ordering of Events, 1978'],
  ),
  category('membership', 'serious', 'Nodes agree on who belongs to the cluster, also while that changes.', [
    'Ongaro: Consensus: Bridging Theory and Practice, 2014 (chapter 4)',
  ]),
  category('boundary', 'surface', 'A tenant, role, key space or region cannot be reached from outside it.', [
    'Saltzer, Schroeder: The Protection of Information in Computer Systems, 1975',
  ]),
  category('fairness', 'surface', 'No group of clients starves while others are served.', [
    'Ghodsi et al.: Dominant Resource Fairness, 2011',
  ]),
] as const satisfies readonly ClaimCategory[]

export const CLAIM_CATEGORY_CATALOGUE: Catalogue<ClaimCategory> = {
  kind: 'claim-categories',
  title: 'Claim categories',
  about: 'What a claim is about, and so what its scenario must bring.',
  entries: CLAIM_CATEGORIES,
  details: ({ serious, surface }) => [
    [
      'demands',
      serious ? '§7.M (model, history, checker)' : surface ? '§7.M.S (boundary matrix)' : 'nothing more',
    ],
  ],
}
