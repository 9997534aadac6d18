/** The Raft cluster in the tank. Run it with `npx wavetank run raft --level stormy`. */
import { simulation } from 'wavetank'
import { raftCluster } from './raft-cluster.ts'

export default simulation('raft', raftCluster())
