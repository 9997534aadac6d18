/**
 * Two lists of questions about a green result: is it green because nothing happened (10), and could the oracle have
 * seen a failure at all (11)? `decides` says whether evidence answers the question or the plan must (`asked`).
 */
import type { Catalogue, Entry } from './entry.ts'

export interface AuditQuestion extends Entry {
  /** `evidence`: computed; `plan`: the scenario's `Audit` field must answer it; `either`: computed if evidence has it. */
  readonly decides: 'evidence' | 'plan' | 'either'
}

type Row = readonly [id: string, title: string, text: string, decides: AuditQuestion['decides']]

const GREEN: readonly Row[] = [
  ['load-generated', 'Load was really generated', 'Operations succeeded, at least ten of them.', 'evidence'],
  [
    'oracle-ran',
    'The oracle ran',
    'Every oracle that the plan names made at least one check in this run.',
    'evidence',
  ],
  [
    'faults-on-both-sides',
    'Faults are seen on both sides',
    'Injector and victim both have a signal for every planned fault.',
    'evidence',
  ],
  [
    'no-silent-no-op',
    'No fault was a no-op',
    'No planned fault was injected without any effect.',
    'evidence',
  ],
  [
    'clocks-did-not-mask',
    'Clocks did not mask anything',
    'Times of the history come from one monotonic or virtual clock.',
    'evidence',
  ],
  ['duration-met', 'It ran as long as planned', 'Seeds, operations and time reach the budget.', 'evidence'],
  [
    'no-swallowed-errors',
    'No error was swallowed',
    'No seed is unjudged, and errors of the harness are in the evidence.',
    'evidence',
  ],
  ['recovery-completed', 'Recovery completed', 'After the faults the system did its work again.', 'either'],
  [
    'fair-baseline',
    'The baseline is fair',
    'What is compared with was measured in the same way, or nothing is compared.',
    'plan',
  ],
  ['more-than-one-pass', 'More than one pass', 'At least three seeds or repetitions agree.', 'evidence'],
]

const WEAK: readonly Row[] = [
  [
    'final-state-only',
    'More than the final state',
    'Something is checked while the run goes on, or the history is.',
    'evidence',
  ],
  ['logs-only', 'More than logs', 'The oracle reads operations or state, not log lines.', 'evidence'],
  ['health-only', 'More than health', 'The oracle reads answers, not health checks.', 'evidence'],
  ['single-failover', 'More than one failover', 'Faults landed more than once.', 'evidence'],
  [
    'no-error-metrics',
    'More than "no errors"',
    'A checker or an invariant decides, not the absence of errors.',
    'evidence',
  ],
  ['short-run', 'Not a short run', 'The hardening budget was spent.', 'evidence'],
  [
    'symmetric-partitions-only',
    'Not only symmetric partitions',
    'If partitions are planned, a one-way cut landed too, or the plan says why not.',
    'either',
  ],
  [
    'hidden-retries',
    'No hidden retries',
    'Retries of the client are operations of the history, or there are none.',
    'plan',
  ],
  [
    'wall-clock',
    'No wall clock across processes',
    'Order is not taken from wall clocks of several processes.',
    'evidence',
  ],
  [
    'one-topology',
    'More than one topology',
    'Numbers of nodes and clients vary, or the plan says why one is enough.',
    'either',
  ],
  ['one-seed', 'More than one seed', 'At least three seeds.', 'evidence'],
]

function questions(rows: readonly Row[]): AuditQuestion[] {
  return rows.map(([id, title, text, decides]) => ({
    id,
    title,
    text,
    decides,
    references: ['Barr et al.: The Oracle Problem in Software Testing, 2015'],
  }))
}

export const GREEN_BUT_BROKEN = questions(GREEN)
export const WEAK_ORACLE = questions(WEAK)

const details = ({ decides }: AuditQuestion): readonly (readonly [string, string])[] => [
  [
    'answered by',
    {
      evidence: 'the evidence',
      plan: 'the plan, in the Audit field of the scenario',
      either: 'the evidence; where it is silent, the Audit field',
    }[decides],
  ],
]

export const GREEN_CATALOGUE: Catalogue<AuditQuestion> = {
  kind: 'green-but-broken',
  title: 'Green but broken',
  about: 'Is it green because nothing happened? A clear no to any of these takes the pass away.',
  entries: GREEN_BUT_BROKEN,
  details,
}

export const WEAK_CATALOGUE: Catalogue<AuditQuestion> = {
  kind: 'weak-oracle',
  title: 'Weak oracle',
  about: 'Could the oracle have seen a failure? Any that is not answered with yes rules PASS-hardening out.',
  entries: WEAK_ORACLE,
  details,
}
