/** Reads one scenario: its fields, its §7.M and its §7.M.S. */
import { readBinding, readBindings } from '../model/binding.ts'
import { readBudget, TIERS } from '../model/budget.ts'
import { HISTORY_FIELDS } from '../model/history-fields.ts'
import { BOUNDARY_FIELDS } from '../model/plan.ts'
import { DISCIPLINE_FIELDS, SCENARIO_FIELDS } from '../model/sections.ts'
import type { Field, Part, Piece } from './document.ts'
import type { Draft } from './draft.ts'

const ABSENT: Piece = { text: '', span: { start: -1, end: -1, line: 0 }, inCell: false }

/** `Arm A1`, `Arm A2`, … */
const ARM = /^Arm\s+(\S+)$/i

export function readScenario(draft: Draft, index: number, part: Part): void {
  const [, id, name] = /^(S\d+)\s*(.*)$/s.exec(part.title.text)!
  const section = `§7 ${id}`
  const reader = new ScenarioReader(draft, ['scenarios', index], section, part)
  draft.home(['scenarios', index], section, part.line)
  draft.derived(['scenarios', index, 'id'], part.title, id)
  draft.derived(['scenarios', index, 'name'], part.title, name)
  reader.refuseUnknownFields()
  reader.fields()
  reader.arms()
  reader.budgets()
  reader.skeleton()
  reader.discipline(part.parts.find(({ title }) => /^§7\.M(?!\.)\b/.test(title.text)))
  reader.boundary(part.parts.find(({ title }) => /^§7\.M\.S\b/.test(title.text)))
}

class ScenarioReader {
  private readonly draft: Draft
  private readonly path: readonly (string | number)[]
  private readonly section: string
  private readonly part: Part

  constructor(draft: Draft, path: readonly (string | number)[], section: string, part: Part) {
    this.draft = draft
    this.path = path
    this.section = section
    this.part = part
  }

  refuseUnknownFields(): void {
    const known = new Set(SCENARIO_FIELDS.map((label) => label.toLowerCase()))
    const seen = new Set<string>()
    for (const { label, line } of this.part.fields) {
      const name = label.toLowerCase()
      if (!known.has(name) && !ARM.test(label))
        this.draft.problem(
          'unknown-field',
          this.section,
          line,
          `a scenario has no field "${label}"; the fields are ${SCENARIO_FIELDS.join(', ')}, and Arm with an id`,
        )
      if (seen.has(name))
        this.draft.problem('duplicate-field', this.section, line, `"${label}" is there twice`)
      seen.add(name)
    }
  }

  fields(): void {
    for (const [label, property] of [
      ['Closes', 'closes'],
      ['Workload', 'workload'],
      ['Faults', 'faults'],
      ['Oracle', 'oracle'],
      ['Observability', 'observability'],
      ['Exit criteria', 'exitCriteria'],
      ['Landing evidence', 'landingEvidence'],
      ['Ambiguous outcomes', 'ambiguousOutcomes'],
      ['Reduction plan', 'reductionPlan'],
    ])
      this.text(property, label)
    this.derived('falsifies', 'Falsifies', (text) => [...text.matchAll(/\b[CH]\d+\b/g)].map(([id]) => id))
    this.derived('techniques', 'Technique', spans)
    this.derived('nemeses', 'Faults', (text) => (/^none\b/i.test(text) ? [] : spans(text)))
    this.derived('oraclePatterns', 'Oracle', spans)
    this.derived('audit', 'Audit', (_, field) => (field?.items ?? []).map(auditAnswer))
    for (const item of this.find('Audit')?.items ?? [])
      if (auditAnswer(item) === null)
        this.draft.problem(
          'audit-answer',
          this.section,
          item.span.line,
          'an answer reads `question-id`: yes, no or n/a, and the reason',
        )
    const control = this.find('Negative control')
    this.derived('negativeControls', 'Negative control', (text) => readBindings(text))
    if (control !== undefined && readBinding(control.value.text) === null)
      this.draft.problem(
        'binding',
        this.section,
        control.line,
        'the negative control has no binding such as `simulation kv-broken`',
      )
    for (const [swap, label] of [
      ['generator', 'Swap generator'],
      ['checker', 'Swap checker'],
      ['host', 'Swap host'],
      ['known-good', 'Known good'],
    ]) {
      const field = this.find(label)
      this.draft.derived(
        [...this.path, 'swaps', swap],
        field?.value ?? ABSENT,
        field === undefined ? null : readBinding(field.value.text),
      )
    }
  }

  arms(): void {
    const fields = this.part.fields.filter(({ label }) => label.toLowerCase() === 'run' || ARM.test(label))
    const arms = fields.map(({ label, value, line }) => {
      const read = bound(value.text)
      if (read === null)
        this.draft.problem(
          'binding',
          this.section,
          line,
          `${label} has no binding: write \`simulation NAME\`, \`race FILE › TITLE\` or \`command …\``,
        )
      return { id: ARM.exec(label)?.[1] ?? 'run', ...read }
    })
    const at = fields[0]?.value
    if (at === undefined) this.draft.set([...this.path, 'arms'], [])
    else
      this.draft.derived(
        [...this.path, 'arms'],
        at,
        arms.filter((arm) => 'binding' in arm),
      )
  }

  budgets(): void {
    for (const tier of TIERS) {
      const label = `${tier[0].toUpperCase()}${tier.slice(1)} budget`
      const field = this.find(label)
      if (field === undefined) {
        this.draft.problem(
          'missing-budget',
          this.section,
          this.part.line,
          `${label} is missing: give it, or write \`not provided: reason. Revisit when: condition.\``,
        )
        continue
      }
      const read = readBudget(field.value.text)
      if (typeof read === 'string')
        this.draft.problem('budget', this.section, field.line, `${label}: ${read}`)
      else this.draft.derived([...this.path, 'budgets', tier], field.value, read)
    }
  }

  skeleton(): void {
    const [target, skeleton] = [this.find('Target test file'), this.find('Skeleton')]
    if (target === undefined || skeleton === undefined) {
      if (target !== undefined || skeleton !== undefined)
        this.draft.problem(
          'skeleton',
          this.section,
          (target ?? skeleton)!.line,
          'Target test file and Skeleton belong together',
        )
      this.draft.set([...this.path, 'skeleton'], null)
      return
    }
    if (skeleton.code === null)
      this.draft.problem(
        'skeleton',
        this.section,
        skeleton.line,
        'Skeleton needs a fenced block of code below it',
      )
    this.draft.derived([...this.path, 'skeleton'], skeleton.value, {
      file: target.value.text.replaceAll('`', ''),
      language: skeleton.code?.language ?? '',
      code: undented(skeleton.code?.content.text ?? ''),
    })
  }

  discipline(part: Part | undefined): void {
    const path = [...this.path, 'discipline']
    if (part === undefined) return this.draft.set(path, null)
    this.draft.home(path, `§7.M ${this.section.slice(3)}`, part.line)
    const values = this.labelled(part, path, DISCIPLINE_FIELDS)
    for (const [label, property] of Object.entries(DISCIPLINE_PROPERTIES)) {
      const field = values.get(label)
      if (field !== undefined) this.draft.text([...path, property], field.value)
    }
    const model = values.get('model')
    if (model !== undefined)
      this.draft.value(
        [...path, 'model'],
        model.value,
        model.value.text.replaceAll('`', '').toLowerCase(),
        String,
      )
    const history = values.get('operation history')
    this.draft.derived(
      [...path, 'historyFields'],
      history?.value ?? ABSENT,
      historyFields(history?.value.text ?? ''),
    )
    const checker = values.get('checker')
    const checkers = /^none\b/i.test(checker?.value.text ?? '') ? [] : spans(checker?.value.text ?? '')
    this.draft.derived([...path, 'checkers'], checker?.value ?? ABSENT, checkers)
  }

  boundary(part: Part | undefined): void {
    const path = [...this.path, 'boundary']
    if (part === undefined) return this.draft.set(path, null)
    this.draft.home(path, `§7.M.S ${this.section.slice(3)}`, part.line)
    const values = this.labelled(part, path, BOUNDARY_FIELDS)
    for (const label of BOUNDARY_FIELDS) {
      const field = values.get(label.toLowerCase())
      if (field !== undefined) this.draft.text([...path, label], field.value)
    }
  }

  private labelled(
    part: Part,
    path: readonly (string | number)[],
    labels: readonly string[],
  ): Map<string, Field> {
    const section = this.draft.near(path)!.section
    const found = new Map(part.fields.map((field) => [field.label.toLowerCase(), field]))
    for (const label of labels)
      if (!found.has(label.toLowerCase()))
        this.draft.problem('missing-field', section, part.line, `${section} has no field "${label}"`)
    this.draft.set(path, {})
    return found
  }

  private find(label: string): Field | undefined {
    return this.part.fields.find((field) => field.label.toLowerCase() === label.toLowerCase())
  }

  private text(property: string, label: string): void {
    const field = this.find(label)
    if (field === undefined) this.draft.set([...this.path, property], '')
    else this.draft.text([...this.path, property], field.value)
  }

  private derived(
    property: string,
    label: string,
    read: (text: string, field: Field | undefined) => unknown,
  ): void {
    const field = this.find(label)
    const value = read(field?.value.text ?? '', field)
    if (field === undefined) this.draft.set([...this.path, property], value)
    else this.draft.derived([...this.path, property], field.value, value)
  }
}

const DISCIPLINE_PROPERTIES: Readonly<Record<string, string>> = {
  'operation history': 'history',
  checker: 'checker',
  nemesis: 'nemesis',
  'landing evidence': 'landingEvidence',
  'ambiguous outcomes': 'ambiguousOutcomes',
  'reduction plan': 'reductionPlan',
}

/** The columns by name, or `all 12 columns`, or `all 12 columns but` some by name. */
function historyFields(text: string): string[] {
  if (!/\ball (12|twelve) columns\b/i.test(text)) return spans(text)
  const left = /\bcolumns but ((?:`\w+`(?:, | and )?)+)/i.exec(text)?.[1] ?? ''
  return HISTORY_FIELDS.filter((field) => !spans(left).includes(field))
}

/** The code spans of a text. */
function spans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span.trim())
}

/** A binding and the words after it. */
function bound(text: string): { binding: NonNullable<ReturnType<typeof readBinding>>; about: string } | null {
  const binding = readBinding(text)
  if (binding === null) return null
  return { binding, about: text.replace(/`[^`]+`/, '').replace(/^[\s,:;–—-]+/, '') }
}

function auditAnswer({ text }: Piece): { question: string; answer: string; reason: string } | null {
  const [, question, answer, reason] =
    /^`?([\w-]+)`?\s*:\s*(yes|no|n\/a)\b[\s,:;.–—-]*(.*)$/is.exec(text) ?? []
  return question === undefined ? null : { question, answer: answer.toLowerCase(), reason }
}

/** Code without the indentation of the list item it stands in. */
function undented(code: string): string {
  const lines = code.split('\n')
  const widths = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length)
  const width = widths.length === 0 ? 0 : Math.min(...widths)
  return `${lines.map((line) => line.slice(width)).join('\n')}\n`
}
