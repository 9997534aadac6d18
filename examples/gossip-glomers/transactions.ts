/**
 * Challenges 6a to 6c: registers with transactions that are read committed and always available. A node carries out a
 * transaction at once and alone, so no other transaction sees half of it, and none is ever undone. Afterwards it sends
 * the last write of each key to all nodes, as one message, until each acknowledges it.
 *
 * Every transaction has a Lamport timestamp, larger than that of all it has seen; of two writes of a key the later one
 * stays. So all nodes order writes alike, whichever arrives first, and a transaction comes after those that it read from:
 * there is no cycle of writes and reads (G0, G1c). Reads may be old: a partition may hide what other nodes wrote.
 */
import { createNode } from 'wavetank/maelstrom'

type MicroOperation = readonly [f: 'r' | 'w', key: number, value: unknown]
type Stamp = readonly [clock: number, node: string]
type Writes = readonly (readonly [key: number, value: unknown])[]

interface Version {
  readonly stamp: Stamp
  readonly value: unknown
}

const RETRY_MS = 500

const node = createNode()
const registers = new Map<number, Version>()
/** By node: transactions that it has not acknowledged, by their clock here. */
const waiting = new Map<string, Map<number, Writes>>()
let clock = 0

function isLater([clock, id]: Stamp, than: Stamp | undefined): boolean {
  return than === undefined || clock > than[0] || (clock === than[0] && id > than[1])
}

function apply(stamp: Stamp, writes: Writes): void {
  clock = Math.max(clock, stamp[0])
  for (const [key, value] of writes)
    if (isLater(stamp, registers.get(key)?.stamp)) registers.set(key, { stamp, value })
}

function replicate(peer: string, at: number, writes: Writes): void {
  node
    .rpc(peer, { type: 'replicate', clock: at, writes })
    .then(() => waiting.get(peer)!.delete(at))
    .catch(() => {}) // cut off: sent again later
}

node.onInit(() => {
  for (const peer of node.ids) if (peer !== node.id) waiting.set(peer, new Map())
})
node.on('txn', ({ body }) => {
  const own = new Map<number, unknown>()
  const txn = (body.txn as MicroOperation[]).map(([f, key, value]) => {
    if (f === 'r') return [f, key, own.has(key) ? own.get(key) : (registers.get(key)?.value ?? null)]
    own.set(key, value)
    return [f, key, value]
  })
  if (own.size > 0) {
    const at = ++clock
    const writes = [...own]
    apply([at, node.id], writes)
    for (const [peer, unacknowledged] of waiting) {
      unacknowledged.set(at, writes)
      replicate(peer, at, writes)
    }
  }
  return { type: 'txn_ok', txn }
})
node.on('replicate', ({ src, body }) => {
  apply([body.clock as number, src], body.writes as Writes)
  return { type: 'replicate_ok' }
})

setInterval(() => {
  for (const [peer, unacknowledged] of waiting)
    for (const [at, writes] of unacknowledged) replicate(peer, at, writes)
}, RETRY_MS)
