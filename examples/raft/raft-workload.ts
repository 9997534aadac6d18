/**
 * What is asked of the cluster: reads and writes of a few keys through clients with sessions, now and then a change of
 * members or a new leader. The history of every key must be linearizable.
 */
import { fail, sometimes, type ClientContext, type Workload } from 'wavetank'
import { linearizable, models } from 'wavetank/checkers'
import { RaftClient, RequestError } from './client.js'
import type { Members } from './types.ts'

export const CLUSTER = 'tank'
export const PEER_PORT = 7200
export const API_PORT = 7300

const KEYS = ['a', 'b', 'c']
const ATTEMPT_MS = 500
const TOTAL_MS = 3000

export const memberOf = (host: string): { peer: string; api: string } => ({
  peer: `${host}:${PEER_PORT}`,
  api: `${host}:${API_PORT}`,
})

type Context = ClientContext<RaftClient>

/** `lost`: how many servers may stay down for good, because their disks failed. */
export const workload = ({ lost }: { lost: number }): Workload<RaftClient> => ({
  clients: [2, 4],
  operations: [8, 25],

  open: ({ hosts }) => {
    const servers = hosts.raft.map((host) => memberOf(host).api)
    return new RaftClient({ cluster: CLUSTER, servers, attemptMs: ATTEMPT_MS, totalMs: TOTAL_MS })
  },

  async run(context) {
    const { rng } = context
    const kind = rng.operation({ put: 5, get: 5, append: 3, cas: 3, delete: 1, members: 2, transfer: 1 })
    if (kind === 'members') await changeMembers(context)
    else if (kind === 'transfer') await transfer(context)
    else await access(context, kind, rng.pick(KEYS))
  },

  settled: async ({ hosts }) => {
    const client = new RaftClient({ cluster: CLUSTER, servers: [], attemptMs: ATTEMPT_MS })
    const all = await Promise.all(hosts.raft.map((host) => client.status(memberOf(host).api)))
    client.close()
    const leader = all.find(({ role }) => role === 'leader')
    if (leader === undefined || leader.commit !== leader.lastIndex) return false
    const members = all.filter(({ id }) => id in leader.members)
    const enough = members.length >= Object.keys(leader.members).length - lost
    return enough && members.every(({ commit }) => commit === leader.commit)
  },

  async final(context) {
    for (const key of KEYS) {
      const { type } = await access(context, 'get', key)
      if (type !== 'ok') throw new Error(`the cluster is at rest, but ${key} cannot be read`)
    }
  },

  // Changes of members and transfers have no key, and the map knows nothing of them.
  check: ({ history }) =>
    linearizable(
      history.filter((i) => history.keys[history.key[i]] !== null),
      models.map(),
    ),
})

async function access(
  { client, index, state, rng, operation }: Context,
  kind: 'get' | 'put' | 'append' | 'cas' | 'delete',
  key: string,
): Promise<{ type: string }> {
  const value = `${client}.${index};` // no value is written twice
  switch (kind) {
    case 'get': {
      const outcome = await operation('get', { key }, () => surely(state.get(key)))
      sometimes(outcome.type === 'ok' && outcome.value !== null, 'a read finds something')
      return outcome
    }
    case 'put':
      return operation('put', { key, input: value }, () => surely(state.put(key, value)))
    case 'append':
      return operation('append', { key, input: value }, () => surely(state.append(key, value)))
    case 'cas': {
      const from = rng.pick([null, `${rng.below(3)}.${rng.below(10)};`])
      const swap = (): Promise<boolean> => surely(state.cas(key, from, value))
      const outcome = await operation('cas', { key, input: [from, value] }, swap)
      sometimes(outcome.type === 'ok' && outcome.value, 'a compare-and-set succeeds')
      return outcome
    }
    case 'delete':
      return operation('delete', { key }, () => surely(state.delete(key)))
  }
}

/** The members after the last change that was answered; the truth may be another by now. */
let members: readonly string[] | null = null

async function changeMembers({ state, rng, hosts, operation }: Context): Promise<void> {
  const now = members ?? hosts.raft
  const gone = hosts.raft.filter((host) => !now.includes(host))
  const remove = now.length > 2 && (gone.length === 0 || rng.chance(0.5))
  const host = rng.pick(remove ? now : gone)
  const change = (): Promise<Members> =>
    remove ? state.removeMember(host) : state.addMember({ id: host, ...memberOf(host) })
  const outcome = await operation(remove ? 'remove' : 'add', { input: host }, () => surely(change()))
  if (outcome.type === 'ok') members = Object.keys(outcome.value)
}

async function transfer(context: Context): Promise<void> {
  const { state, rng, hosts, operation } = context
  const host = rng.pick(hosts.raft)
  if (rng.chance(0.5)) state.put('noise', host).catch(() => {}) // the successor may lack it when it is asked
  const { type } = await operation('transfer', { input: host }, () => surely(state.transfer(host)))
  sometimes(type === 'ok', 'a transfer completes')
  // What a new leader is asked in its first moments is what it knows least about.
  if (type !== 'ok' || !(await leadsSoon(state, memberOf(host).api))) return
  state.prefer(memberOf(host).api)
  if (rng.chance(0.5)) await changeMembers(context)
  else await access(context, 'get', rng.pick(KEYS))
}

async function leadsSoon(client: RaftClient, server: string): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if ((await client.status(server)).role === 'leader') return true
  }
  return false
}

/** A refusal says that nothing was done; every other error leaves it open. */
async function surely<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof RequestError) fail(`${error.code}: ${error.message}`)
    throw error
  }
}
