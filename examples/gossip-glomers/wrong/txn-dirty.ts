/** Wrong: a transaction writes at once, and when it is aborted its writes stay. Others read what never happened. */
import { createNode, MaelstromError } from 'wavetank/maelstrom'

const ABORT = 14
const ABORT_EVERY = 5

const node = createNode()
const registers = new Map<unknown, unknown>()
let transactions = 0

node.on('txn', ({ body }) => {
  const txn = (body.txn as [string, unknown, unknown][]).map(([f, key, value]) => {
    if (f === 'w') registers.set(key, value)
    return [f, key, f === 'r' ? (registers.get(key) ?? null) : value]
  })
  if (++transactions % ABORT_EVERY === 0) throw new MaelstromError(ABORT, 'aborted')
  return { type: 'txn_ok', txn }
})
