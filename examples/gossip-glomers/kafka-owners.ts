/**
 * Challenge 5c: logs on several nodes with fewer messages. Every key has an owner among the nodes, which keeps its log
 * in memory; the other nodes ask the owner. A request for keys of several owners asks each of them once. No owner ever
 * needs a second node to agree, so a send costs two messages between servers at most.
 */
import { createNode, type Message } from 'wavetank/maelstrom'

type Offsets = Readonly<Record<string, number>>
type Fields = { readonly type: string; readonly [key: string]: unknown }

const TIMEOUT_MS = 4000

const node = createNode()
const logs = new Map<string, unknown[]>()
const committed = new Map<string, number>()

function ownerOf(key: string): string {
  let hash = 0
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) >>> 0
  return node.ids[hash % node.ids.length]
}

function send(key: string, message: unknown): number {
  const log = logs.get(key) ?? []
  logs.set(key, log)
  return log.push(message) - 1
}

function poll(offsets: Offsets): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(offsets).map(([key, from]) => {
      const messages = (logs.get(key) ?? []).slice(from)
      return [key, messages.map((message, i) => [from + i, message])]
    }),
  )
}

function commit(offsets: Offsets): Record<string, unknown> {
  for (const [key, offset] of Object.entries(offsets))
    committed.set(key, Math.max(committed.get(key) ?? 0, offset))
  return {}
}

function list(offsets: Offsets): Record<string, unknown> {
  const known = Object.keys(offsets).filter((key) => committed.has(key))
  return Object.fromEntries(known.map((key) => [key, committed.get(key)]))
}

/** What an owner does for keys of its own, by the name of the message between nodes. */
const OWN = { own_poll: poll, own_commit: commit, own_list: list } as const

/** Asks every owner for its keys, and puts the answers together. */
async function ask(type: keyof typeof OWN, offsets: Offsets): Promise<Record<string, unknown>> {
  const byOwner = new Map<string, Record<string, number>>()
  for (const [key, offset] of Object.entries(offsets)) {
    const owner = ownerOf(key)
    byOwner.set(owner, { ...byOwner.get(owner), [key]: offset })
  }
  const answers = [...byOwner].map(async ([owner, theirs]) => {
    if (owner === node.id) return OWN[type](theirs)
    const reply = await node.rpc(owner, { type, offsets: theirs }, { timeoutMs: TIMEOUT_MS })
    return reply.answer as Record<string, unknown>
  })
  return Object.assign({}, ...(await Promise.all(answers))) as Record<string, unknown>
}

for (const type of Object.keys(OWN) as (keyof typeof OWN)[])
  node.on(type, ({ body }): Fields => ({ type: `${type}_ok`, answer: OWN[type](body.offsets as Offsets) }))

node.on('send', async ({ body }: Message): Promise<Fields> => {
  const key = body.key as string
  const owner = ownerOf(key)
  if (owner === node.id) return { type: 'send_ok', offset: send(key, body.msg) }
  const reply = await node.rpc(owner, { type: 'send', key, msg: body.msg }, { timeoutMs: TIMEOUT_MS })
  return { type: 'send_ok', offset: reply.offset }
})
node.on('poll', async ({ body }) => ({
  type: 'poll_ok',
  msgs: await ask('own_poll', body.offsets as Offsets),
}))
node.on('commit_offsets', async ({ body }) => {
  await ask('own_commit', body.offsets as Offsets)
  return { type: 'commit_offsets_ok' }
})
node.on('list_committed_offsets', async ({ body }) => {
  const keys = Object.fromEntries((body.keys as string[]).map((key) => [key, 0]))
  return { type: 'list_committed_offsets_ok', offsets: await ask('own_list', keys) }
})
