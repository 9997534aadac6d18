/**
 * kafka: logs by key. Clients send, poll the keys they are assigned, and commit the highest offsets that a poll saw. A
 * client that is assigned a new key resumes at its committed offset; Maelstrom looks that up in the wrong place and
 * begins at 0. Now and then a client crashes. At the end every client polls every key from the beginning.
 */
import { kafka as checkKafka } from '../../checkers/kafka/index.ts'
import type { Decisions } from '../decisions.ts'
import { KAFKA } from '../protocol/rpcs.ts'
import { findings, validity } from './judgement.ts'
import { KeyPool } from './key-pool.ts'
import {
  ClientCrash,
  type Connection,
  type Generator,
  type Request,
  type Workload,
  type WorkloadSettings,
} from './workload.ts'

/** One of this many requests is an assignment. */
const ASSIGN_ONE_IN = 64
/** One of this many requests is a crash of the client. */
const CRASH_ONE_IN = 500
/** Keys that a client is assigned at most. */
const MOST_ASSIGNED = 8
/** Polls of a client in the last phase, if it does not see everything before. */
const FINAL_POLLS = 64

/** Next offset to poll, or highest offset known, by key. */
type Offsets = Map<string, number>

export const kafka: Workload = {
  rpcs: KAFKA,
  idempotent: new Set(['assign']),
  generator,
  finals,
  invoke,
  check(history) {
    const result = checkKafka(history, { drained: true })
    const { counts = {}, tolerated = [] } = result.details
    const byType = Object.entries(counts).map(([type, count]) => [
      type,
      { count, errs: result.anomalies.filter((each) => each.type === type).map(({ message }) => message) },
    ])
    const bad = [...new Set(result.anomalies.map(({ type }) => type))].sort()
    return {
      'valid?': validity(result),
      'bad-error-types': bad,
      'error-types': [...new Set([...bad, ...tolerated.map(({ type }) => type)])].sort(),
      'info-txn-causes': [],
      ...Object.fromEntries(byType),
      ...findings(result),
    }
  },
}

function generator({ keyCount, maxWritesPerKey }: WorkloadSettings, decisions: Decisions): Generator {
  const keys = new KeyPool(keyCount, maxWritesPerKey, decisions)
  const draw = (n: number): number => decisions.below(n, 'generator')
  return ({ state }): Request => {
    if (draw(CRASH_ONE_IN) === CRASH_ONE_IN - 1) return { f: 'crash', value: null }
    if (!state.has('positions') || draw(ASSIGN_ONE_IN) === ASSIGN_ONE_IN - 1) {
      const count = 1 + draw(MOST_ASSIGNED)
      return { f: 'assign', value: [...new Set(Array.from({ length: count }, () => String(keys.key())))] }
    }
    if (draw(2) === 1) return { f: 'poll', value: [['poll']] }
    const [key, value] = keys.write()
    return { f: 'send', value: [['send', String(key), value]] }
  }
}

/** Every thread is assigned every key from the beginning, then polls until it has seen all known offsets. */
function finals(shared: ReadonlyMap<string, unknown>): Generator {
  const known = (shared.get('offsets') ?? new Map()) as Offsets
  const polls = new Map<number, number>()
  return ({ thread, state }) => {
    const count = polls.get(thread) ?? 0
    polls.set(thread, count + 1)
    if (count === 0) return { f: 'assign', value: [...known.keys()], final: true }
    const positions = (state.get('positions') ?? new Map()) as Offsets
    const behind = [...known].some(([key, offset]) => (positions.get(key) ?? 0) <= offset)
    return behind && count <= FINAL_POLLS ? { f: 'poll', value: [['poll']], final: true } : null
  }
}

async function invoke(connection: Connection, request: Request): Promise<unknown> {
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

async function assign({ rpc, state }: Connection, { value, final }: Request): Promise<unknown> {
  const keys = value as string[]
  const before = (state.get('positions') ?? new Map()) as Offsets
  const fresh = final === true ? [] : keys.filter((key) => !before.has(key))
  const committed =
    fresh.length === 0
      ? {}
      : ((await rpc({ type: 'list_committed_offsets', keys: fresh })).offsets as Record<string, number>)
  const begin = (key: string): number => (final === true ? 0 : (before.get(key) ?? committed[key] ?? 0))
  state.set('positions', new Map(keys.map((key) => [key, begin(key)])))
  return keys
}

async function poll({ rpc, state, shared }: Connection): Promise<unknown> {
  const positions = (state.get('positions') ?? new Map()) as Offsets
  const reply = await rpc({ type: 'poll', offsets: Object.fromEntries(positions) })
  const seen = reply.msgs as Record<string, [number, unknown][]>
  const commits: Record<string, number> = {}
  for (const [key, pairs] of Object.entries(seen)) {
    if (pairs.length === 0) continue
    const highest = Math.max(...pairs.map(([offset]) => offset))
    commits[key] = highest
    positions.set(key, Math.max(positions.get(key) ?? 0, highest + 1))
    know(shared, key, highest)
  }
  if (Object.keys(commits).length > 0) await commit(rpc, commits)
  return [['poll', seen]]
}

/** What a poll saw stands, whether the commit succeeds or not. */
async function commit(rpc: Connection['rpc'], offsets: Record<string, number>): Promise<void> {
  try {
    await rpc({ type: 'commit_offsets', offsets })
  } catch {
    // the next assignment resumes at an older offset
  }
}

async function send({ rpc, shared }: Connection, { value }: Request): Promise<unknown> {
  const [[, key, message]] = value as [[string, string, unknown]]
  const offset = (await rpc({ type: 'send', key, msg: message })).offset as number
  know(shared, key, offset)
  return [['send', key, [offset, message]]]
}

function know(shared: Map<string, unknown>, key: string, offset: number): void {
  let known = shared.get('offsets') as Offsets | undefined
  if (known === undefined) shared.set('offsets', (known = new Map()))
  known.set(key, Math.max(known.get(key) ?? -1, offset))
}
