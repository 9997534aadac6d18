import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { goodEvidence } from './evidence/evidence.test-support.ts'
import { evidenceSchema } from './evidence/evidence.ts'
import { readPlan } from './markdown/read-plan.ts'
import { planSchema } from './model/plan.ts'
import { SCHEMA_NAMES, schemaText } from './schemas.ts'

const KV = readFileSync(new URL('../../examples/plans/kv.md', import.meta.url), 'utf8')
const DOCUMENTS = { plan: readPlan(KV, 'kv.md').candidate, evidence: goodEvidence() }
const ZOD = { plan: planSchema, evidence: evidenceSchema }

function validator(text: string): (document: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const validate = ajv.compile(JSON.parse(text) as object)
  return (document) => validate(document)
}

/** Every document that differs from this one in one place: a property left out, added, or of another type. */
function* spoiled(document: unknown): Generator {
  if (typeof document !== 'object' || document === null) return
  for (const key of Object.keys(document)) {
    const copy = (): Record<string, unknown> => structuredClone(document) as Record<string, unknown>
    if (!Array.isArray(document)) {
      const { [key]: _, ...rest } = copy()
      yield rest
      yield { ...copy(), surplus: 1 }
    }
    for (const value of [true, -1, {}, 'zzz']) yield Object.assign(copy(), { [key]: value })
    for (const inner of spoiled((document as Record<string, unknown>)[key]))
      yield Object.assign(copy(), { [key]: inner })
  }
}

describe.each(SCHEMA_NAMES)('the JSON Schema of %s', (name) => {
  it('is published as it is generated', () => {
    const file = new URL(`../../docs/schemas/${name}.schema.json`, import.meta.url)
    // After a change: npx wavetank plan schema plan > docs/schemas/plan.schema.json, and likewise for evidence.
    expect(readFileSync(file, 'utf8')).toBe(schemaText(name))
  })

  it('accepts and rejects what the reader accepts and rejects', () => {
    const isValid = validator(schemaText(name))
    expect(isValid(DOCUMENTS[name])).toBe(true)
    const judged = [...spoiled(DOCUMENTS[name])].map((document) => ({
      accepted: ZOD[name].safeParse(document).success,
      valid: isValid(document),
    }))
    const rejected = judged.filter(({ accepted }) => !accepted).length
    // A pattern or a date is a finer rule than JSON Schema states; the reader never accepts more than the schema.
    expect(judged.filter(({ accepted, valid }) => accepted && !valid)).toEqual([])
    const different = judged.filter(({ accepted, valid }) => accepted !== valid).length
    expect(rejected).toBeGreaterThan(100)
    expect(different / rejected).toBeLessThan(0.05)
  })
})
