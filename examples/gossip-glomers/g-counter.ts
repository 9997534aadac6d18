/**
 * Challenge 4: a counter on seq-kv. Each node keeps the sum of its own adds under its own name, so that no two nodes
 * write one key. A read adds up all sums. Other nodes' sums may be old: seq-kv answers a node from any state that is
 * not older than what that node has seen. A write comes after all earlier ones, and so makes what follows it fresh.
 */
import { createNode } from 'wavetank/maelstrom'

const FRESHEN_MS = 1000

const node = createNode()
const store = node.kv('seq-kv')
let own = 0
let writes = 0
/** What was read of each node, at least; sums only grow. */
const sums = new Map<string, number>()

async function refresh(): Promise<void> {
  await store.write(`fresh ${node.id}`, writes++)
  await store.write(node.id, own)
  for (const id of node.ids) {
    if (id === node.id) continue
    sums.set(id, Math.max(sums.get(id) ?? 0, await store.read(id, 0)))
  }
}

node.on('add', ({ body }) => {
  own += body.delta as number
  return { type: 'add_ok' }
})
node.on('read', () => ({ type: 'read_ok', value: [...sums.values()].reduce((sum, each) => sum + each, own) }))

setInterval(() => {
  if (node.id !== '') void refresh().catch(() => {}) // cut off: the next one does it
}, FRESHEN_MS)
