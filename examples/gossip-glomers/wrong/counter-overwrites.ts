/** Wrong: all nodes keep one sum under one key, read it and write it back, and so undo each other's adds. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
const store = node.kv('seq-kv')
node.on('add', async ({ body }) => {
  await store.write('sum', (await store.read('sum', 0)) + (body.delta as number))
  return { type: 'add_ok' }
})
node.on('read', async () => ({ type: 'read_ok', value: await store.read('sum', 0) }))
