/** Wrong: it reads a list and writes it back, so that two transactions at a time lose one of two appends. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const store = node.kv('lin-kv')

node.on('txn', async ({ body }) => {
  const txn: unknown[] = []
  for (const [f, key, value] of body.txn as [string, unknown, unknown][]) {
    const list = await store.read<unknown[]>(key, [])
    if (f === 'append') await store.write(key, [...list, value])
    txn.push([f, key, f === 'r' ? list : value])
  }
  return { type: 'txn_ok', txn }
})
