/** Reads, writes and compare-and-sets of a few keys, each client through a node of its own. */
import type { Workload } from 'wavetank'
import { linearizable, models } from 'wavetank/checkers'
import { EtcdClient } from './etcd.ts'

const KEYS = ['a', 'b', 'c']

export function registers({ serializable }: { serializable: boolean }): Workload<EtcdClient> {
  return {
    clients: 6,
    open: ({ hosts, client }) => new EtcdClient(hosts.etcd[client % hosts.etcd.length], { serializable }),
    async run({ client, index, state, rng, operation }) {
      const key = rng.pick(KEYS)
      const value = `${client}.${index}`
      switch (rng.weighted({ get: 4, put: 4, cas: 1 })) {
        case 'get':
          return operation('get', { key }, () => state.get(key))
        case 'put':
          return operation('put', { key, input: value }, () => state.put(key, value))
        case 'cas': {
          const from = await state.get(key).catch(() => null)
          return operation('cas', { key, input: [from, value] }, () => state.cas(key, from, value))
        }
      }
    },
    check: ({ history }) => linearizable(history, models.map()),
  }
}
