/** The coordinators as processes of a simulation, and what both simulations know of them. */
import { knob, type ProcessDefinition } from 'wavetank'

export const CLUSTER = 'tank'
export const API_PORT = 7300
export const LEASE_MS = 500
export const COOLDOWN_MS = 100
/** A server waits for a leader at least this long before it stands for election. */
export const ELECTION_MS = 300
const PEER_PORT = 7200

const memberOf = (host: string): string => `${host}=${host}:${PEER_PORT}/${host}:${API_PORT}`

export function coordinators(mutant: string): ProcessDefinition {
  return {
    entry: './server.js',
    count: [3, 5],
    onExit: 'restart',
    env: ({ host, hosts }) => ({
      WAVETANK_MUTANT: mutant,
      COORDINATOR_TRACE: '1',
      RAFT_ID: host,
      RAFT_CLUSTER: CLUSTER,
      RAFT_DATA: '/data',
      RAFT_PEER_ADDRESS: `${host}:${PEER_PORT}`,
      RAFT_API_ADDRESS: `${host}:${API_PORT}`,
      RAFT_MEMBERS: hosts.coordinator.map(memberOf).join(','),
      RAFT_ELECTION_MS: String(ELECTION_MS),
      RAFT_HEARTBEAT_MS: '150',
      RAFT_SNAPSHOT_ENTRIES: String(knob('snapshot entries', 40, [3, 60])),
      RAFT_TRAILING_ENTRIES: '0',
    }),
  }
}
