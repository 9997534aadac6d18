/** Wrong: each key is swapped safely, and a transaction is not: others see some of its keys before, some after it. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const store = node.kv('lin-kv')

async function append(key: unknown, value: unknown): Promise<void> {
  for (;;) {
    const list = await store.read<unknown[]>(key, [])
    if (await store.compareAndSet(key, list, [...list, value], true)) return
  }
}

node.on('txn', async ({ body }) => {
  const txn: unknown[] = []
  for (const [f, key, value] of body.txn as [string, unknown, unknown][]) {
    if (f === 'append') await append(key, value)
    txn.push([f, key, f === 'r' ? await store.read<unknown[]>(key, []) : value])
  }
  return { type: 'txn_ok', txn }
})
