/** The cluster as a simulation, with a mutant or without: raft.sim.ts and raft.mutants.ts declare it. */
import {
  knob,
  LEVELS,
  type MessageDecoder,
  type ProcessDefinition,
  type SimulationDefinition,
  type Weather,
} from 'wavetank'
import { frameDecoder } from './peers.js'
import type { Rule } from './raft-promises.ts'
import { raftRules } from './raft-rules.ts'
import { API_PORT, CLUSTER, memberOf, PEER_PORT, workload } from './raft-workload.ts'
import type { RaftClient } from './client.js'
import type { Members, Message } from './types.ts'

const MOST_SERVERS = 5

/** Rules about what would survive a power loss: on real machines they cannot be checked. */
const ABOUT_SYNCED_BYTES: readonly Rule[] = [
  'what is synced is whole',
  'a vote is on the disk before it is answered',
  'an entry is on the disk before it is acknowledged',
  'a committed entry is on the disks of a majority',
]

/** Messages that no rule looks at stay out of the event log. */
const WATCHED = new Set<Message['type']>([
  'vote',
  'append',
  'snapshot',
  'heartbeat',
  'vote-reply',
  'append-reply',
  'heartbeat-reply',
  'snapshot-reply',
])

function decoder(): MessageDecoder {
  const decode = frameDecoder()
  return (bytes) => (decode(bytes) as Message[]).filter(({ type }) => WATCHED.has(type))
}

/** Partitions that are longer than an election, so that logs part. */
const DIVIDED: Partial<Weather> = {
  families: {
    partition: { everyMs: 1000, chance: 0.5, durationMs: [300, 3000] },
    'one-way-cut': { everyMs: 1000, chance: 0.25, durationMs: [300, 3000] },
  },
}

/** Bits flip, and nothing else breaks a disk's promise; many restarts, for a server reads its files only then. */
const ROTTEN: Partial<Weather> = {
  swarm: false,
  families: {
    'bit-rot': { everyMs: 1000, chance: 1, durationMs: [2000, 5000] },
    reboot: { everyMs: 500, chance: 0.8, durationMs: [50, 500] },
    'lying-sync': undefined,
    'misdirected-write': undefined,
    'phantom-write': undefined,
    'disk-wipe': undefined,
  },
  attrition: { ...LEVELS.radioactive.attrition, wipe: 0 },
}

const servers: ProcessDefinition = {
  entry: './server.js',
  count: [3, MOST_SERVERS],
  onExit: 'restart',
}

export interface ClusterOptions {
  readonly mutant?: string
  /** The disk of one server may rot: it must refuse what it reads (this is called then), and the others go on. */
  readonly rot?: () => void
}

export function raftCluster({ mutant = '', rot }: ClusterOptions = {}): SimulationDefinition<RaftClient> {
  const bootstrap: Record<string, Members[string]> = {}
  return {
    processes: {
      raft: {
        ...servers,
        env: ({ host, hosts }) => {
          for (const each of hosts.raft) bootstrap[each] = memberOf(each)
          return {
            WAVETANK_MUTANT: mutant,
            RAFT_ID: host,
            RAFT_CLUSTER: CLUSTER,
            RAFT_DATA: '/data',
            RAFT_TRACE: '1',
            RAFT_PEER_ADDRESS: `${host}:${PEER_PORT}`,
            RAFT_API_ADDRESS: `${host}:${API_PORT}`,
            RAFT_MEMBERS: Object.entries(bootstrap)
              .map(([id, { peer, api }]) => `${id}=${peer}/${api}`)
              .join(','),
            RAFT_ELECTION_MS: '300',
            RAFT_HEARTBEAT_MS: '60',
            RAFT_SNAPSHOT_ENTRIES: String(knob('snapshot entries', 20, [3, 60])),
            RAFT_TRAILING_ENTRIES: String(knob('trailing entries', 0, [0, 5])),
            RAFT_CHUNK_CHARS: String(knob('chunk', 300, [50, 5000])),
            RAFT_BATCH_ENTRIES: String(knob('batch', 100, [1, 5])),
            // Entries that a leader appends by itself, also when it is cut off: logs that differ.
            RAFT_CLOCK_MS: String(knob('clock', 100, [50, 1000])),
            RAFT_SESSION_TTL_MS: String(knob('session ttl', 10_000, [500, 3000])),
          }
        },
      },
    },
    workload: workload({ lost: rot === undefined ? 0 : 1 }),
    taps: { raft: { port: PEER_PORT, decode: () => decoder() } },
    invariants: raftRules(bootstrap, rot),
    needsTank: ABOUT_SYNCED_BYTES,
    budget: { dead: 'minority', lyingDisks: rot === undefined ? 0 : 1 },
    levels: rot === undefined ? { stormy: DIVIDED } : { radioactive: ROTTEN },
  }
}
