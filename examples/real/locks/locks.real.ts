/**
 * Locks with a time to live do not exclude: a worker that is paused while it holds one goes on after another has taken
 * it, and both write. Only a fence at the resource itself holds.
 *
 *     npx wavetank real test locks --workload redlock --nemesis pause --nemesis-interval 6 --time-limit 25
 */
import { fail, simulation, type RealSystem, type SimulationDefinition } from 'wavetank'
import { objects } from 'wavetank/checkers'
import { etcd } from '../etcd/etcd.ts'
import { lonelyRedis } from '../redis/redis.ts'

function counting(lock: string, system: RealSystem): SimulationDefinition {
  return {
    processes: {
      server: { system, count: 3, spared: true },
      worker: {
        entry: './worker.js',
        count: 3,
        env: ({ hosts }) => ({ LOCK: lock, SERVERS: hosts.server.join(',') }),
      },
    },
    workload: {
      clients: 3,
      run: ({ client, hosts, operation }) =>
        operation('generate', async () => {
          const answer = await fetch(`http://${hosts.worker[client % hosts.worker.length]}:8000/`, {
            method: 'POST',
          })
          const text = await answer.text()
          if (answer.status === 409) fail(text)
          if (!answer.ok) throw new Error(text)
          return Number(text)
        }),
      check: ({ history }) => objects.uniqueIds(history),
    },
  }
}

export const etcdLock = simulation('etcd-lock', counting('etcd', etcd))
export const fencedLock = simulation('etcd-lock-fenced', counting('etcd-fenced', etcd))
export const redlock = simulation('redlock', counting('redlock', lonelyRedis))
