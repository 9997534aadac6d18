/**
 * ZooKeeper's writes are linearizable; its reads are answered by the server that is asked, which may have fallen behind.
 * After a `sync` a read is as new as if the leader had answered.
 *
 *     npx wavetank real test zookeeper --workload zookeeper-stale --nodes 3 --nemesis partition:one --time-limit 20
 */
import { fail, simulation, type Workload } from 'wavetank'
import { linearizable, models } from 'wavetank/checkers'
import { zookeeper } from './zookeeper.ts'
import { Refusal, ZooKeeperClient } from './zookeeper-client.ts'

const KEYS = ['/a', '/b', '/c']
/** What a node holds before its first write. */
const NOTHING = ''

interface State {
  readonly host: string
  client: ZooKeeperClient | null
}

async function session(state: State): Promise<ZooKeeperClient> {
  if (state.client === null || state.client.isBroken) state.client = await ZooKeeperClient.open(state.host)
  return state.client
}

function registers({ sync }: { sync: boolean }): Workload<State> {
  async function read(state: State, key: string): Promise<{ value: string | null; version: number }> {
    const client = await session(state)
    if (sync) await client.sync(key)
    const { value, version } = await client.get(key)
    return { value: value === NOTHING ? null : value, version }
  }
  return {
    clients: 6,
    async setup({ hosts }) {
      const client = await ZooKeeperClient.open(hosts.zookeeper[0])
      for (const key of KEYS) await client.create(key, NOTHING)
      client.close()
    },
    open: ({ hosts, client }) => ({ host: hosts.zookeeper[client % hosts.zookeeper.length], client: null }),
    async run({ client, hosts, index, state, rng, operation }) {
      const key = rng.pick(KEYS)
      const value = `${client}.${index}`
      // A reader at each server: a client that waits for a write that cannot be done would not read any more.
      const isReader = client < hosts.zookeeper.length
      switch (isReader ? 'get' : rng.weighted({ put: 4, cas: 1 })) {
        case 'get':
          return operation('get', { key }, async () => {
            try {
              return (await read(state, key)).value
            } catch (error) {
              return fail((error as Error).message) // a read that gets no answer has done nothing
            }
          })
        case 'put':
          return operation('put', { key, input: value }, async () => (await session(state)).set(key, value))
        case 'cas': {
          const from = await read(state, key).catch(() => null)
          if (from === null) return
          return operation('cas', { key, input: [from.value, value] }, async () => {
            try {
              await (await session(state)).set(key, value, from.version)
              return true
            } catch (error) {
              // The value may be the same by now, and only its version another: that says nothing of the value.
              if (error instanceof Refusal && error.isBadVersion) fail('another version')
              throw error
            }
          })
        }
      }
    },
    check: ({ history }) => linearizable(history, models.map()),
  }
}

const processes = { zookeeper: { system: zookeeper, count: 3 } }

export const synced = simulation('zookeeper', { processes, workload: registers({ sync: true }) })

export const stale = simulation('zookeeper-stale', { processes, workload: registers({ sync: false }) })
