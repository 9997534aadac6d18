/** The cluster where every start is a new member at an old address, as with containers that are replaced. */
import { simulation } from 'wavetank'
import { gossipCluster } from './gossip-cluster.ts'

export default simulation('gossip-replaced', gossipCluster({ freshIds: true }))
