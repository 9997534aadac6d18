/** The published JSON Schemas: docs/schemas has them as files, `wavetank plan schema` prints them. */
import { evidenceSchema } from './evidence/evidence.ts'
import { jsonSchemaOf } from './model/json-schema.ts'
import { planSchema } from './model/plan.ts'

export const SCHEMA_NAMES = ['plan', 'evidence'] as const
export type SchemaName = (typeof SCHEMA_NAMES)[number]

export function schemaText(name: SchemaName): string {
  return jsonSchemaOf(name === 'plan' ? planSchema : evidenceSchema, `wavetank:${name}:1`)
}
