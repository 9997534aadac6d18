/**
 * Challenge 5b: logs on several nodes. A log is one value of lin-kv, a list, and a send appends to it by
 * compare-and-set: the place in the list is the offset, so offsets have no gaps and every node sees one log. Committed
 * offsets are values of lin-kv too. Nodes keep nothing, so any node may end.
 */
import { createNode, MaelstromError } from 'wavetank/maelstrom'

const TEMPORARILY_UNAVAILABLE = 11
const ATTEMPTS = 50

const node = createNode()
const store = node.kv('lin-kv')

function readLog(key: string): Promise<unknown[]> {
  return store.read<unknown[]>(`log ${key}`, [])
}

/** Changes a value by compare-and-set, until no other node comes between; gives the new value. */
async function change<T>(key: string, first: T, next: (value: T) => T): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const value = await store.read(key, first)
    const changed = next(value)
    if (changed === value || (await store.compareAndSet(key, value, changed, true))) return changed
  }
  throw new MaelstromError(TEMPORARILY_UNAVAILABLE, `other nodes changed ${key} ${ATTEMPTS} times`)
}

node.on('send', async ({ body }) => {
  const log = await change<unknown[]>(`log ${body.key as string}`, [], (before) => [...before, body.msg])
  return { type: 'send_ok', offset: log.length - 1 }
})
node.on('poll', async ({ body }) => {
  const polled = Object.entries(body.offsets as Record<string, number>).map(async ([key, from]) => {
    const messages = (await readLog(key)).slice(from)
    return [key, messages.map((message, i) => [from + i, message])] as const
  })
  return { type: 'poll_ok', msgs: Object.fromEntries(await Promise.all(polled)) }
})
node.on('commit_offsets', async ({ body }) => {
  const commits = Object.entries(body.offsets as Record<string, number>).map(([key, offset]) =>
    change(`committed ${key}`, -1, (before) => Math.max(before, offset)),
  )
  await Promise.all(commits)
  return { type: 'commit_offsets_ok' }
})
node.on('list_committed_offsets', async ({ body }) => {
  const listed = (body.keys as string[]).map(
    async (key) => [key, await store.read(`committed ${key}`, -1)] as const,
  )
  const known = (await Promise.all(listed)).filter(([, offset]) => offset >= 0)
  return { type: 'list_committed_offsets_ok', offsets: Object.fromEntries(known) }
})
