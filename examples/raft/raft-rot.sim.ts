/**
 * The same cluster with one disk that rots: a server that reads a flipped bit must refuse to start, and the others go on
 * without it. Run it with `npx wavetank run raft-rot --level radioactive`.
 */
import { simulation, sometimes } from 'wavetank'
import { raftCluster } from './raft-cluster.ts'

export default simulation(
  'raft-rot',
  raftCluster({ rot: () => sometimes(true, 'a server refuses its files') }),
)
