/**
 * What is asked of the key-value server, and what it promises. Every client has keys of its own and asks one thing at a
 * time, so a plain map is the whole reference model: for each key the values that a read may give. An answered write
 * leaves one; a write without an answer may have happened, may yet happen, or never will.
 */
import { sometimes, type Invariant, type Workload } from 'wavetank'
import { KvClient } from './client.js'

const LOG = '/data/kv.log'

const KEYS_PER_CLIENT = 10
const VALUES = 100

interface State {
  readonly kv: KvClient
  /** The keys this client has written, or tried to. */
  readonly written: Set<string>
}

export const workload: Workload<State> = {
  clients: [1, 3],
  operations: [10, 40],
  open: ({ hosts }) => ({ kv: new KvClient(hosts.kv[0]), written: new Set() }),

  async run({ client, state: { kv, written }, rng, operation }) {
    const key = `${client}-${rng.below(KEYS_PER_CLIENT)}`
    switch (rng.weighted({ get: 4, put: 5, delete: 1 })) {
      case 'get': {
        const outcome = await operation('get', { key }, () => kv.get(key))
        sometimes(outcome.type === 'ok' && outcome.value !== null, 'a read finds something')
        break
      }
      case 'put': {
        const value = 1 + rng.below(VALUES)
        written.add(key)
        await operation('put', { key, input: value }, () => kv.put(key, value))
        break
      }
      case 'delete':
        await operation('delete', { key }, () => kv.delete(key))
    }
  },

  async final({ state: { kv, written }, operation }) {
    for (const key of written) await operation('get', { key }, () => kv.get(key))
  },
}

type Value = number | null

/** Per key: what it may hold now, and what may still arrive. */
const possible = new Map<unknown, Set<Value>>()
const inFlight = new Map<unknown, Set<Value>>()

function valuesOf(map: Map<unknown, Set<Value>>, key: unknown, initial: Value[]): Set<Value> {
  let values = map.get(key)
  if (values === undefined) map.set(key, (values = new Set(initial)))
  return values
}

/** A read sees the last acknowledged write, or one whose outcome is unknown. */
export const readsSeeWrites: Invariant = ({ events }) => {
  for (const { data } of events.fresh('operation')) {
    const { type, f, key, value } = data
    const now = valuesOf(possible, key, [null])
    const pending = valuesOf(inFlight, key, [])
    if (f === 'get') {
      if (type !== 'ok') continue
      const seen = value as Value
      if (!now.has(seen) && !pending.has(seen))
        return `${key} is ${seen}, but must be ${[...now].map(String).join(' or ')}`
      possible.set(key, new Set([seen]))
    } else if (type === 'invoke') {
      writing.set(key, f === 'delete' ? null : (value as Value))
    } else if (type === 'ok') {
      possible.set(key, new Set([writing.get(key)!]))
    } else {
      now.add(writing.get(key)!)
      pending.add(writing.get(key)!)
    }
  }
  return true
}

/** The value of the write that is under way, per key. */
const writing = new Map<unknown, Value>()

interface Change {
  readonly id: number
  readonly op: string
  readonly key: string
  readonly value?: number
}

/** Writes that were sent and not answered, by connection and number. */
const asked = new Map<string, Change>()

/**
 * No waiting for a power loss: at the moment in which the server says `ok`, the change must be in the part of its log
 * that would survive one. Looks at the wire and at the disk; the server does not know.
 */
export const answersAreOnDisk: Invariant = ({ events, files }) => {
  for (const { data } of events.fresh('wire')) {
    const { connection, direction, message } = data
    const { id, op } = message as Change
    if (direction === 'request') {
      if (op !== 'get') asked.set(`${connection} ${id}`, message as Change)
      continue
    }
    const change = asked.get(`${connection} ${id}`)
    asked.delete(`${connection} ${id}`)
    if (change === undefined || !('ok' in (message as object))) continue
    const { key, value = null } = change
    const log = files.readSynced('kv', LOG)?.toString() ?? ''
    if (!log.includes(` ${JSON.stringify({ key, value })}\n`))
      return `${change.op} ${key} is answered, but not on the disk`
  }
  return true
}
