/** The JSON Schemas of plans and evidence, made from the zod schemas: what is published is what is checked. */
import { z } from 'zod'

const BASE = 'https://json-schema.org/draft/2020-12/schema'

/** As it is in a file: with the properties that readers fill in left optional. */
export function jsonSchemaOf(schema: z.ZodType, id: string): string {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }) as Record<
    string,
    unknown
  >
  return `${JSON.stringify({ $schema: BASE, $id: id, ...rest }, null, 2)}\n`
}
