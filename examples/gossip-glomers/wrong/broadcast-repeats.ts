/** Wrong: it keeps a list, and a message that reaches it twice stands in it twice. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const heard: unknown[] = []
node.on('topology', () => ({ type: 'topology_ok' }))
node.on('broadcast', ({ body }) => {
  heard.push(body.message)
  // Sent twice for safety: the receiver should see that it has the message.
  for (const peer of node.ids)
    if (peer !== node.id)
      for (let i = 0; i < 2; i++) node.send(peer, { type: 'gossip', message: body.message })
  return { type: 'broadcast_ok' }
})
node.on('gossip', ({ body }) => void heard.push(body.message))
node.on('read', () => ({ type: 'read_ok', messages: heard }))
