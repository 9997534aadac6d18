/**
 * Elements that Redis acknowledged, and lost: replication is asynchronous, so what a primary took after it was cut off
 * is gone when it comes back as a replica of its successor. Without a fault nothing is lost.
 *
 *     npx wavetank real test redis --nemesis partition:primaries --time-limit 20 --nemesis-interval 8
 */
import { simulation, type Workload } from 'wavetank'
import { objects } from 'wavetank/checkers'
import { ask, redis, REDIS_PORT, sentinel, SENTINEL_PORT } from './redis.ts'
import { RedisConnection, type Reply } from './resp.js'

interface State {
  readonly sentinel: string
  connection: RedisConnection | null
}

/** Each client asks a Sentinel for the primary whenever its connection is lost. */
async function primary(state: State): Promise<RedisConnection> {
  if (state.connection !== null && !state.connection.isBroken) return state.connection
  const [host, port] = (await ask(
    state.sentinel,
    SENTINEL_PORT,
    'SENTINEL',
    'GET-MASTER-ADDR-BY-NAME',
    'main',
  )) as readonly Reply[]
  state.connection = new RedisConnection(String(host), Number(port))
  return state.connection
}

const workload: Workload<State> = {
  clients: 6,
  open: ({ hosts, client }) => ({
    sentinel: hosts.sentinel[client % hosts.sentinel.length],
    connection: null,
  }),
  async run({ client, index, state, operation }) {
    const element = client * 1_000_000 + index
    await operation('add', { input: element }, async () => {
      await (await primary(state)).send('SADD', 'elements', element)
    })
  },
  // At rest: everybody answers, and there is one primary.
  settled: async ({ hosts }) => {
    const roles = hosts.redis.map((host) => ask(host, REDIS_PORT, 'ROLE').catch(() => null))
    const known = (await Promise.all(roles)).filter((role) => role !== null)
    const primaries = known.filter((role) => (role as readonly Reply[])[0] === 'master')
    return known.length === hosts.redis.length && primaries.length === 1
  },
  async final({ client, state, operation }) {
    if (client !== 0) return
    state.connection?.close()
    state.connection = null
    await operation('read', async () => {
      const found = (await (await primary(state)).send('SMEMBERS', 'elements')) as readonly string[]
      return found.map(Number).sort((a, b) => a - b)
    })
  },
  check: ({ history }) => objects.set(history),
}

export default simulation('redis', {
  processes: {
    redis: { system: redis, count: 3 },
    sentinel: { system: sentinel, count: 3, spared: true },
  },
  workload,
})
