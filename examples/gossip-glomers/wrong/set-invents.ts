/** Wrong: it packs elements as 8-bit numbers, so that a read has elements that no client added. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const elements = new Set<number>()
node.on('add', ({ body }) => {
  const packed = ((body.element as number) + 250) & 0xff
  elements.add(body.element as number).add(packed - 250)
  for (const peer of node.ids)
    if (peer !== node.id) node.send(peer, { type: 'gossip', element: body.element })
  return { type: 'add_ok' }
})
node.on('gossip', ({ body }) => void elements.add(body.element as number))
node.on('read', () => ({ type: 'read_ok', value: [...elements] }))
