/** Wrong: it acknowledges every message and forgets some. */
import { createNode } from 'wavetank/maelstrom'

const FORGET_EVERY = 10

const node = createNode()
const logs = new Map<string, Map<number, unknown>>()
let sent = 0

node.on('send', ({ body }) => {
  const key = body.key as string
  const log = logs.get(key) ?? new Map<number, unknown>()
  logs.set(key, log)
  const offset = sent++
  if (offset % FORGET_EVERY !== 0) log.set(offset, body.msg)
  return { type: 'send_ok', offset }
})
node.on('poll', ({ body }) => {
  const offsets = Object.entries(body.offsets as Record<string, number>)
  const after = (key: string, from: number) => [...(logs.get(key) ?? [])].filter(([offset]) => offset >= from)
  return { type: 'poll_ok', msgs: Object.fromEntries(offsets.map(([key, from]) => [key, after(key, from)])) }
})
node.on('commit_offsets', () => ({ type: 'commit_offsets_ok' }))
node.on('list_committed_offsets', () => ({ type: 'list_committed_offsets_ok', offsets: {} }))
