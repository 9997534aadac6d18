/**
 * What is asked of the coordinator: clients that behave as workers do, and as workers should not. They claim, scan,
 * split, park; they also send operations again, use an id twice, come back with an old lease or the fence of another
 * worker, and ask for splits with gaps. At the end the run must come to its end.
 */
import { fail, sometimes, sometimesGreaterThan, type ClientContext, type Workload } from 'wavetank'
import { CoordinatorClient, RequestError } from './client.js'
import { LIMITS } from './coordinator.js'
import { API_PORT, CLUSTER, COOLDOWN_MS, LEASE_MS } from './shard-processes.ts'
import type { Cursor, Range, Shard, Step } from './types.ts'

const TENANT = 'acme'
const RUN = 'scan'
const KEYS = 100
const key = (number: number): string => `k${String(number).padStart(3, '0')}`
const numberOf = (text: string): number => Number(text.slice(1))

interface Lease {
  readonly shard: string
  readonly fence: number
  range: Range
  cursor: Cursor | null
}

export interface WorkerState {
  readonly client: CoordinatorClient
  readonly worker: string
  lease: Lease | null
  /** Leases that ended, or that belong to others. */
  readonly old: { shard: string; fence: number; worker: string }[]
  /** Operations with an id that were sent. */
  readonly sent: { op: string; fields: any }[]
  operations: number
  asked: number
  completed: number
}

type Context = ClientContext<WorkerState>

const clientOf = (
  hosts: Readonly<Record<string, readonly string[]>>,
  run = RUN,
  totalMs = 1500,
): CoordinatorClient => {
  const servers = hosts.coordinator.map((host) => `${host}:${API_PORT}`)
  return new CoordinatorClient({ cluster: CLUSTER, servers, tenant: TENANT, run, attemptMs: 400, totalMs })
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const workload: Workload<WorkerState> = {
  clients: [2, 4],
  operations: [8, 20],

  async setup({ hosts }) {
    const client = clientOf(hosts, RUN, 20_000)
    await client.ask('create-run', { operation: 'create', leaseMs: LEASE_MS, cooldownMs: COOLDOWN_MS })
    const shards = [0, 40, 70].map((from, at) => ({ start: key(from), end: key([40, 70, KEYS][at]) }))
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

  async run(context) {
    const { rng, state } = context
    const turn = rng.operation({
      claim: 6,
      scan: 8,
      acquire: 3,
      complete: 2,
      renew: 2,
      residual: 2,
      replace: 2,
      park: 1,
      unpark: 2,
      replay: 3,
      conflict: 2,
      zombie: 3,
      impostor: 2,
      nonsense: 2,
      edge: 2,
      forgotten: 1,
      cancel: 1,
      burst: 1,
      drop: 1,
    })
    if (state.lease === null && !['acquire', 'unpark', 'replay', 'zombie', 'cancel', 'burst'].includes(turn))
      await claim(context)
    await TURNS[turn](context)
  },

  settled: async ({ hosts }) => {
    const client = clientOf(hosts)
    const all = await Promise.all(hosts.coordinator.map((host) => client.status(`${host}:${API_PORT}`)))
    client.close()
    const leader = all.find(({ role }) => role === 'leader')
    return leader !== undefined && all.every(({ commit }) => commit === leader.lastIndex)
  },

  /** Progress: without faults, one worker brings the run to its end. */
  async final(context) {
    const { state, client, hosts } = context
    if (client !== 0) return
    const patient = clientOf(hosts, RUN, 20_000)
    const { shards: parked } = await patient.ask('shards', { filter: 'parked' })
    for (const { id } of parked) await patient.ask('unpark', { shard: id, operation: `last-${id}` })
    const { shards } = await patient.ask('shards', { filter: 'active' })
    await sleep(LEASE_MS)
    for (const { id } of shards) {
      const { shard, fence } = await patient.ask('acquire', { shard: id, worker: state.worker })
      await patient.ask('complete', { shard, fence, worker: state.worker, operation: 'last', cursor: null })
    }
    const { state: end } = await patient.ask('complete-run', { operation: 'last' })
    patient.close()
    if (end !== 'done') throw new Error(`the run ends as ${end}`)
  },
}

/** Sends an operation of the holder of a lease, with an id of its own. */
async function send(
  context: Context,
  op: string,
  more: object,
  lease: object | null = context.state.lease,
): Promise<any> {
  const { state } = context
  if (lease === null) return null
  const { shard, fence, worker = state.worker } = lease as Lease & { worker?: string }
  const withId =
    op === 'renew' || op === 'record' ? {} : { operation: `${state.worker}-${++state.operations}` }
  const fields = { shard, fence, worker, ...withId, ...more }
  if ('operation' in fields) state.sent.push({ op, fields })
  return ask(context, op, fields)
}

/** One recorded operation; null when it was refused or its outcome is unknown. */
async function ask({ state, operation }: Context, op: string, fields: any): Promise<any> {
  state.asked++
  const outcome = await operation(op, { key: fields.shard, input: fields }, async () => {
    try {
      return await state.client.ask(op, fields)
    } catch (error) {
      if (error instanceof RequestError) fail(`${error.code}: ${error.message}`)
      throw error
    }
  })
  if (outcome.type === 'ok') return outcome.value
  return null
}

/** A lease that this worker has no more, but remembers. */
function drop({ state }: Context): void {
  if (state.lease !== null) state.old.push({ ...state.lease, worker: state.worker })
  state.lease = null
}

function take(context: Context, answer: any): void {
  if (answer === null) return
  drop(context)
  context.state.lease = answer
}

async function claim(context: Context): Promise<void> {
  take(context, await ask(context, 'claim', { worker: context.state.worker }))
}

/** A key after the cursor of a lease, and inside its shard. */
function ahead({ rng }: Context, { range, cursor }: Lease): number | null {
  const from = cursor === null ? numberOf(range.start) : numberOf(cursor.key) + 1
  const to = numberOf(range.end)
  return from < to ? rng.between(from, Math.min(to - 1, from + 9)) : null
}

/** Records and moves the cursor, as a worker does. */
async function scan(context: Context): Promise<void> {
  const { lease } = context.state
  const at = lease === null ? null : ahead(context, lease)
  if (lease === null || at === null) return
  const cursor = { key: key(at), token: '' }
  await send(context, 'record', { keys: [key(at)] })
  if ((await send(context, 'checkpoint', { cursor })) !== null) lease.cursor = cursor
}

async function complete(context: Context): Promise<void> {
  const { lease } = context.state
  if (lease === null) return
  const cursor = { key: key(numberOf(lease.range.end) - 1), token: '' }
  const { shard, fence } = lease
  if ((await send(context, 'complete', { cursor })) !== null) {
    context.state.completed++
    drop(context)
    if (context.rng.chance(0.3)) await send(context, 'record', { keys: [cursor.key] }, { shard, fence })
  }
}

async function residual(context: Context): Promise<any> {
  const { lease } = context.state
  const at = lease === null ? null : ahead(context, lease)
  if (lease === null || at === null || key(at) === lease.range.start) return null
  const done = await send(context, 'split-residual', { at: key(at) })
  if (done !== null) lease.range = { ...lease.range, end: key(at) }
  return done
}

/** Children of a shard; with a gap of one key if it must be wrong. */
function halves({ range }: Lease, gap: boolean): Range[] | null {
  const [from, to] = [numberOf(range.start), numberOf(range.end)]
  const middle = Math.floor((from + to) / 2)
  if (middle === from || middle + 1 >= to) return null
  return [
    { start: range.start, end: key(middle) },
    { start: key(gap ? middle + 1 : middle), end: range.end },
  ]
}

async function replace(context: Context, gap = false): Promise<void> {
  const { lease } = context.state
  const children = lease === null ? null : halves(lease, gap)
  if (children !== null && (await send(context, 'split-replace', { children })) !== null) drop(context)
}

const TURNS: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  claim,
  scan,
  complete,
  residual,
  replace: (context) => replace(context),

  async acquire(context) {
    const { state, rng } = context
    const known = [...state.old.map(({ shard }) => shard), '00000000', '00000001', '00000002']
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

  /** A split that the log has forgotten, once more. */
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
    sometimes(true, 'a split is repeated after the log has forgotten it')
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

  /** Overload: many workers claim at once, and split what they get. */
  async burst(context) {
    const { state } = context
    const before = state.completed
    const asked = state.asked
    const workers = Array.from({ length: 6 }, (_, at) => `${state.worker}-${at}`)
    const leases = await Promise.all(workers.map((worker) => ask(context, 'claim', { worker })))
    const got = leases.flatMap((lease, at) => (lease === null ? [] : [{ ...lease, worker: workers[at] }]))
    sometimes(got.length < workers.length, 'a burst of claims meets too few shards')
    const splits = got.map(async (lease) => {
      const children = halves(lease, false)
      return children === null ? null : await send(context, 'split-replace', { children }, lease)
    })
    const done = await Promise.all(splits)
    sometimes(done.filter((each) => each !== null).length > 1, 'a burst of splits')
    state.old.push(...got)
    await claim(context)
    await complete(context)
    const goodput = (100 * (state.completed - before)) / (state.asked - asked)
    sometimesGreaterThan(goodput, 0, 'goodput under a burst: completions per 100 operations')
  },

  /** Capacity drops: this worker sleeps through its lease, and goes on as if nothing had happened. */
  async drop(context) {
    await scan(context)
    await sleep(4 * LEASE_MS)
    await scan(context)
    drop(context)
    const completed = context.state.completed
    await claim(context)
    await complete(context)
    sometimes(context.state.completed > completed, 'a shard is completed after a drop of capacity')
  },
}

/** What a campaign should bring about, from what the coordinator did. */
export function situations({ command, result }: Step, shard: Shard | undefined): void {
  const { op } = command
  const { error } = result
  const late = error === 'lease-expired' || error === 'stale-fence'
  const scanned = shard !== undefined && shard.cursor !== null
  sometimes(op === 'complete' && error === undefined && scanned, 'a shard is scanned to its end')
  sometimes(op === 'checkpoint' && late, 'a lease ends during a scan')
  sometimes(op.startsWith('split-') && error === undefined && scanned, 'a shard is split during a scan')
  sometimes(error === 'lease-held', 'two workers want one shard')
  sometimes(result.replayed === true, 'an operation is answered from the log')
  sometimes(op === 'unpark' && error === undefined, 'a parked shard comes back')
  sometimes(error === 'throttled', 'a claim is throttled')
  sometimes(error === 'none-available', 'a claim finds nothing')
  sometimes(error === 'operation-conflict', 'an id is used twice')
  sometimes(error === 'stale-fence', 'a worker with an old fence is refused')
  sometimes(error === 'not-owner', 'a worker with the fence of another is refused')
}
