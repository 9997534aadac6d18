/**
 * The envelope of a message: `{"src", "dest", "body"}`, one JSON object per line. It is closed: any other key but an
 * integer `id` is malformed. Of the body only `type`, `msg_id` and `in_reply_to` have a meaning here, and a null stands
 * for an id that is absent; the rest passes as it is. Integers of any size keep all their digits, as bigints: nodes in
 * other languages have 64 bits of them.
 */
import { parseJson, printExactJson } from '../../history/formats/json.ts'

export interface Body {
  readonly type: string
  readonly msg_id?: number | bigint | null
  readonly in_reply_to?: number | bigint | null
  readonly [key: string]: unknown
}

export interface Message {
  readonly src: string
  readonly dest: string
  readonly body: Body
}

/** Why a line is not a message. */
export interface Malformed {
  readonly reason: string
}

const KEYS: ReadonlySet<string> = new Set(['id', 'src', 'dest', 'body'])

export function parseMessage(line: string): Message | Malformed {
  let value: unknown
  try {
    value = parseJson(line, { line: 1, column: 1 })
  } catch (error) {
    const what = (error as Error).message.replace(/^line 1, (column \d+): not JSON: /, '$1: ')
    return { reason: `it is not JSON (${what})` }
  }
  if (!isRecord(value)) return { reason: `expected an object, found ${kind(value)}` }
  for (const key of Object.keys(value)) {
    if (!KEYS.has(key)) return { reason: `a message has src, dest and body, and no "${key}"` }
  }
  for (const key of ['src', 'dest'] as const) {
    if (typeof value[key] !== 'string')
      return { reason: `"${key}" must be a string, found ${kind(value[key])}` }
  }
  if (value.id !== undefined && !isInteger(value.id)) return { reason: '"id" must be an integer' }
  const { body } = value
  if (!isRecord(body)) return { reason: `"body" must be an object, found ${kind(body)}` }
  if (typeof body.type !== 'string')
    return { reason: `"type" of the body must be a string, found ${kind(body.type)}` }
  for (const key of ['msg_id', 'in_reply_to'] as const) {
    if (body[key] === undefined || body[key] === null || isInteger(body[key])) continue
    return { reason: `"${key}" of the body must be an integer, found ${kind(body[key])}` }
  }
  return { src: value.src as string, dest: value.dest as string, body: body as unknown as Body }
}

/** A message, or a part of one, as nodes write it. */
export const printMessage = printExactJson

function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) || typeof value === 'bigint'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function kind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Clients are c0, c1, …: messages to and from them have no latency. */
export function isClient(id: string): boolean {
  return id.startsWith('c')
}
