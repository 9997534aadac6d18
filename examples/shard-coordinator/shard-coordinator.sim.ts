/** The coordinator in the tank. Run it with `npx wavetank run shard-coordinator --level stormy`. */
import { simulation } from 'wavetank'
import { shardCluster } from './shard-cluster.ts'

export default simulation('shard-coordinator', shardCluster())
