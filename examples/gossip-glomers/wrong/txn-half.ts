/** Wrong: other nodes get every write of a transaction on its own, also those that it overwrites itself. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const registers = new Map<unknown, unknown>()

node.on('txn', ({ body }) => {
  const txn = (body.txn as [string, unknown, unknown][]).map(([f, key, value]) => {
    if (f === 'w') {
      registers.set(key, value)
      for (const peer of node.ids) if (peer !== node.id) node.send(peer, { type: 'put', key, value })
    }
    return [f, key, f === 'r' ? (registers.get(key) ?? null) : value]
  })
  return { type: 'txn_ok', txn }
})
node.on('put', ({ body }) => void registers.set(body.key, body.value))
