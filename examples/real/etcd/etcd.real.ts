/**
 * etcd's linearizable reads under partitions: they hold.
 *
 *     npx wavetank real test etcd --nodes n1,n2,n3 --nemesis partition:primaries --time-limit 20
 */
import { simulation } from 'wavetank'
import { etcd } from './etcd.ts'
import { registers } from './etcd-workload.ts'

export default simulation('etcd', {
  processes: { etcd: { system: etcd, count: 3 } },
  workload: registers({ serializable: false }),
})
