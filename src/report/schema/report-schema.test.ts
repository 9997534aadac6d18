import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { campaignJson } from '../campaign/campaign-json.ts'
import { GAP, HELD, NOT_LANDED, VIOLATED } from '../campaign/campaigns.test-support.ts'
import { campaignSchema, reportSchemaText } from './report-schema.ts'

const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(
  JSON.parse(reportSchemaText()) as object,
)
const CORPUS = [
  {
    file: 'wavetank-corpus/a.json',
    kind: 'simulation',
    scenario: 'bank',
    violated: 'invariant: money is conserved',
    replay: 'npx wavetank replay wavetank-corpus/a.json',
    status: 'fixed',
    reason: 'it holds now',
  },
] as const

/** Every document that differs from this one in one place: a property left out or added, or of another type. */
function* spoiled(document: unknown): Generator {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return
  for (const [key, value] of Object.entries(document)) {
    const { [key]: _, ...rest } = document as Record<string, unknown>
    if (!OPTIONAL.has(key)) yield rest
    yield { ...document, surplus: 1 }
    yield { ...document, [key]: { strange: true } }
    for (const inner of spoiled(value)) yield { ...document, [key]: inner }
  }
}

const OPTIONAL: ReadonlySet<string> = new Set(['disk'])

describe('the JSON Schema of a report', () => {
  it('is published as it is generated', () => {
    const file = new URL('../../../docs/schemas/report.schema.json', import.meta.url)
    // After a change: npx wavetank plan schema report > docs/schemas/report.schema.json
    expect(readFileSync(file, 'utf8')).toBe(reportSchemaText())
  })

  it.each(Object.entries({ HELD, VIOLATED, GAP, NOT_LANDED }))('accepts a report: %s', (_, result) => {
    const report: unknown = JSON.parse(campaignJson([result], CORPUS))
    expect([isValid(report), isValid.errors]).toEqual([true, null])
  })

  it('rejects what a report is not', () => {
    const report = JSON.parse(campaignJson([HELD], CORPUS)) as { campaigns: unknown[] }
    const wrong = [
      ...spoiled(report),
      ...[...spoiled(report.campaigns[0])].map((campaign) => ({ ...report, campaigns: [campaign] })),
    ]
    expect(wrong.length).toBeGreaterThan(100)
    expect(wrong.filter((each) => isValid(each))).toEqual([])
  })

  it('has every field of a campaign in docs/cli.md, and the page no other', () => {
    const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
    const from = page.indexOf('### The report as JSON')
    const section = page.slice(from, page.indexOf('\n## ', from))
    const documented = [...section.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name)
    expect(documented.sort()).toEqual(Object.keys(campaignSchema.shape).sort())
  })
})
