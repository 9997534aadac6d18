/** Wrong: what a node hears it keeps to itself. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const seen = new Set<unknown>()
node.on('topology', () => ({ type: 'topology_ok' }))
node.on('broadcast', ({ body }) => {
  seen.add(body.message)
  return { type: 'broadcast_ok' }
})
node.on('read', () => ({ type: 'read_ok', messages: [...seen] }))
