/**
 * A set in etcd: an element is a key. What was acknowledged stays, under kills and partitions.
 *
 *     npx wavetank real test etcd-set --nodes n1,n2,n3 --nemesis kill,partition --time-limit 20
 */
import { fail, simulation } from 'wavetank'
import { set } from 'wavetank/workloads'
import { etcd, EtcdClient } from './etcd.ts'

const PREFIX = 'set/'

export default simulation('etcd-set', {
  processes: { etcd: { system: etcd, count: 3 } },
  workload: set({
    clients: 6,
    connect: ({ hosts, client }) => new EtcdClient(hosts.etcd[client % hosts.etcd.length]),
    add: (client, element) => client.put(`${PREFIX}${element}`, ''),
    async read(client) {
      try {
        return (await client.keys(PREFIX)).map(Number)
      } catch (error) {
        return fail((error as Error).message) // a read that gets no answer has done nothing
      }
    },
  }),
})
