/**
 * The flooding node of Maelstrom's guide: it passes every new message on to all neighbours that the topology suggests,
 * except the one it came from, once. Correct without faults; its message counts and latencies are published, and so show
 * that a harness is right.
 */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const seen = new Set<unknown>()
let neighbours: readonly string[] = []

function learn(message: unknown, from: string): void {
  if (seen.has(message)) return
  seen.add(message)
  for (const neighbour of neighbours) if (neighbour !== from) node.send(neighbour, { type: 'flood', message })
}

node.on('topology', ({ body }) => {
  neighbours = (body.topology as Record<string, string[]>)[node.id]
  return { type: 'topology_ok' }
})
node.on('broadcast', ({ src, body }) => {
  learn(body.message, src)
  return { type: 'broadcast_ok' }
})
node.on('flood', ({ src, body }) => learn(body.message, src))
node.on('read', () => ({ type: 'read_ok', messages: [...seen] }))
