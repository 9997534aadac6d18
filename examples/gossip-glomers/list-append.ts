/**
 * txn-list-append as Datomic does it: the state is an immutable value, and a transaction swaps one root for the next. The
 * root, in lin-kv, says for each key which thunk has its list; thunks never change, so they may live in lww-kv, where
 * one replica may not have a new one yet, but none has a wrong one. The swap makes transactions strict serializable.
 */
import { createNode, MaelstromError } from 'wavetank/maelstrom'

type MicroOperation = readonly [f: 'r' | 'append', key: number, value: unknown]
/** The thunk of each key. */
type Root = Readonly<Record<string, string>>
type List = readonly unknown[]

const TXN_CONFLICT = 30
const ROOT = 'root'
/** How often a transaction is tried when others come between. */
const ATTEMPTS = 10
/** How often a thunk is asked for until a replica has it. */
const READS = 200

const node = createNode()
const roots = node.kv('lin-kv')
const thunks = node.kv('lww-kv')
/** Thunks never change, so whatever was once read is right forever. */
const cache = new Map<string, List>()
let nextThunk = 0

async function readThunk(id: string): Promise<List> {
  const known = cache.get(id)
  if (known !== undefined) return known
  for (let read = 0; read < READS; read++) {
    const list = await thunks.read<List | null>(id, null)
    if (list === null) continue
    cache.set(id, list)
    return list
  }
  throw new MaelstromError(TXN_CONFLICT, `no replica has thunk ${id}`)
}

async function writeThunk(list: List): Promise<string> {
  const id = `${node.id}-${nextThunk++}`
  cache.set(id, list)
  await thunks.write(id, list)
  return id
}

/** The transaction with its reads filled in, and the lists that it changed. */
async function evaluate(root: Root, txn: readonly MicroOperation[]) {
  const changed = new Map<number, List>()
  const done: unknown[] = []
  for (const [f, key, value] of txn) {
    const stored = root[key]
    const list = changed.get(key) ?? (stored === undefined ? [] : await readThunk(stored))
    if (f === 'append') changed.set(key, [...list, value])
    done.push([f, key, f === 'r' ? list : value])
  }
  return { done, changed }
}

node.on('txn', async ({ body }) => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const root = await roots.read<Root>(ROOT, {})
    const { done, changed } = await evaluate(root, body.txn as MicroOperation[])
    if (changed.size === 0) return { type: 'txn_ok', txn: done }
    const written = [...changed].map(async ([key, list]) => [key, await writeThunk(list)] as const)
    const next = { ...root, ...Object.fromEntries(await Promise.all(written)) }
    if (await roots.compareAndSet(ROOT, root, next, true)) return { type: 'txn_ok', txn: done }
  }
  throw new MaelstromError(TXN_CONFLICT, `other transactions came between ${ATTEMPTS} times`)
})
