/** The sections of a plan in their order. The reader finds them by id, the linter misses them by name. */

export interface Section {
  readonly id: string
  readonly title: string
  /** What it has, in a sentence: also the scaffold's hint. */
  readonly about: string
  /** Columns of its table; empty for prose. */
  readonly columns: readonly string[]
}

export const SECTIONS: readonly Section[] = [
  {
    id: '§0',
    title: 'Architecture',
    about: 'Components, data flow, durable state, consensus and trust boundary, in at most 30 lines.',
    columns: [],
  },
  { id: '§1', title: 'Scope', about: 'What is in, what is out, and why.', columns: [] },
  {
    id: '§1b',
    title: 'Claims',
    about: 'What the system promises, with the place that says so.',
    columns: ['ID', 'Claim', 'Category', 'Source', 'Inferred'],
  },
  {
    id: '§1c',
    title: 'Missing claims',
    about: 'Behaviour that users rely on and no sentence promises. An empty list says so in words.',
    columns: ['Behaviour', 'Evidence', 'Action'],
  },
  {
    id: '§2',
    title: 'System model',
    about: 'Processes, messages, failures that may happen and those that may not.',
    columns: [],
  },
  {
    id: '§3',
    title: 'Existing tests',
    about: 'What is tested today.',
    columns: ['Test', 'Checks', 'Claims'],
  },
  {
    id: '§4',
    title: 'Hypotheses',
    about: 'How each claim could be false.',
    columns: ['ID', 'Falsifies', 'Hypothesis', 'Category', 'Suspected because', 'Subsystem'],
  },
  {
    id: '§5',
    title: 'Coverage',
    about: 'Claim by hypothesis: covered, partial or not, and the kind of gap.',
    columns: ['Claim', 'Hypothesis', 'State', 'Gap', 'By'],
  },
  {
    id: '§6',
    title: 'Techniques',
    about: 'What is used, for which hypotheses, and what only it catches.',
    columns: ['Technique', 'Hypotheses', 'Catches', 'Cost'],
  },
  {
    id: '§6b',
    title: 'Environment',
    about: 'What must be there, and how to get it.',
    columns: ['Requirement', 'Floor', 'Used by', 'Probe', 'Hint'],
  },
  { id: '§7', title: 'Scenarios', about: 'One heading per scenario, named after its claim.', columns: [] },
  {
    id: '§7b',
    title: 'Adequacy',
    about: 'Why the scenarios are enough for each claim.',
    columns: ['Claim', 'Threat model', 'Scenarios', 'Why sufficient'],
  },
  {
    id: '§7c',
    title: 'Residual uncertainty',
    about: 'What stays untested, and why that is acceptable.',
    columns: ['What', 'Why uncovered', 'Why acceptable', 'Revisit'],
  },
  {
    id: '§7d',
    title: 'Confidence',
    about: 'Four to eight sentences: what may be said if everything passes, and what may not.',
    columns: [],
  },
  { id: '§8', title: 'Not covered', about: 'What this plan leaves out on purpose.', columns: [] },
  { id: '§9', title: 'Open questions', about: 'What must be asked of people.', columns: [] },
]

export const PITFALL_COLUMNS = ['Pitfall', 'Answer', 'Reason'] as const
export const HEADER_FIELDS = ['Date', 'Mode', 'System', 'Change', 'Author', 'Status'] as const

/** Fields of a scenario, in the order in which a reader wants them. */
export const SCENARIO_FIELDS = [
  'Falsifies',
  'Closes',
  'Technique',
  'Workload',
  'Faults',
  'Landing evidence',
  'Oracle',
  'Negative control',
  'Observability',
  'Exit criteria',
  'Ambiguous outcomes',
  'Reduction plan',
  'Run',
  'Smoke budget',
  'Hardening budget',
  'Release budget',
  'Swap generator',
  'Swap checker',
  'Swap host',
  'Known good',
  'Audit',
  'Target test file',
  'Skeleton',
] as const

export const DISCIPLINE_FIELDS = [
  'Model',
  'Operation history',
  'Checker',
  'Nemesis',
  'Landing evidence',
  'Ambiguous outcomes',
  'Reduction plan',
] as const
