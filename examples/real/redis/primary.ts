/** A connection to the primary, as clients of Sentinel find it, and when such a cluster is at rest. */
import type { SimulationDefinition } from 'wavetank'
import { ask, redis, REDIS_PORT, sentinel, SENTINEL_PORT } from './redis.ts'
import { RedisConnection, type Reply } from './resp.js'

export const processes: SimulationDefinition['processes'] = {
  redis: { system: redis, count: 3 },
  sentinel: { system: sentinel, count: 3, spared: true },
}

export interface PrimaryState {
  readonly sentinel: string
  connection: RedisConnection | null
}

/** Each client asks a Sentinel for the primary whenever its connection is lost. */
export async function primary(state: PrimaryState): Promise<RedisConnection> {
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

type Hosts = Readonly<Record<string, readonly string[]>>

export function stateOf({ hosts, client }: { hosts: Hosts; client: number }): PrimaryState {
  return { sentinel: hosts.sentinel[client % hosts.sentinel.length], connection: null }
}

/** Every server answers, and there is one primary. */
export async function isAtRest({ hosts }: { hosts: Hosts }): Promise<boolean> {
  const roles = hosts.redis.map((host) => ask(host, REDIS_PORT, 'ROLE').catch(() => null))
  const known = (await Promise.all(roles)).filter((role) => role !== null)
  const primaries = known.filter((role) => (role as readonly Reply[])[0] === 'master')
  return known.length === hosts.redis.length && primaries.length === 1
}
