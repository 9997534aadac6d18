/** Five Raft servers with their default timeouts, a leader among them, and nothing to do for ten minutes. */
import { simulation } from 'wavetank'

const IDLE_MS = 600_000
const address = (host: string, port: number): string => `${host}:${port}`

export default simulation('raft idle', {
  processes: {
    raft: {
      entry: '../../examples/raft/server.js',
      count: 5,
      env: ({ host, hosts }) => ({
        RAFT_ID: host,
        RAFT_CLUSTER: 'idle',
        RAFT_DATA: '/data',
        RAFT_PEER_ADDRESS: address(host, 7200),
        RAFT_API_ADDRESS: address(host, 7300),
        RAFT_MEMBERS: hosts.raft
          .map((each) => `${each}=${address(each, 7200)}/${address(each, 7300)}`)
          .join(','),
      }),
    },
  },
  workload: { clients: 1, operations: 1, run: () => {} },
  restMs: IDLE_MS,
})
