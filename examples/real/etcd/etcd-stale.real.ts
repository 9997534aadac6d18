/**
 * The same with serializable reads: a node that is cut off answers with what it has, which is old.
 *
 *     npx wavetank real test etcd-stale --nodes n1,n2,n3 --nemesis partition:primaries --time-limit 20
 */
import { simulation } from 'wavetank'
import { etcd } from './etcd.ts'
import { registers } from './etcd-workload.ts'

export default simulation('etcd-stale', {
  processes: { etcd: { system: etcd, count: 3 } },
  workload: registers({ serializable: true }),
})
