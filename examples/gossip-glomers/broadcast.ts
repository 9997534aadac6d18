/**
 * Challenges 3a to 3c: broadcast that survives partitions. A node keeps sending a message to a neighbour until the
 * neighbour acknowledges it. All that waits for a neighbour goes in one batch.
 */
import { createNode } from 'wavetank/maelstrom'

const RETRY_MS = 500

const node = createNode()
const seen = new Set<unknown>()
/** What each neighbour has not acknowledged. */
const waiting = new Map<string, Set<unknown>>()

function learn(message: unknown, from: string): void {
  if (seen.has(message)) return
  seen.add(message)
  for (const [neighbour, messages] of waiting) {
    if (neighbour === from) continue
    messages.add(message)
    void gossip(neighbour, [message])
  }
}

async function gossip(neighbour: string, messages: readonly unknown[]): Promise<void> {
  try {
    await node.rpc(neighbour, { type: 'gossip', messages })
  } catch {
    return // the next retry has them
  }
  for (const message of messages) waiting.get(neighbour)!.delete(message)
}

node.on('topology', ({ body }) => {
  const neighbours = (body.topology as Record<string, string[]>)[node.id]
  for (const neighbour of neighbours) if (!waiting.has(neighbour)) waiting.set(neighbour, new Set(seen))
  return { type: 'topology_ok' }
})
node.on('broadcast', ({ src, body }) => {
  learn(body.message, src)
  return { type: 'broadcast_ok' }
})
node.on('gossip', ({ src, body }) => {
  for (const message of body.messages as unknown[]) learn(message, src)
  return { type: 'gossip_ok' }
})
node.on('read', () => ({ type: 'read_ok', messages: [...seen] }))

setInterval(() => {
  for (const [neighbour, messages] of waiting) if (messages.size > 0) void gossip(neighbour, [...messages])
}, RETRY_MS)
