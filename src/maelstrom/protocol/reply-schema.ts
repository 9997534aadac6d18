/**
 * Closed schemas of replies. A reply has its type, `in_reply_to`, perhaps `msg_id`, and exactly the fields of its RPC.
 * What does not fit is explained: the request, what a reply should look like, the reply, and the reason.
 */
import { isRecord, kind, printMessage, type Body } from './envelope.ts'

/** What a field must be: a sentence for people, and the test; null means that it fits. */
export interface FieldType {
  readonly about: string
  fault(value: unknown): string | null
}

export interface ReplySchema {
  readonly type: string
  readonly fields: Readonly<Record<string, FieldType>>
}

export const ANYTHING: FieldType = { about: 'any value', fault: () => null }

export const INTEGER: FieldType = {
  about: 'an integer',
  fault(value) {
    if (typeof value === 'bigint') return `${value} is more than tests can reckon with: at most 2^53`
    return Number.isSafeInteger(value) ? null : `expected an integer, found ${kind(value)}`
  },
}

export function listOf(item: FieldType): FieldType {
  return {
    about: `a list, each item ${item.about}`,
    fault(value) {
      if (!Array.isArray(value)) return `expected a list, found ${kind(value)}`
      for (const [index, each] of value.entries()) {
        const fault = item.fault(each)
        if (fault !== null) return `item ${index}: ${fault}`
      }
      return null
    },
  }
}

export function mapOf(item: FieldType): FieldType {
  return {
    about: `an object, each value ${item.about}`,
    fault(value) {
      if (!isRecord(value)) return `expected an object, found ${kind(value)}`
      for (const [key, each] of Object.entries(value)) {
        const fault = item.fault(each)
        if (fault !== null) return `key "${key}": ${fault}`
      }
      return null
    },
  }
}

/** A list of a fixed length, such as `[offset, message]`. */
export function tuple(...items: readonly FieldType[]): FieldType {
  return {
    about: `[${items.map(({ about }) => about).join(', ')}]`,
    fault(value) {
      if (!Array.isArray(value) || value.length !== items.length)
        return `expected a list of ${items.length}, found ${kind(value)}`
      for (const [index, item] of items.entries()) {
        const fault = item.fault(value[index])
        if (fault !== null) return `item ${index}: ${fault}`
      }
      return null
    },
  }
}

/** Why a reply does not fit its schema; null if it does. */
export function replyFault({ type, fields }: ReplySchema, reply: Body): string | null {
  if (reply.type !== type) return `"type" must be "${type}", not ${JSON.stringify(reply.type)}`
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(reply, name)) return `"${name}" is missing`
    const fault = field.fault(reply[name])
    if (fault !== null) return `"${name}": ${fault}`
  }
  for (const name of Object.keys(reply)) {
    if (name === 'type' || name === 'msg_id' || name === 'in_reply_to') continue
    if (!Object.hasOwn(fields, name)) return `"${name}" is no field of ${type}`
  }
  return null
}

/** The explanation of a reply that does not fit. */
export function explainReply(request: Body, schema: ReplySchema, reply: Body, reason: string): string {
  const fields = Object.entries(schema.fields).map(([name, { about }]) => `    "${name}": ${about}`)
  return [
    `answered a request with a malformed reply: ${reason}.`,
    'The request:',
    `    ${printMessage(request)}`,
    'A reply must have this form, and no other field:',
    `    "type": "${schema.type}"`,
    '    "in_reply_to": the msg_id of the request',
    '    "msg_id": an integer, or absent',
    ...fields,
    'The reply:',
    `    ${printMessage(reply)}`,
  ].join('\n')
}
