/** The ten verdicts of a scenario, and what each allows to say. */
import type { Catalogue, Entry } from './entry.ts'

export const VERDICT_STATES = [
  'PASS-hardening',
  'PASS-smoke',
  'PARTIAL-model',
  'PARTIAL-surface',
  'FAIL-reproducible',
  'FAIL-nondeterministic',
  'INCONCLUSIVE-oracle-too-weak',
  'INCONCLUSIVE-fault-not-proven',
  'INCONCLUSIVE-env',
  'NOT-RUN',
] as const

export type VerdictState = (typeof VERDICT_STATES)[number]

export interface VerdictEntry extends Entry {
  readonly id: VerdictState
  /** The strongest sentence that a report may contain. */
  readonly allows: string
  /** What it does to confidence in the claim. */
  readonly confidence: 'more' | 'less' | 'unchanged'
}

const ROWS: Readonly<Record<VerdictState, readonly [string, string, VerdictEntry['confidence']]>> = {
  'PASS-hardening': [
    'The planned faults landed, a checker with a working negative control read the complete history of all operations, three or more seeds agree, and the hardening budget was spent.',
    'no violation was observed under the faults that landed, within the budget',
    'more',
  ],
  'PASS-smoke': [
    'The oracle ran on a complete history without an anomaly, but without faults, or below the hardening budget.',
    'the harness works and saw no violation in calm or brief weather',
    'unchanged',
  ],
  'PARTIAL-model': [
    'The checker saw only a part: some operations, fewer than three seeds, or less than the budget.',
    'no violation was observed in the part that was checked',
    'unchanged',
  ],
  'PARTIAL-surface': [
    'Only surface checks ran, or only some arms of the scenario.',
    'no violation was observed on the surfaces that were checked',
    'unchanged',
  ],
  'FAIL-reproducible': [
    'A violation, and a re-run with the same seed and faults shows it again.',
    'the claim is violated; the reproducer of the finding shows it',
    'less',
  ],
  'FAIL-nondeterministic': [
    'A violation that an identical re-run did not show again, or that could not be re-run.',
    'a violation was observed; it was not reproduced',
    'less',
  ],
  'INCONCLUSIVE-oracle-too-weak': [
    'It ran, but history or oracle cannot tell a pass from a failure.',
    'nothing about the claim',
    'unchanged',
  ],
  'INCONCLUSIVE-fault-not-proven': [
    'A planned fault has no signal on the victim’s side; what the oracle says is irrelevant.',
    'nothing about the claim under that fault',
    'unchanged',
  ],
  'INCONCLUSIVE-env': [
    'The environment lacks something that the scenario needs.',
    'nothing about the claim',
    'unchanged',
  ],
  'NOT-RUN': ['Declared in the plan, and not attempted.', 'nothing about the claim', 'unchanged'],
}

export const VERDICTS: readonly VerdictEntry[] = VERDICT_STATES.map((id) => {
  const [text, allows, confidence] = ROWS[id]
  return { id, title: id, text, allows, confidence, references: ['docs/plans.md: the order of decision'] }
})

export const VERDICT_CATALOGUE: Catalogue<VerdictEntry> = {
  kind: 'verdicts',
  title: 'Verdicts',
  about: 'The ten states of a scenario; a pure function of the evidence decides.',
  entries: VERDICTS,
  details: ({ allows, confidence }) => [
    ['allows to say', allows],
    ['confidence', confidence],
  ],
}
