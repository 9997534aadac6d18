/** The replies that clients expect, by the type of the request. Two workloads have a `read_ok` of their own. */
import { ANYTHING, INTEGER, listOf, mapOf, tuple, type FieldType, type ReplySchema } from './reply-schema.ts'

function reply(request: string, fields: Readonly<Record<string, FieldType>> = {}): [string, ReplySchema] {
  return [request, { type: `${request}_ok`, fields }]
}

export type Rpcs = Readonly<Record<string, ReplySchema>>

function rpcs(...replies: readonly [string, ReplySchema][]): Rpcs {
  return Object.fromEntries([reply('init'), ...replies])
}

const MICRO_OPERATION = tuple(ANYTHING, ANYTHING, ANYTHING)

export const ECHO = rpcs(reply('echo', { echo: ANYTHING }))
export const UNIQUE_IDS = rpcs(reply('generate', { id: ANYTHING }))
export const BROADCAST = rpcs(
  reply('topology'),
  reply('broadcast'),
  reply('read', { messages: listOf(ANYTHING) }),
)
export const G_SET = rpcs(reply('add'), reply('read', { value: listOf(ANYTHING) }))
export const COUNTER = rpcs(reply('add'), reply('read', { value: INTEGER }))
export const LIN_KV = rpcs(reply('read', { value: ANYTHING }), reply('write'), reply('cas'))
export const TXN = rpcs(reply('txn', { txn: listOf(MICRO_OPERATION) }))
export const KAFKA = rpcs(
  reply('send', { offset: INTEGER }),
  reply('poll', { msgs: mapOf(listOf(tuple(INTEGER, ANYTHING))) }),
  reply('commit_offsets'),
  reply('list_committed_offsets', { offsets: mapOf(INTEGER) }),
)
