/** A gossip cluster in the tank. Run it with `npx wavetank run gossip --level stormy`. */
import { simulation } from 'wavetank'
import { gossipCluster } from './gossip-cluster.ts'

export default simulation('gossip', gossipCluster())
