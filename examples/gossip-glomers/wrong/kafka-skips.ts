/** Wrong: a poll leaves out a message now and then, so that a consumer goes past it. */
import { createNode } from 'wavetank/maelstrom'

const LEAVE_OUT_EVERY = 7

const node = createNode()
const logs = new Map<string, unknown[]>()
let polled = 0

node.on('send', ({ body }) => {
  const key = body.key as string
  const log = logs.get(key) ?? []
  logs.set(key, log)
  return { type: 'send_ok', offset: log.push(body.msg) - 1 }
})
node.on('poll', ({ body }) => {
  const offsets = Object.entries(body.offsets as Record<string, number>)
  const after = (key: string, from: number) =>
    (logs.get(key) ?? [])
      .slice(from)
      .map((message, i) => [from + i, message])
      .filter(() => ++polled % LEAVE_OUT_EVERY !== 0)
  return { type: 'poll_ok', msgs: Object.fromEntries(offsets.map(([key, from]) => [key, after(key, from)])) }
})
node.on('commit_offsets', () => ({ type: 'commit_offsets_ok' }))
node.on('list_committed_offsets', () => ({ type: 'list_committed_offsets_ok', offsets: {} }))
