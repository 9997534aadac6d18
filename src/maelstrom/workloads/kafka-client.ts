/**
 * A client of the kafka workload. It polls the keys that it is assigned, from the position it has in each, and commits
 * the highest offsets that a poll saw. Keys that it keeps in a new assignment keep their position; a new key begins at
 * its committed offset. Maelstrom looks that offset up in the wrong place and begins at 0.
 *
 * What a node lists as committed is checked here, and not in the history: an offset above all that clients committed,
 * and a commit that the same node acknowledged to the same client and that is gone.
 */
import { ClientCrash, type Connection, type Request } from './workload.ts'

/** By key. */
type Offsets = Map<string, number>

/** Commits of a key that any client began. */
interface Commits {
  readonly least: number
  readonly most: number
}

export interface Progress {
  /** The highest offset that a send or a poll has shown. */
  readonly sent: Offsets
  /** The highest offset that a poll has shown. */
  readonly polled: Offsets
  readonly commits: Map<string, Commits>
}

/** What all clients of a test know together. */
export function progressOf(shared: Map<string, unknown>): Progress {
  let progress = shared.get('progress') as Progress | undefined
  if (progress === undefined)
    shared.set('progress', (progress = { sent: new Map(), polled: new Map(), commits: new Map() }))
  return progress
}

/** The next offset that the client polls, by the keys it is assigned; null before its first assignment. */
export function positionsOf(state: ReadonlyMap<string, unknown>): Offsets | null {
  return (state.get('positions') ?? null) as Offsets | null
}

export async function invoke(connection: Connection, request: Request): Promise<unknown> {
  switch (request.f) {
    case 'assign':
      return assign(connection, request)
    case 'poll':
      return poll(connection)
    case 'send':
      return send(connection, request)
    default:
      throw new ClientCrash()
  }
}

async function assign(connection: Connection, { value, final }: Request): Promise<unknown> {
  const { rpc, state } = connection
  const keys = value as string[]
  const before = positionsOf(state) ?? new Map<string, number>()
  const reply = await rpc({ type: 'list_committed_offsets', keys })
  const committed = new Map(Object.entries(reply.offsets as Record<string, number>))
  checkCommitted(connection, keys, committed)
  const begin = (key: string): number => before.get(key) ?? committed.get(key) ?? 0
  state.set('positions', new Map(keys.map((key) => [key, final === true ? 0 : begin(key)])))
  return keys
}

function checkCommitted(
  { node, state, shared, fault }: Connection,
  keys: readonly string[],
  committed: ReadonlyMap<string, number>,
): void {
  const { commits } = progressOf(shared)
  const acknowledged = acknowledgedBy(state)
  for (const key of keys) {
    const offset = committed.get(key)
    const { least = 0, most = 0 } = commits.get(key) ?? {}
    if (offset !== undefined && offset > most)
      fault(
        'unexpected-commit',
        `lists offset ${offset} of key ${key} as committed, and no client has committed more than ${most}`,
      )
    if (acknowledged.has(key) && (offset === undefined || offset < least))
      fault(
        'lost-commit',
        `lists ${offset === undefined ? 'no offset' : `offset ${offset}`} of key ${key} as committed; ${node} acknowledged a commit to this client, and the least that any client committed is ${least}`,
      )
  }
}

/** Keys of which the node has acknowledged a commit of this client. */
function acknowledgedBy(state: Map<string, unknown>): Set<string> {
  let keys = state.get('acknowledged') as Set<string> | undefined
  if (keys === undefined) state.set('acknowledged', (keys = new Set()))
  return keys
}

async function poll(connection: Connection): Promise<unknown> {
  const { rpc, state, shared } = connection
  const positions = positionsOf(state) ?? new Map<string, number>()
  const reply = await rpc({ type: 'poll', offsets: Object.fromEntries(positions) })
  const seen = reply.msgs as Record<string, [number, unknown][]>
  const { sent, polled } = progressOf(shared)
  const commits: Record<string, number> = {}
  for (const [key, pairs] of Object.entries(seen)) {
    if (pairs.length === 0) continue
    const highest = Math.max(...pairs.map(([offset]) => offset))
    commits[key] = highest
    positions.set(key, Math.max(positions.get(key) ?? 0, highest + 1))
    raise(sent, key, highest)
    raise(polled, key, highest)
  }
  if (Object.keys(commits).length > 0) await commit(connection, commits)
  return [['poll', seen]]
}

/** What a poll saw stands, whether the commit succeeds or not. */
async function commit({ rpc, state, shared }: Connection, offsets: Record<string, number>): Promise<void> {
  const { commits } = progressOf(shared)
  for (const [key, offset] of Object.entries(offsets)) {
    const { least, most } = commits.get(key) ?? { least: offset, most: offset }
    commits.set(key, { least: Math.min(least, offset), most: Math.max(most, offset) })
  }
  try {
    await rpc({ type: 'commit_offsets', offsets })
  } catch {
    return // the next assignment resumes at an older offset
  }
  for (const key of Object.keys(offsets)) acknowledgedBy(state).add(key)
}

async function send({ rpc, shared }: Connection, { value }: Request): Promise<unknown> {
  const [[, key, message]] = value as [[string, string, unknown]]
  const offset = (await rpc({ type: 'send', key, msg: message })).offset as number
  raise(progressOf(shared).sent, key, offset)
  return [['send', key, [offset, message]]]
}

function raise(offsets: Offsets, key: string, offset: number): void {
  offsets.set(key, Math.max(offsets.get(key) ?? -1, offset))
}
