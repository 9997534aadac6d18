/** Reads an evidence file. What is cut in half, of another version or not evidence at all is refused with the reason. */
import { readFileSync } from 'node:fs'
import { UsageError } from '../../kernel/errors.ts'
import { EVIDENCE_VERSION, evidenceSchema, type Evidence } from './evidence.ts'

export function readEvidence(file: string): Evidence {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw refusal(file, `it cannot be read: ${(error as Error).message}`, error)
  }
  return parseEvidence(text, file)
}

export function parseEvidence(text: string, file: string): Evidence {
  if (text.trim() === '') throw refusal(file, 'it is empty: was the run ended before it wrote anything?')
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    const cut = !text.trimEnd().endsWith('}')
    throw refusal(
      file,
      cut ? 'it is cut off: it does not end with `}`' : `it is not JSON: ${(error as Error).message}`,
      error,
    )
  }
  const { kind, version } = (data ?? {}) as { kind?: unknown; version?: unknown }
  if (kind !== 'evidence') throw refusal(file, 'it is JSON, but its `kind` is not "evidence"')
  if (version !== EVIDENCE_VERSION)
    throw refusal(
      file,
      `it is of version ${JSON.stringify(version)}, and this wavetank reads version ${EVIDENCE_VERSION}: run the scenario again`,
    )
  const parsed = evidenceSchema.safeParse(data)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const more = parsed.error.issues.length - 1
  throw refusal(
    file,
    `${issue.path.map(String).join('.') || 'the document'}: ${issue.message}${more > 0 ? `, and ${more} more` : ''}; \`wavetank plan schema evidence\` prints the schema`,
  )
}

function refusal(file: string, why: string, cause?: unknown): UsageError {
  return new UsageError('ERR_WAVETANK_EVIDENCE', `plan: ${file} is no evidence: ${why}`, { cause })
}
