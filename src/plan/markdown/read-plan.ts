/**
 * Reads a plan from Markdown. Every datum remembers where it stands, so that problems name section and line and
 * write-plan.ts can change a value in place. A plan with problems is read as far as possible: the linter wants to see all
 * of it at once.
 */
import { UsageError } from '../../kernel/errors.ts'
import { planSchema, type Plan } from '../model/plan.ts'
import { HEADER_FIELDS, PITFALL_COLUMNS, SECTIONS, type Section } from '../model/sections.ts'
import { parseDocument, type Part, type Piece, type Table } from './document.ts'
import { Draft, type Place } from './draft.ts'
import type { Problem } from './problem.ts'
import { readScenario } from './read-scenario.ts'

export interface PlanDocument {
  /** The source, as it was read. */
  readonly text: string
  /** Null if it is not well formed. */
  readonly plan: Plan | null
  /** What could be read, well formed or not. */
  readonly candidate: Readonly<Record<string, unknown>>
  /** Where each datum stands, by path: `claims.0.category`. */
  readonly places: ReadonlyMap<string, Place>
  /** Lines of sections, by id. */
  readonly sections: ReadonlyMap<string, number>
  readonly problems: readonly Problem[]
}

/** `name` is for errors. */
export function readPlan(source: string, name: string): PlanDocument {
  refuseOtherFiles(source, name)
  const draft = new Draft()
  const root = parseDocument(source)
  const title = root.parts.find(({ depth }) => depth === 1)
  const sections = sectionsOf(root, draft)
  if (sections.size === 0) throw notAPlan(name, 'it has no heading such as `## §1b Claims`')
  readHead(draft, title)
  for (const section of SECTIONS) {
    const part = sections.get(section.id)
    if (part === undefined)
      draft.problem('missing-section', section.id, 1, `§ ${section.title} is missing: ${section.about}`)
    else readSection(draft, section, part)
  }
  const parsed = planSchema.safeParse(draft.values)
  if (!parsed.success) for (const issue of parsed.error.issues) draft.issue(issue.path, issue.message)
  const lines = new Map([...sections].map(([id, part]) => [id, part.line]))
  return {
    text: source,
    plan: parsed.success ? parsed.data : null,
    candidate: draft.values,
    places: draft.places,
    sections: lines,
    problems: draft.problems.toSorted((a, b) => a.line - b.line),
  }
}

function refuseOtherFiles(source: string, name: string): void {
  if (source.trim() === '') throw notAPlan(name, 'it is empty')
  // oxlint-disable-next-line no-control-regex -- a control character is what shows that a file is binary
  if (/[\u0000-\u0008\uFFFD]/.test(source.slice(0, 100_000)))
    throw notAPlan(name, 'it is binary, or not UTF-8')
}

function notAPlan(name: string, why: string): UsageError {
  return new UsageError(
    'ERR_WAVETANK_NO_PLAN',
    `plan: ${name} is not a plan in Markdown: ${why}. \`wavetank plan new\` writes one to fill in.`,
  )
}

/** Parts whose heading begins with a section id, wherever they are nested. */
function sectionsOf(root: Part, draft: Draft): Map<string, Part> {
  const found = new Map<string, Part>()
  const known = new Set(SECTIONS.map(({ id }) => id))
  const visit = (part: Part): void => {
    const id = /^§\d+[a-z]?(?![\w.])/.exec(part.title.text)?.[0]
    if (id !== undefined) {
      if (!known.has(id))
        draft.problem('unknown-section', id, part.line, `there is no section ${id} in a plan`)
      else if (found.has(id))
        draft.problem(
          'duplicate-section',
          id,
          part.line,
          `${id} is there twice; the first is at line ${found.get(id)!.line}`,
        )
      else found.set(id, part)
    }
    part.parts.forEach(visit)
  }
  visit(root)
  return found
}

function readHead(draft: Draft, part: Part | undefined): void {
  draft.values.version = 1
  if (part === undefined) {
    draft.problem(
      'missing-title',
      'header',
      1,
      'a plan begins with a heading `# Plan: …` and a table of its date, mode, system, change, author and status',
    )
    return
  }
  draft.text(['title'], part.title)
  draft.home(['header'], 'header', part.line)
  const rows = part.tables.flatMap(({ header, rows }) => [header, ...rows.map(({ cells }) => cells)])
  for (const field of HEADER_FIELDS) {
    const row = rows.find(([label]) => label?.text.toLowerCase() === field.toLowerCase())
    const value = row?.[1]
    if (value === undefined)
      draft.problem('missing-header', 'header', part.line, `the table under the title has no row "${field}"`)
    else draft.text(['header', field.toLowerCase()], value)
  }
}

const PROSE: Readonly<Record<string, string>> = {
  '§0': 'architecture',
  '§1': 'scope',
  '§2': 'systemModel',
  '§7d': 'confidence',
  '§8': 'notCovered',
  '§9': 'openQuestions',
}

function readSection(draft: Draft, section: Section, part: Part): void {
  draft.home([PROSE[section.id] ?? TABLES[section.id]?.key ?? 'scenarios'], section.id, part.line)
  if (PROSE[section.id] !== undefined) draft.text([PROSE[section.id]], part.body)
  else if (section.id === '§7') readScenarios(draft, part)
  else readTable(draft, section, part)
  if (section.id === '§4') readPitfalls(draft, part)
}

type Reader = (draft: Draft, path: readonly (string | number)[], cell: Piece) => void

const asText: Reader = (draft, path, cell) => draft.text(path, cell)
const asIds =
  (letter: string): Reader =>
  (draft, path, cell) =>
    draft.list(
      path,
      cell,
      [...cell.text.matchAll(new RegExp(`\\b${letter}\\d+\\b`, 'g'))].map(([id]) => id),
    )
const asAnswer: Reader = (draft, path, cell) => {
  const word = cell.text.toLowerCase()
  draft.value(path, cell, word === 'yes' ? true : word === 'no' ? false : cell.text, (value) =>
    value === true ? 'yes' : 'no',
  )
}
const asLower: Reader = (draft, path, cell) => draft.value(path, cell, cell.text.toLowerCase(), String)
/** An id of a catalogue stays a code span if it is one. */
const asId: Reader = (draft, path, cell) => {
  const isCode = cell.text.startsWith('`')
  draft.value(path, cell, cell.text.replaceAll('`', ''), (value) => (isCode ? `\`${value}\`` : `${value}`))
}
const asOptional: Reader = (draft, path, cell) =>
  draft.value(path, cell, isNothing(cell.text) ? null : cell.text, (value) => (value as string | null) ?? '–')
const asProbe: Reader = (draft, path, cell) =>
  draft.value(path, cell, /`([^`]+)`/.exec(cell.text)?.[1] ?? null, (value) =>
    value === null ? '–' : `\`${value as string}\``,
  )

interface TableKind {
  readonly key: string
  /** Property and reader for each column, in the order of the section's columns. */
  readonly cells: readonly (readonly [property: string, read: Reader])[]
  /** An empty table is a statement, to be made in words. */
  readonly mayBeEmpty: boolean
}

const TABLES: Readonly<Record<string, TableKind>> = {
  '§1b': {
    key: 'claims',
    cells: [
      ['id', asText],
      ['claim', asText],
      ['category', asLower],
      ['source', asText],
      ['inferred', asAnswer],
    ],
    mayBeEmpty: false,
  },
  '§1c': {
    key: 'missingClaims',
    cells: [
      ['behaviour', asText],
      ['evidence', asText],
      ['action', asText],
    ],
    mayBeEmpty: true,
  },
  '§3': {
    key: 'existingTests',
    cells: [
      ['test', asText],
      ['checks', asText],
      ['claims', asIds('C')],
    ],
    mayBeEmpty: true,
  },
  '§4': {
    key: 'hypotheses',
    cells: [
      ['id', asText],
      ['falsifies', asIds('C')],
      ['hypothesis', asText],
      ['category', asLower],
      ['because', asText],
      ['subsystem', asText],
    ],
    mayBeEmpty: false,
  },
  '§5': {
    key: 'coverage',
    cells: [
      ['claim', asText],
      ['hypothesis', asText],
      ['state', asLower],
      ['gap', asOptional],
      ['by', asText],
    ],
    mayBeEmpty: false,
  },
  '§6': {
    key: 'techniques',
    cells: [
      ['technique', asId],
      ['hypotheses', asIds('H')],
      ['catches', asText],
      ['cost', asText],
    ],
    mayBeEmpty: false,
  },
  '§6b': {
    key: 'environment',
    cells: [
      ['requirement', asText],
      ['floor', asText],
      ['usedBy', asIds('S')],
      ['probe', asProbe],
      ['hint', asText],
    ],
    mayBeEmpty: true,
  },
  '§7b': {
    key: 'adequacy',
    cells: [
      ['claim', asText],
      ['threat', asText],
      ['scenarios', asIds('S')],
      ['why', asText],
    ],
    mayBeEmpty: false,
  },
  '§7c': {
    key: 'residual',
    cells: [
      ['what', asText],
      ['why', asText],
      ['acceptable', asText],
      ['revisit', asText],
    ],
    mayBeEmpty: true,
  },
}

function readTable(draft: Draft, section: Section, part: Part): void {
  const { key, cells, mayBeEmpty } = TABLES[section.id]
  draft.values[key] = []
  const rows = rowsOf(draft, section.id, part, section.columns, mayBeEmpty)
  rows?.forEach((row, index) => {
    draft.home([key, index], section.id, row.line)
    cells.forEach(([property, read], column) => {
      const cell = row.cells[column]
      if (cell !== undefined) read(draft, [key, index, property], cell)
    })
  })
}

function readPitfalls(draft: Draft, part: Part): void {
  draft.values.pitfalls = []
  const home = part.parts.find(({ title }) => /pitfalls/i.test(title.text))
  draft.home(['pitfalls'], '§4', home?.line ?? part.line)
  if (home === undefined) {
    draft.problem(
      'missing-pitfalls',
      '§4',
      part.line,
      'the walk through the pitfalls is missing: a heading `### Pitfalls` with a table Pitfall, Answer, Reason',
    )
    return
  }
  rowsOf(draft, '§4', home, PITFALL_COLUMNS, false)?.forEach((row, index) => {
    draft.home(['pitfalls', index], '§4', row.line)
    const readers: readonly Reader[] = [asId, asLower, asText]
    ;['pitfall', 'answer', 'reason'].forEach((property, column) => {
      const cell = row.cells[column]
      if (cell !== undefined) readers[column](draft, ['pitfalls', index, property], cell)
    })
  })
}

interface OrderedRow {
  readonly cells: readonly (Piece | undefined)[]
  readonly line: number
}

/** Rows of the table of a section, their cells in the order of the expected columns. */
function rowsOf(
  draft: Draft,
  id: string,
  part: Part,
  columns: readonly string[],
  mayBeEmpty: boolean,
): OrderedRow[] | null {
  const isIt = ({ header }: Table): boolean => columnOf(header, columns[0]) >= 0
  const table = part.tables.find(isIt)
  if (table === undefined) {
    if (!mayBeEmpty || part.body.text === '')
      draft.problem(
        'missing-table',
        id,
        part.line,
        `${id} needs a table with the columns ${columns.join(', ')}${mayBeEmpty ? ', or a sentence that says why it is empty' : ''}`,
      )
    return null
  }
  const order = columns.map((column) => columnOf(table.header, column))
  columns.forEach((column, index) => {
    if (order[index] < 0)
      draft.problem('missing-column', id, table.line, `the table of ${id} has no column "${column}"`)
  })
  return table.rows.map(({ cells, line }) => ({ cells: order.map((index) => cells[index]), line }))
}

function columnOf(header: readonly Piece[], column: string): number {
  return header.findIndex(({ text }) => text.toLowerCase() === column.toLowerCase())
}

function readScenarios(draft: Draft, part: Part): void {
  const scenarios = part.parts.filter(({ title }) => /^S\d+\b/.test(title.text))
  draft.values.scenarios = []
  scenarios.forEach((each, index) => readScenario(draft, index, each))
  for (const { title, line } of part.parts.filter(
    (each) => !scenarios.includes(each) && !each.title.text.startsWith('§'),
  ))
    draft.problem(
      'scenario-heading',
      '§7',
      line,
      `"${title.text}" is no scenario: its heading must begin with S and a number, such as \`### S1 …\``,
    )
}

export function isNothing(text: string): boolean {
  return /^(|–|—|-|none|n\/a)$/i.test(text.trim())
}
