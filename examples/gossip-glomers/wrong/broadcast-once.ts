/** Wrong under partitions: every message is sent to every neighbour once, and lost messages stay lost. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const seen = new Set<unknown>()
let neighbours: readonly string[] = []

function learn(message: unknown, from: string): void {
  if (seen.has(message)) return
  seen.add(message)
  for (const neighbour of neighbours)
    if (neighbour !== from) node.send(neighbour, { type: 'gossip', message })
}

node.on('topology', ({ body }) => {
  neighbours = (body.topology as Record<string, string[]>)[node.id]
  return { type: 'topology_ok' }
})
node.on('broadcast', ({ src, body }) => {
  learn(body.message, src)
  return { type: 'broadcast_ok' }
})
node.on('gossip', ({ src, body }) => learn(body.message, src))
node.on('read', () => ({ type: 'read_ok', messages: [...seen] }))
