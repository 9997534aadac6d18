/**
 * What is asked of the coordinator: clients that behave as workers do, and as workers should not. They claim, scan,
 * split, park; they also send operations again, use an id twice, come back with an old lease or the fence of another
 * worker, and ask for splits with gaps. At the end the run must come to its end.
 */
import { always, type Workload } from 'wavetank'
import { RequestError, UnknownOutcomeError, type CoordinatorClient } from './client.js'
import { LIMITS } from './coordinator.js'
import {
  ask,
  claim,
  clientOf,
  complete,
  key,
  KEYS,
  replace,
  residual,
  RUN,
  scan,
  send,
  sleep,
  take,
  drop,
  type Context,
  type WorkerState,
} from './shard-client.ts'
import { OVERLOAD } from './shard-overload.ts'
import { API_PORT, COOLDOWN_MS, ELECTION_MS, LEASE_MS } from './shard-processes.ts'

/** Where the first shards begin. */
const STARTS = [0, 40, 60, 80, 100]

/** How often each turn is taken, relative to the others. */
export type Turns = Readonly<Record<string, number>>

/** An overload asks for as much as ten other turns: each is half as frequent as the rarest of those. */
const EVERYTHING: Turns = {
  claim: 12,
  scan: 16,
  acquire: 6,
  complete: 4,
  renew: 4,
  residual: 4,
  replace: 4,
  park: 2,
  unpark: 4,
  replay: 6,
  conflict: 4,
  zombie: 6,
  impostor: 4,
  nonsense: 4,
  edge: 4,
  forgotten: 2,
  cancel: 2,
  burst: 1,
  drop: 1,
  shatter: 1,
}

/** Turns that need no lease to begin with. */
const WITHOUT_LEASE = ['acquire', 'unpark', 'replay', 'zombie', 'cancel', ...Object.keys(OVERLOAD)]

export function workloadOf(turns: Turns): Workload<WorkerState> {
  return { ...BASE, run: (context) => run(context, turns) }
}

async function run(context: Context, turns: Turns): Promise<void> {
  const turn = context.rng.operation(turns)
  // Where the turns have no claim, a lease is acquired by the name of its shard: such a history has a key everywhere.
  const get = 'claim' in turns ? claim : TURNS.acquire
  if (context.state.lease === null && !WITHOUT_LEASE.includes(turn)) await get(context)
  await TURNS[turn](context)
}

/** Asks the servers for their state, again and again, over connections that stay open. */
let observer: CoordinatorClient | null = null

const BASE: Omit<Workload<WorkerState>, 'run'> = {
  clients: [2, 4],
  operations: [5, 9],

  async setup({ hosts }) {
    const client = clientOf(hosts, RUN, 20_000)
    await sleep(ELECTION_MS) // before the first election no server could take it
    await client.ask('create-run', { operation: 'create', leaseMs: LEASE_MS, cooldownMs: COOLDOWN_MS })
    const shards = STARTS.map((from, at) => ({ start: key(from), end: key(STARTS[at + 1] ?? KEYS) }))
    await client.ask('register-shards', { operation: 'register', shards })
    client.close()
  },

  open: ({ client, hosts }) => ({
    client: clientOf(hosts),
    worker: `w${client}`,
    lease: null,
    old: [],
    sent: [],
    operations: 0,
    asked: 0,
    completed: 0,
  }),

  settled: async ({ hosts }) => {
    observer ??= clientOf(hosts)
    const ask = observer
    const all = await Promise.all(hosts.coordinator.map((host) => ask.status(`${host}:${API_PORT}`)))
    const leader = all.find(({ role }) => role === 'leader')
    return leader !== undefined && all.every(({ commit }) => commit === leader.lastIndex)
  },

  /** S6, progress: without faults, one worker brings the run to its end. */
  async final({ state, client, hosts }) {
    if (client !== 0) return
    const patient = clientOf(hosts, RUN, 20_000)
    const end = await finishAtLast(patient, state.worker).catch(String)
    patient.close()
    always(end === 'done', 'after a storm the run comes to its end', { end })
  },
}

export const workload: Workload<WorkerState> = workloadOf(EVERYTHING)

/** Requests at a time when the run is brought to its end. */
const LANES = 4

/** Outcomes that stay unknown without any fault: a busy machine may cost a real leader its term. */
const MOST_UNKNOWN = 5

async function finishAtLast(patient: CoordinatorClient, worker: string): Promise<string> {
  for (let unknown = 0; ; unknown++) {
    try {
      return await finish(patient, worker)
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError) || unknown === MOST_UNKNOWN) throw error
    }
  }
}

/** Brings back what is parked, takes every shard that is left, completes it, and ends the run. */
async function finish(patient: CoordinatorClient, worker: string): Promise<string> {
  const { shards: parked } = await patient.ask('shards', { filter: 'parked' })
  for (const { id } of parked) await patient.ask('unpark', { shard: id, operation: `last-${id}` })
  const { shards } = await patient.ask('shards', { filter: 'active' })
  await sleep(LEASE_MS)
  const waiting = shards.map(({ id }: { id: string }) => id)
  const lane = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const { shard, fence } = await acquire(patient, id, worker)
      await patient.ask('complete', { shard, fence, worker, operation: 'last', cursor: null })
    }
  }
  // A server writes what comes together as one batch.
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
  return (await patient.ask('complete-run', { operation: 'last' })).state
}

/** A request that was given up long ago may still get a lease, so a lease that is in force is waited for, once. */
async function acquire(patient: CoordinatorClient, shard: string, worker: string): Promise<any> {
  try {
    return await patient.ask('acquire', { shard, worker })
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'lease-held') throw error
    await sleep(error.details.retryAfterMs)
    return await patient.ask('acquire', { shard, worker })
  }
}

const TURNS: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  ...OVERLOAD,
  claim,
  scan,
  complete,
  replace: (context) => replace(context),

  async residual(context) {
    await residual(context)
    if (context.rng.chance(0.4)) await replace(context)
  },

  async acquire(context) {
    const { state, rng } = context
    const known = [
      ...state.old.map(({ shard }) => shard),
      '0000000000000000',
      '0000000000000001',
      '0000000000000002',
    ]
    take(context, await ask(context, 'acquire', { worker: state.worker, shard: rng.pick(known) }))
  },

  renew: (context) => send(context, 'renew', {}),

  async park(context) {
    const reason = context.rng.pick([
      'poisoned',
      'permission-denied',
      'not-found',
      'too-many-errors',
      'other',
    ])
    if ((await send(context, 'park', { reason })) !== null) drop(context)
  },

  async unpark(context) {
    const list = await ask(context, 'shards', { filter: 'parked' })
    if (list === null || list.shards.length === 0) return
    const { id } = context.rng.pick(list.shards as { id: string }[])
    const { state } = context
    await ask(context, 'unpark', { shard: id, operation: `${state.worker}-u${++state.operations}` })
    state.old.push({ shard: id, fence: 1, worker: state.worker })
  },

  /** The same operation again, as after a lost answer. */
  async replay(context) {
    const { state, rng } = context
    if (state.sent.length === 0) return
    const { op, fields } = rng.chance(0.5) ? state.sent.at(-1)! : rng.pick(state.sent)
    await ask(context, op, fields)
  },

  /** The same id for something else. */
  async conflict(context) {
    await scan(context)
    const last = context.state.sent.at(-1)
    if (last === undefined) return
    await ask(context, 'checkpoint', { ...last.fields, cursor: { key: last.fields.shard, token: 'other' } })
  },

  /** A lease of the past: the worker was restarted, or slept. */
  async zombie(context) {
    const { state, rng } = context
    if (state.old.length === 0) return
    const lease = rng.pick(state.old)
    const cursor = { key: key(rng.below(KEYS)), token: 'zombie' }
    if (rng.chance(0.5)) await send(context, 'checkpoint', { cursor }, lease)
    else await send(context, 'record', { keys: [cursor.key] }, lease)
  },

  /** The right fence, from a worker that does not hold the lease. */
  async impostor(context) {
    const { lease } = context.state
    if (lease === null) return
    await send(context, 'renew', {}, { ...lease, worker: 'impostor' })
  },

  /** Splits and cursors that make no sense. */
  async nonsense(context) {
    const { state, rng } = context
    const { lease } = state
    if (lease === null) return
    if (rng.chance(0.4)) return replace(context, true)
    await scan(context)
    const outside = rng.chance(0.5)
    const wrong = outside ? lease.range.end : lease.range.start
    await send(context, 'checkpoint', { cursor: { key: wrong, token: '' } })
    if (!outside) await send(context, 'record', { keys: [wrong] })
  },

  /** The instant at which a lease ends. */
  async edge(context) {
    await claim(context)
    if (context.state.lease === null) return
    await sleep(LEASE_MS)
    await send(context, 'renew', {})
    await sleep(COOLDOWN_MS)
    await claim(context)
  },

  /** A split that the log has forgotten, once more; then something else under its id. */
  async forgotten(context) {
    const { state } = context
    if ((await residual(context)) === null) return
    const split = state.sent.at(-1)!
    const { lease } = state
    if (lease === null) return
    for (let i = 0; i <= LIMITS.shardOperations; i++) {
      const same = lease.cursor ?? { key: lease.range.start, token: '' }
      if ((await send(context, 'checkpoint', { cursor: same })) === null) return
    }
    await ask(context, split.op, split.fields)
    await ask(context, split.op, { ...split.fields, at: `${split.fields.at}x` })
  },

  /** A run of its own that ends early, and is asked for more. */
  async cancel({ state, hosts, operation, rng }) {
    const client = clientOf(hosts, `${state.worker}-${++state.operations}`)
    for (const op of [
      'create-run',
      rng.pick(['cancel-run', 'register-shards']),
      'fail-run',
      'cancel-run',
      'claim',
    ]) {
      const more = {
        leaseMs: LEASE_MS,
        cooldownMs: 0,
        shards: [{ start: '', end: '' }],
        worker: state.worker,
      }
      await operation(op, () => client.ask(op, { operation: op, ...more }))
    }
    client.close()
  },
}
