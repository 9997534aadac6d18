/**
 * Redis with replicas and Sentinel as systems under test. The first node begins as the primary; Sentinels watch it and
 * promote a replica when a majority of them cannot reach it. Debian has them as `redis-server` and `redis-sentinel`.
 */
import type { RealSystem } from 'wavetank'
import { RedisConnection, type Reply } from './resp.js'

export const REDIS_PORT = 6379
export const SENTINEL_PORT = 26_379

export async function ask(host: string, port: number, ...command: string[]): Promise<Reply> {
  const connection = new RedisConnection(host, port)
  try {
    return await connection.send(...command)
  } finally {
    connection.close()
  }
}

export const redis: RealSystem = {
  name: 'Redis',
  needs: { 'redis-server': 'redis-server' },
  ports: [REDIS_PORT],
  start: ({ folder, listen, address, index, nodes }) => ({
    command: 'redis-server',
    args: [
      '--bind',
      listen,
      '--port',
      String(REDIS_PORT),
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--replica-announce-ip',
      address,
      '--protected-mode',
      'no',
      '--repl-diskless-sync-delay',
      '0',
      ...(index === 0 ? [] : ['--replicaof', nodes[0].address, String(REDIS_PORT)]),
    ],
  }),
  ready: async ({ listen }) => (await ask(listen, REDIS_PORT, 'PING')) === 'PONG',
  primaries: async (nodes) => {
    const asked = nodes.map(async ({ name, listen }) => {
      const [role] = (await ask(listen, REDIS_PORT, 'ROLE')) as readonly Reply[]
      return role === 'master' ? [name] : []
    })
    return (await Promise.all(asked.map((each) => each.catch(() => [])))).flat()
  },
}

/** Nodes that know nothing of each other. */
export const lonelyRedis: RealSystem = {
  ...redis,
  start: ({ folder, listen }) => ({
    command: 'redis-server',
    args: ['--bind', listen, '--port', String(REDIS_PORT), '--dir', folder, '--protected-mode', 'no'],
  }),
}

/** Watches the first node of the group `redis`. */
export const sentinel: RealSystem = {
  name: 'Redis Sentinel',
  needs: { 'redis-sentinel': 'redis-sentinel' },
  ports: [SENTINEL_PORT],
  start({ folder, listen, address, hosts }) {
    const lines = [
      `bind ${listen}`,
      `port ${SENTINEL_PORT}`,
      `dir ${folder}`,
      'protected-mode no',
      `sentinel announce-ip ${address}`,
      `sentinel monitor main ${hosts.redis[0]} ${REDIS_PORT} 2`,
      'sentinel down-after-milliseconds main 2000',
      'sentinel failover-timeout main 3000',
    ]
    const text = `${lines.join('\n')}\n`
    return {
      command: 'redis-sentinel',
      args: [`${folder}/sentinel.conf`],
      files: { 'sentinel.conf': text },
    }
  },
  ready: async ({ listen }) => {
    const others = (await ask(listen, SENTINEL_PORT, 'SENTINEL', 'SENTINELS', 'main')) as readonly Reply[]
    return others.length >= 2
  },
}
