import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import { parseDocument } from './document.ts'
import { readPlan } from './read-plan.ts'
import { writePlan } from './write-plan.ts'

const FOLDER = new URL('../../../examples/plans/', import.meta.url)
const PLANS = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md')
const textOf = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8')

describe('a document', () => {
  it('knows where every cell and every field stands', () => {
    const source =
      '# T\n\n| a | b |\n|---|---|\n| one | two \\| three |\n\n- **Label**: value\n  goes on\n  - item\n'
    const [part] = parseDocument(source).parts
    const cell = part.tables[0].rows[0].cells[1]
    expect(source.slice(cell.span.start, cell.span.end)).toBe('two \\| three')
    expect(cell.span.line).toBe(5)
    const [field] = part.fields
    expect(field.label).toBe('Label')
    expect(source.slice(field.value.span.start, field.value.span.end)).toBe('value\n  goes on')
    expect(field.items.map(({ text }) => text)).toEqual(['item'])
  })

  it('nests parts by the depth of their headings', () => {
    const root = parseDocument('# a\n## b\n### c\n## d\n')
    expect(root.parts[0].parts.map(({ title, parts }) => [title.text, parts.length])).toEqual([
      ['b', 1],
      ['d', 0],
    ])
  })
})

describe.each(PLANS)('the plan %s', (name) => {
  it('is read without a problem', () => {
    expect(readPlan(textOf(name), name).problems).toEqual([])
  })

  it('is the same file when it is written back', () => {
    const document = readPlan(textOf(name), name)
    expect(writePlan(document, document.plan!)).toBe(document.text)
  })

  it('is the same file when each of its values is printed in its place', () => {
    const document = readPlan(textOf(name), name)
    let printed = 0
    for (const [path, { span, print }] of document.places) {
      if (print === null) continue
      const value = path.split('.').reduce((at: any, key) => at[key], document.plan)
      expect(`${path}: ${print(value)}`).toBe(`${path}: ${document.text.slice(span.start, span.end)}`)
      printed++
    }
    expect(printed).toBeGreaterThan(100)
  })

  it('changes only the bytes of a value that changes, and changes back', () => {
    const document = readPlan(textOf(name), name)
    const plan = document.plan!
    const changed = writePlan(document, { ...plan, header: { ...plan.header, author: 'a | b' } })
    const again = readPlan(changed, name)
    expect(again.plan).toEqual({ ...plan, header: { ...plan.header, author: 'a | b' } })
    expect(writePlan(again, plan)).toBe(document.text)
  })

  it('takes every text of every table and changes it in its place', () => {
    const document = readPlan(textOf(name), name)
    const plan = structuredClone(document.plan!)
    for (const claim of plan.claims) claim.inferred = !claim.inferred
    for (const hypothesis of plan.hypotheses) hypothesis.falsifies = ['C1']
    for (const row of plan.pitfalls) row.pitfall = 'lost-ack'
    for (const row of plan.environment) row.hint = `${row.hint} (changed)`
    const again = readPlan(writePlan(document, plan), name)
    expect(again.plan).toEqual(plan)
  })
})

describe('writing a plan', () => {
  const document = readPlan(textOf('kv.md'), 'kv.md')

  it('refuses rows that come or go', () => {
    const plan = { ...document.plan!, claims: document.plan!.claims.slice(1) }
    expect(() => writePlan(document, plan)).toThrow(/claims has 3 entries in the file and would have 2/)
  })

  it('refuses a value that is derived from another', () => {
    const plan = structuredClone(document.plan!)
    plan.scenarios[0].id = 'S9'
    expect(() => writePlan(document, plan)).toThrow(/scenarios\.0\.id cannot be changed by itself/)
  })
})

describe('a file that is no plan', () => {
  it.each([
    ['', /it is empty/],
    ['\u0000\u0001PNG', /it is binary, or not UTF-8/],
    ['{"version":1}', /it has no heading such as/],
    ['# Readme\n\nHello.\n', /it has no heading such as/],
  ])('is refused: %j', (text, message) => {
    expect(() => readPlan(text, 'x.md')).toThrow(UsageError)
    expect(() => readPlan(text, 'x.md')).toThrow(message)
  })

  it('is read as far as possible if only sections are missing', () => {
    const { plan, problems } = readPlan('# Plan: x\n\n## §1b Claims\n\nNone.\n', 'x.md')
    expect(plan).toBeNull()
    expect(problems.filter(({ rule }) => rule === 'missing-section').map(({ section }) => section)).toContain(
      '§7d',
    )
    expect(problems.find(({ rule }) => rule === 'missing-table')).toMatchObject({ section: '§1b', line: 3 })
  })
})
