/** A plan to fill in, as Markdown: what was gathered is in it, what must be thought is marked with TODO and refused by lint. */
import { PITFALLS } from '../catalog/pitfalls.ts'
import { BOUNDARY_FIELDS } from '../model/plan.ts'
import { DISCIPLINE_FIELDS, SECTIONS, type Section } from '../model/sections.ts'
import type { GatheredClaim } from './claims.ts'

export interface Gathered {
  readonly system: string
  readonly date: string
  readonly author: string
  /** Null for a plan of the whole project. */
  readonly change: {
    readonly revision: string
    readonly files: readonly string[]
    readonly importers: readonly string[]
  } | null
  readonly claims: readonly GatheredClaim[]
  /** Claims that were found and left out, so that the table stays readable. */
  readonly claimsLeftOut: number
  readonly tests: readonly { readonly file: string; readonly titles: number }[]
  readonly environment: readonly {
    readonly requirement: string
    /** The least version that the project asks for. */
    readonly floor: string
    readonly probe: string
    readonly hint: string
  }[]
  /** What a scenario can run, with the invariants that it has. */
  readonly simulations: readonly { readonly name: string; readonly invariants: readonly string[] }[]
}

export function scaffoldText(gathered: Gathered): string {
  const { system, date, author, change } = gathered
  const lines = [
    `# Plan: ${system}`,
    '',
    ...table(
      ['field', 'value'],
      [
        ['Date', date],
        ['Mode', change === null ? 'project' : 'change'],
        ['System', system],
        ['Change', change?.revision ?? '–'],
        ['Author', author],
        ['Status', 'draft'],
      ],
    ),
  ]
  for (const section of SECTIONS)
    lines.push(`## ${section.id} ${section.title}`, '', ...bodyOf(section, gathered), '')
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`
}

function bodyOf(section: Section, gathered: Gathered): string[] {
  const { columns, about } = section
  switch (section.id) {
    case '§1':
      return scope(gathered)
    case '§1b':
      return claims(section, gathered)
    case '§3':
      return gathered.tests.length === 0
        ? ['There are no tests yet.']
        : table(
            columns,
            gathered.tests.map(({ file, titles }) => [
              file,
              `${titles} ${titles === 1 ? 'test' : 'tests'}`,
              '–',
            ]),
          )
    case '§4':
      return [
        ...table(columns, [['H1', 'C1', 'TODO: how could C1 be false?', 'correctness', 'TODO', 'TODO']]),
        '### Pitfalls',
        '',
        ...table(
          ['Pitfall', 'Answer', 'Reason'],
          PITFALLS.map(({ id, hypothesis }) => [`\`${id}\``, 'maybe', `TODO: ${hypothesis}`]),
        ),
      ]
    case '§5':
      return table(columns, [['C1', 'H1', 'not', 'no test', '–']])
    case '§6':
      return table(columns, [['`deterministic-simulation`', 'H1', 'TODO', 'TODO']])
    case '§6b':
      return table(
        columns,
        gathered.environment.map(({ requirement, floor, probe, hint }) => [
          requirement,
          floor,
          '–',
          `\`${probe}\``,
          hint,
        ]),
      )
    case '§7':
      return scenario(gathered)
    default:
      return columns.length === 0
        ? [`TODO: ${about}`]
        : table(columns, [
            columns.map((column) => (column === 'Claim' ? 'C1' : column === 'Scenarios' ? 'S1' : 'TODO')),
          ])
  }
}

function scope({ change }: Gathered): string[] {
  if (change === null) return ['TODO: What is in, what is out, and why.']
  const list = (title: string, files: readonly string[]): string[] =>
    files.length === 0 ? [] : [`${title}:`, '', ...files.map((file) => `- ${file}`), '']
  return [
    `What changed since ${change.revision}, and what imports it. TODO: what is out, and why.`,
    '',
    ...list('Changed', change.files),
    ...list('Imports what changed', change.importers),
  ].slice(0, -1)
}

function claims({ columns }: Section, { claims: found, claimsLeftOut }: Gathered): string[] {
  const rows = found.map(({ text, category, file, line, inferred }, index) => [
    `C${index + 1}`,
    text,
    category,
    `${file}:${line}`,
    inferred ? 'yes' : 'no',
  ])
  const note = [
    'Gathered mechanically: sentences are quoted, names of tests and errors are marked as inferred, categories are guesses by keywords. Delete what is no promise; add what is missing to §1c.',
  ]
  if (claimsLeftOut > 0) note.push('', `${claimsLeftOut} more were found and left out.`)
  if (rows.length === 0)
    return [
      'Nothing that reads like a promise was found. TODO: what does the system promise, and where does it say so?',
      '',
      ...table(columns, []),
    ]
  return [...note, '', ...table(columns, rows)]
}

/** Answered with no until a person has thought about it. */
const AUDIT: readonly string[] = [
  '`fair-baseline`: no, TODO: n/a if nothing is compared with a baseline',
  '`hidden-retries`: no, TODO: yes if no request is sent again, or if that is an operation of its own',
  '`one-topology`: no, TODO: yes if numbers of processes and clients vary, or if one shape is all there is',
]

const DISCIPLINE: Readonly<Record<string, string>> = {
  Model: 'other',
  'Operation history': 'TODO: all 12 columns but `node_seen`, or the columns one by one; who records them',
  Checker:
    'TODO: its name in the evidence: `invariant: …` or `linearizable register`, as `wavetank run` prints it',
}

/** One simulation is what S1 runs; among several a person has to choose. */
function run({ simulations }: Gathered): string {
  const [first, ...others] = simulations.map(({ name }) => `\`simulation ${name}\``)
  if (first === undefined) return '`simulation NAME`, TODO: `wavetank scaffold simulation` writes one'
  return others.length === 0 ? first : `${first}, TODO: or another one: ${others.join(', ')}`
}

function checker({ simulations }: Gathered): string {
  const [first, ...others] = simulations
  if (first === undefined || others.length > 0 || first.invariants.length === 0) return DISCIPLINE['Checker']
  return `${first.invariants.map((name) => `\`invariant: ${name}\``).join(', ')}, TODO: keep those that decide about C1`
}

function scenario(gathered: Gathered): string[] {
  const fields: readonly (readonly [string, string])[] = [
    ['Falsifies', 'H1'],
    ['Closes', 'C1 × H1'],
    ['Technique', '`deterministic-simulation`'],
    ['Workload', 'TODO'],
    ['Faults', 'TODO: nemeses of `wavetank catalog nemeses`, as code spans'],
    ['Oracle', 'TODO: a pattern of `wavetank catalog oracle-patterns`, and what it compares'],
    ['Negative control', 'TODO: `simulation NAME` that the oracle must reject'],
    ['Observability', 'TODO'],
    ['Exit criteria', 'TODO'],
    ['Run', run(gathered)],
    ['Smoke budget', 'seeds 3, level sunny'],
    ['Hardening budget', 'seeds 100, level stormy'],
    ['Release budget', 'not provided: TODO. Revisit when: TODO.'],
    ['Audit', AUDIT.map((line) => `\n  - ${line}`).join('')],
  ]
  const item = (label: string, text: string): string => `- **${label}**: ${text}`.replace(': \n', ':\n')
  return [
    '### S1 TODO: the claim, as a sentence',
    '',
    ...fields.map(([label, text]) => item(label, text)),
    '',
    '#### §7.M Model, history and checker',
    '',
    ...DISCIPLINE_FIELDS.map((label) =>
      item(label, label === 'Checker' ? checker(gathered) : (DISCIPLINE[label] ?? 'TODO')),
    ),
    '',
    `TODO: delete this line. A claim about a boundary or fairness needs \`#### §7.M.S\` as well, with the fields ${BOUNDARY_FIELDS.join(', ')}.`,
  ]
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [row(columns), row(columns.map(() => '---')), ...rows.map(row), '']
}
