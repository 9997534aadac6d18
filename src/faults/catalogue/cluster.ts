/** Cluster faults of the catalogue: processes that differ from their peers, and members that come and go. */
import type { TankFault } from '../catalogue.ts'

/** What the families that boot another program have alike. */
const AS_VARIANT = {
  group: 'cluster',
  mechanism:
    'The process is killed and boots again as a variant that the simulation declares; when the episode ends, it is killed once more and boots as itself.',
  landing: 'whether the process booted as the variant',
  cleanup: 'The process runs its own program with its own configuration again.',
} as const

export const CLUSTER_FAULTS: readonly TankFault[] = [
  {
    ...AS_VARIANT,
    name: 'mixed-version',
    text: 'A process runs another version of its program than its peers, as in the middle of an upgrade.',
    parameters: [],
    cannot: 'It needs `variants` with an `entry` or `run`, and changes one process at a time.',
  },
  {
    ...AS_VARIANT,
    name: 'config-divergence',
    text: 'A process runs with another configuration than its peers.',
    parameters: [],
    cannot: 'It needs `variants` with only `args` or `env`, and changes one process at a time.',
  },
  {
    name: 'membership',
    group: 'cluster',
    text: 'A member leaves the cluster and joins it again.',
    parameters: [],
    mechanism: '`membership.leave` of the simulation is called, and `membership.join` when the episode ends.',
    landing: 'whether `leave` came to its end without an error',
    cleanup: '`join` is tried every half virtual second until it succeeds, 60 times at most.',
    cannot: 'It does nothing unless the simulation says how members leave and join.',
  },
]
