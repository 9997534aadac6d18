/** Wrong: it answers reads from a cache that other nodes' writes do not reach. */
import { createNode, MaelstromError } from 'wavetank/maelstrom'

const PRECONDITION_FAILED = 22
const KEY_DOES_NOT_EXIST = 20

const node = createNode()
const store = node.kv('lin-kv')
const cache = new Map<unknown, unknown>()

node.on('read', async ({ body: { key } }) => {
  if (!cache.has(key)) {
    const value = await store.read<unknown>(key, undefined)
    if (value === undefined) throw new MaelstromError(KEY_DOES_NOT_EXIST, 'there is no such key')
    cache.set(key, value)
  }
  return { type: 'read_ok', value: cache.get(key) }
})
node.on('write', async ({ body: { key, value } }) => {
  await store.write(key, value)
  cache.set(key, value)
  return { type: 'write_ok' }
})
node.on('cas', async ({ body: { key, from, to } }) => {
  if (!(await store.compareAndSet(key, from, to)))
    throw new MaelstromError(PRECONDITION_FAILED, 'the value is another')
  cache.set(key, to)
  return { type: 'cas_ok' }
})
