/**
 * Fourteen ways to decide whether a run kept its promise, and the picker: which of them fits a model and a claim. Each
 * pattern names the checkers of wavetank that implement it, by the names that `wavetank check` knows; an invariant of a
 * simulation can implement those that have none.
 */
import type { Catalogue, Entry } from './entry.ts'

export interface OraclePattern extends Entry {
  /** `--workload` names of `wavetank check`, `model:<name>` for linearizability, `consistency:<name>` for a weaker model. */
  readonly checkers: readonly string[]
  /** What makes the oracle blind. */
  readonly trap: string
}

export const ORACLE_PATTERNS: readonly OraclePattern[] = [
  {
    id: 'linearizability',
    title: 'Linearizability or serializability',
    text: 'Some order of the operations, within their times, explains every answer.',
    checkers: [
      'model:register',
      'model:cas-register',
      'model:map',
      'list-append',
      'rw-register',
      'closed-predicate',
      'long-fork',
      'causal-reverse',
      'write-skew',
      'dirty-update',
      'lost-update',
      'internal-consistency',
    ],
    trap: 'operations of unknown outcome that are dropped, or counted as failed',
    references: ['Herlihy, Wing: Linearizability, 1990', 'Kingsbury, Alvaro: Elle, 2020'],
  },
  {
    id: 'property-assertion',
    title: 'Property assertion',
    text: 'A predicate that must be true at every step, or at every visit of a line of code.',
    checkers: ['unique-ids', 'bank', 'counter'],
    trap: 'a predicate that is never evaluated',
    references: ['Claessen, Hughes: QuickCheck, 2000'],
  },
  {
    id: 'replay-equivalence',
    title: 'Replay equivalence',
    text: 'Replaying the log gives the state that the running system has.',
    checkers: ['prefix'],
    trap: 'comparing two results of the same code path',
    references: ['Schneider: The State Machine Approach, 1990'],
  },
  {
    id: 'metric-slo',
    title: 'Bound on a metric',
    text: 'A percentile, rate or share stays within its bound under the stated load.',
    checkers: ['latency', 'rate', 'availability'],
    trap: 'a closed-loop generator that slows down with the system',
    references: ['Tene: How NOT to Measure Latency, 2013'],
  },
  {
    id: 'statistical-baseline',
    title: 'Comparison with a baseline',
    text: 'The distribution does not differ from a baseline by more than chance explains.',
    checkers: ['latency', 'rate', 'stats'],
    trap: 'a baseline from another machine, or from a warm cache',
    references: ['Schroeder et al.: Open Versus Closed, 2006'],
  },
  {
    id: 'differential',
    title: 'Differential against another implementation',
    text: 'Two implementations get the same operations and must give the same answers.',
    checkers: [],
    trap: 'two implementations that share the code in question',
    references: ['McKeeman: Differential Testing for Software, 1998'],
  },
  {
    id: 'session-consistency',
    title: 'Session consistency',
    text: 'Each client sees its own writes and never goes back.',
    checkers: [
      'consistency:read-your-writes',
      'consistency:monotonic-writes',
      'consistency:writes-follow-reads',
    ],
    trap: 'sessions that are not recorded, so that clients are confused with connections',
    references: ['Terry et al.: Session Guarantees, 1994'],
  },
  {
    id: 'monotonic-read',
    title: 'Monotonic reads',
    text: 'No client sees a version older than one it saw before.',
    checkers: ['consistency:monotonic-reads', 'counter'],
    trap: 'values that carry no version',
    references: ['Terry et al.: Session Guarantees, 1994'],
  },
  {
    id: 'prefix-order',
    title: 'Prefix and order',
    text: 'All observers see prefixes of one sequence.',
    checkers: ['prefix', 'kafka', 'queue'],
    trap: 'elements that are not unique',
    references: ['Schneider: The State Machine Approach, 1990'],
  },
  {
    id: 'no-lost-ack',
    title: 'No lost acknowledgement',
    text: 'Everything acknowledged is there at the end. A time-out is not an acknowledgement.',
    checkers: ['no-lost-ack', 'set', 'set-full', 'total-queue', 'broadcast'],
    trap: 'the final read happens before the system is quiet',
    references: ['Jepsen analyses, 2013–2025'],
  },
  {
    id: 'exactly-once',
    title: 'Exactly once',
    text: 'Every accepted request took effect once, counted by a key of the business and not by the id of the operation.',
    checkers: ['exactly-once', 'total-queue'],
    trap: 'counting by operation id: a retry has another one',
    references: ['Helland: Idempotence Is Not a Medical Condition, 2012'],
  },
  {
    id: 'final-invariant',
    title: 'Invariant over the final state',
    text: 'When nothing is in flight, no background work is left and replicas have converged, a relation over the state holds.',
    checkers: ['bank', 'lock', 'pn-counter'],
    trap: 'quiescence that is a fixed wait',
    references: ['Lamport: Specifying Systems, 2002'],
  },
  {
    id: 'reconciliation',
    title: 'Reconciliation across replicas',
    text: 'All replicas, and all views of the membership, end in the same state.',
    checkers: ['reconciliation', 'set-full'],
    trap: 'reading every replica through the same cache',
    references: ['DeCandia et al.: Dynamo, 2007'],
  },
  {
    id: 'fairness',
    title: 'Fairness',
    text: 'The worst group is close to the whole: the ratio of its tail latency to that of all, its least throughput, its errors and its spread over repeats are bounded.',
    checkers: ['fairness'],
    trap: 'averages over groups',
    references: ['Ghodsi et al.: Dominant Resource Fairness, 2011'],
  },
]

export const MODELS = [
  'register',
  'map',
  'queue',
  'log',
  'lock',
  'lease',
  'session',
  'membership-table',
  'counter',
  'ledger',
  'other',
] as const

export type ModelName = (typeof MODELS)[number]

/** Which patterns decide a claim about a model, the best first. */
interface Pick {
  readonly models: readonly ModelName[] | 'any'
  readonly categories: readonly string[] | 'any'
  readonly patterns: readonly string[]
}

export const CHECKER_PICKER: readonly Pick[] = [
  { models: ['register'], categories: ['safety'], patterns: ['linearizability'] },
  { models: ['log'], categories: ['durability'], patterns: ['no-lost-ack', 'replay-equivalence'] },
  { models: ['map'], categories: ['isolation'], patterns: ['linearizability'] },
  { models: ['session'], categories: ['safety'], patterns: ['session-consistency', 'monotonic-read'] },
  { models: ['ledger'], categories: ['idempotency'], patterns: ['exactly-once'] },
  { models: ['membership-table'], categories: 'any', patterns: ['reconciliation'] },
  { models: ['queue'], categories: ['ordering'], patterns: ['prefix-order'] },
  { models: ['counter'], categories: ['safety'], patterns: ['linearizability', 'final-invariant'] },
  { models: ['lock', 'lease'], categories: ['safety'], patterns: ['final-invariant'] },
  { models: 'any', categories: ['fairness'], patterns: ['fairness'] },
  { models: 'any', categories: ['durability'], patterns: ['no-lost-ack'] },
  { models: 'any', categories: ['idempotency'], patterns: ['exactly-once'] },
  { models: 'any', categories: ['performance-slo'], patterns: ['metric-slo', 'statistical-baseline'] },
]

/** The patterns for a model and the category of a claim, the most specific first; empty if the picker has no advice. */
export function pickPatterns(model: ModelName, category: string): readonly string[] {
  const fits = CHECKER_PICKER.filter(
    (pick) =>
      (pick.models === 'any' || pick.models.includes(model)) &&
      (pick.categories === 'any' || pick.categories.includes(category)),
  )
  return [...new Set(fits.flatMap(({ patterns }) => patterns))]
}

export const ORACLE_PATTERN_CATALOGUE: Catalogue<OraclePattern> = {
  kind: 'oracle-patterns',
  title: 'Oracle patterns',
  about: 'How a machine decides whether a promise was kept.',
  entries: ORACLE_PATTERNS,
  details: ({ id, checkers, trap }) => [
    ['checkers', checkers.length > 0 ? checkers.join(', ') : 'none of ours: a command, or an invariant'],
    ['picked for', pickedFor(id)],
    ['trap', trap],
  ],
}

function pickedFor(id: string): string {
  const rows = CHECKER_PICKER.filter(({ patterns }) => patterns.includes(id)).map(
    ({ models, categories }) => {
      const model = models === 'any' ? 'any model' : models.join(' or ')
      return `${model} / ${categories === 'any' ? 'any claim' : categories.join(' or ')}`
    },
  )
  return rows.length > 0 ? rows.join('; ') : 'no rule: choose it by hand'
}
