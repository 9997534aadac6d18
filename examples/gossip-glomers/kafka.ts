/** Challenge 5a: logs on one node, in memory. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const logs = new Map<string, unknown[]>()
const committed = new Map<string, number>()

node.on('send', ({ body }) => {
  const key = body.key as string
  const log = logs.get(key) ?? []
  logs.set(key, log)
  return { type: 'send_ok', offset: log.push(body.msg) - 1 }
})
node.on('poll', ({ body }) => {
  const offsets = Object.entries(body.offsets as Record<string, number>)
  const after = (key: string, from: number) =>
    (logs.get(key) ?? []).slice(from).map((message, i) => [from + i, message])
  return { type: 'poll_ok', msgs: Object.fromEntries(offsets.map(([key, from]) => [key, after(key, from)])) }
})
node.on('commit_offsets', ({ body }) => {
  for (const [key, offset] of Object.entries(body.offsets as Record<string, number>))
    committed.set(key, Math.max(committed.get(key) ?? 0, offset))
  return { type: 'commit_offsets_ok' }
})
node.on('list_committed_offsets', ({ body }) => {
  const known = (body.keys as string[]).filter((key) => committed.has(key))
  const offsets = Object.fromEntries(known.map((key) => [key, committed.get(key)]))
  return { type: 'list_committed_offsets_ok', offsets }
})
