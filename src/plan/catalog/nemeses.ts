/**
 * The nemeses: 33 faults of real clusters, and one of our own, the scheduler. Each says how it is injected, which
 * signal on the victim's side proves that it landed, and how to clean up. `families` links to the fault families of the
 * tank (src/faults) whose landing proves the nemesis, `family/kind` where a family has kinds. `related` families do
 * something like it, but cannot prove it: that a partition landed does not say that it cut off the leader. Such a
 * nemesis is proven in a simulation by a `sometimes` assertion named `nemesis: <id>`, which states the signal in code.
 */
import type { FamilyName } from '../../faults/levels.ts'
import type { Catalogue, Entry } from './entry.ts'
import { MAELSTROM_NEMESES, REAL_NEMESES } from './mechanisms.ts'

export type NemesisGroup = 'process' | 'network' | 'storage' | 'time' | 'cluster' | 'schedule'

export interface Nemesis extends Entry {
  readonly group: NemesisGroup
  readonly mechanism: string
  /** The victim-side signal; that the injector succeeded is not evidence. */
  readonly landing: string
  readonly cleanup: string
  /** What does it in the tank; the landing of any of them proves it. */
  readonly families: readonly FamilyKind[]
  /** What does something like it in the tank, without proof. */
  readonly related: readonly FamilyName[]
  /** True if it needs real machines. */
  readonly realOnly: boolean
}

/** A family, or one of the kinds that it tells apart. */
export type FamilyKind = FamilyName | `${FamilyName}/${string}`

interface Related {
  readonly related: readonly FamilyName[]
}

type Row = readonly [
  id: string,
  title: string,
  text: string,
  mechanism: string,
  landing: string,
  cleanup: string,
  where: readonly FamilyKind[] | Related | 'real' | 'workload',
]

const PROCESS: readonly Row[] = [
  [
    'hard-kill',
    'Hard kill',
    'A process ends without warning; what it wrote survives, its memory does not.',
    'SIGKILL',
    'the process id is gone, and its peers see resets',
    'start it again',
    ['reboot/kill'],
  ],
  [
    'graceful-stop',
    'Graceful stop',
    'A process is asked to end and has time to clean up.',
    'SIGTERM, then SIGKILL after a grace period',
    'the exit code, and the last line of its log',
    'start it again',
    ['reboot/stop'],
  ],
  [
    'gc-pause',
    'Long pause',
    'A process stops for seconds, as a long collection or a stopped machine does, and then goes on as if nothing had been.',
    'SIGSTOP and SIGCONT',
    'timers that fire late; peers that time out',
    'SIGCONT',
    ['pause'],
  ],
  [
    'container-restart',
    'Restart of the machine',
    'Process and volatile state of a machine vanish together.',
    'restart the container or machine',
    'a new boot id, an empty page cache',
    'wait until it is healthy',
    ['reboot/power-loss', 'reboot/wipe'],
  ],
]

const NETWORK: readonly Row[] = [
  [
    'full-partition',
    'Full partition',
    'Two groups cannot reach each other in either direction.',
    'drop packets on all links between two groups',
    'packets dropped on those links',
    'remove the rules',
    ['partition'],
  ],
  [
    'asymmetric-partition',
    'One-way cut',
    'One direction works, the other does not.',
    'drop packets in one direction',
    'packets dropped in one direction, none in the other',
    'remove the rule',
    ['one-way-cut'],
  ],
  [
    'packet-loss',
    'Packet loss',
    'A share of all packets vanishes.',
    'drop at random',
    'retransmissions, datagrams lost',
    'remove the rule',
    ['loss'],
  ],
  [
    'latency',
    'Latency',
    'A link is slow.',
    'delay packets',
    'round-trip times rise on that link',
    'remove the delay',
    ['slow-link', 'latency-spike', 'slow-pairs'],
  ],
  [
    'bandwidth-cap',
    'Bandwidth cap',
    'A link carries less than it is given.',
    'shape traffic',
    'send buffers fill, writes wait',
    'remove the cap',
    ['bandwidth'],
  ],
  [
    'minority-partition',
    'Minority cut off',
    'A minority cannot reach the rest.',
    'partition with the minority on one side',
    'packets dropped; the minority refuses or times out',
    'remove the rules',
    ['partition/minority'],
  ],
  [
    'majority-partition',
    'No majority anywhere',
    'No group is large enough to decide.',
    'partition into groups below a majority',
    'packets dropped; no write is acknowledged',
    'remove the rules',
    { related: ['partition'] },
  ],
  [
    'leader-isolation',
    'Leader cut off',
    'The leader of the moment loses its followers.',
    'ask who leads, then partition it away',
    'packets of the leader dropped; another leader is elected',
    'remove the rules',
    ['partition/leader'],
  ],
  [
    'duplication',
    'Duplication',
    'A packet or datagram arrives twice.',
    'send copies',
    'copies received',
    'remove the rule',
    ['duplicate'],
  ],
  [
    'reordering',
    'Reordering',
    'Packets overtake each other.',
    'delay some of them',
    'packets that arrive out of order',
    'remove the rule',
    ['reorder'],
  ],
  [
    'metadata-store-outage',
    'Metadata store is away',
    'The service that holds configuration or leadership cannot be reached.',
    'partition or stop the store',
    'calls to the store that fail',
    'start it again',
    { related: ['partition', 'reboot'] },
  ],
]

const STORAGE: readonly Row[] = [
  [
    'disk-full',
    'Disk full',
    'Writes fail because there is no space.',
    'fill the file system, or set a quota',
    'ENOSPC at the victim',
    'free the space',
    ['disk-full'],
  ],
  [
    'power-loss',
    'Power loss',
    'What was not synced is lost, torn or reordered.',
    'cut the power, or discard the page cache',
    'unsynced writes that are gone after the boot',
    'boot, and keep the disk',
    ['reboot/power-loss', 'torn-write', 'reordered-writes', 'lost-rename'],
  ],
  [
    'slow-disk',
    'Slow disk',
    'I/O takes long, or stands still.',
    'throttle the device',
    'the latency of the victim’s I/O',
    'remove the throttle',
    ['disk-slow', 'disk-throttle'],
  ],
  [
    'bit-flip',
    'Bit rot',
    'Stored data changes.',
    'flip bits of a file at rest',
    'a checksum that fails, or changed bytes read',
    'restore the replica',
    ['bit-rot'],
  ],
  [
    'fsync-failure',
    'Failing or lying fsync',
    'A sync fails, or claims success without syncing.',
    'return an error, or drop the flush',
    'EIO at the victim, or synced data that is gone after a power loss',
    'remove the fault',
    ['sync-error', 'lying-sync'],
  ],
  [
    'typed-corruption',
    'Typed corruption',
    'Valid blocks are in the wrong place, or belong to another file.',
    'misdirect writes, or swap blocks',
    'a block read that belongs elsewhere',
    'restore the replica',
    ['misdirected-write'],
  ],
  [
    'backup-restore-race',
    'Backup or restore during writes',
    'A backup is taken, or restored, while clients write.',
    'start the backup under load',
    'writes acknowledged between its begin and its end',
    'discard the backup',
    'workload',
  ],
]

const TIME: readonly Row[] = [
  [
    'clock-skew',
    'Clock jump',
    'A wall clock is ahead or behind, or jumps.',
    'set the clock',
    'clock readings that differ between hosts',
    'set it back',
    ['clock-jump', 'clock-back'],
  ],
  [
    'slow-clock',
    'Clock drift',
    'A clock runs too fast or too slow.',
    'change its rate',
    'a growing difference between two readings',
    'restore the rate',
    ['clock-drift', 'clock-slow'],
  ],
]

const CLUSTER: readonly Row[] = [
  [
    'rolling-restart',
    'Rolling restart in the wrong order',
    'Nodes restart one after another, the leader first or too fast.',
    'restart each before the last is healthy',
    'boots that overlap; leaders that change',
    'wait until all are healthy',
    ['rolling-restart/wrong'],
  ],
  [
    'split-brain',
    'Split brain attempt',
    'Both sides of a partition believe that they lead.',
    'partition, then let both sides take writes',
    'two leaders in one term or epoch',
    'heal, then compare',
    { related: ['partition'] },
  ],
  [
    'slow-follower',
    'Slow follower',
    'One replica lags far behind.',
    'slow its link or its disk',
    'its lag grows',
    'remove the cause',
    { related: ['slow-link', 'disk-slow'] },
  ],
  [
    'mixed-version',
    'Mixed versions',
    'Nodes of two versions serve together for long.',
    'run one node of the other version',
    'two versions in the handshake or the metrics',
    'bring all to one version',
    ['mixed-version'],
  ],
  [
    'rolling-upgrade',
    'Rolling upgrade and rollback',
    'Versions change under traffic, forward and back.',
    'replace nodes one by one',
    'each node reports the new version',
    'finish, or roll back',
    'real',
  ],
  [
    'config-divergence',
    'Configurations diverge',
    'One node runs with another configuration.',
    'change the configuration of one node',
    'the node reports the other value',
    'restore it',
    ['config-divergence'],
  ],
  [
    'credential-divergence',
    'Credentials diverge',
    'Keys or certificates differ, or expire on one node.',
    'rotate on one node only',
    'handshakes that are refused',
    'rotate everywhere',
    'real',
  ],
  [
    'compaction-during-reads',
    'Compaction during reads',
    'Old data is removed while clients read it.',
    'force a compaction under load',
    'the compaction’s own counter, and reads inside its span',
    'none',
    'workload',
  ],
  [
    'rebalancing-during-writes',
    'Rebalancing during writes',
    'Ownership of keys moves while clients write them.',
    'add or remove a node under load',
    'a key whose owner changed between two writes',
    'wait until it has settled',
    { related: ['membership'] },
  ],
]

const SCHEDULE: readonly Row[] = [
  [
    'schedule',
    'Hostile schedule',
    'The order of callbacks is chosen to do harm, within what Node could really do.',
    'wavetank race',
    'schedules in which an event overtook another',
    'none',
    'workload',
  ],
]

const REFERENCES: Readonly<Record<NemesisGroup, readonly string[]>> = {
  process: ['Yuan et al.: Simple Testing Can Prevent Most Critical Failures, 2014'],
  network: ['Alquraan et al.: An Analysis of Network-Partition Failures, 2018'],
  storage: [
    'Ganesan et al.: Redundancy Does Not Imply Fault Tolerance, 2017',
    'Rebello et al.: Can Applications Recover from fsync Failures?, 2020',
  ],
  time: ['Corbett et al.: Spanner, 2012'],
  cluster: ['Zhang et al.: Understanding and Detecting Software Upgrade Failures, 2021'],
  schedule: ['Burckhardt et al.: A Randomized Scheduler with Probabilistic Guarantees, 2010'],
}

function nemesis(group: NemesisGroup, row: Row): Nemesis {
  const [id, title, text, mechanism, landing, cleanup, where] = row
  const families = Array.isArray(where) ? (where as readonly FamilyKind[]) : []
  const related = typeof where === 'object' && 'related' in where ? where.related : []
  const realOnly = where === 'real'
  return {
    id,
    title,
    text,
    group,
    mechanism,
    landing,
    cleanup,
    references: REFERENCES[group],
    families,
    related,
    realOnly,
  }
}

const GROUPS: Readonly<Record<NemesisGroup, readonly Row[]>> = {
  process: PROCESS,
  network: NETWORK,
  storage: STORAGE,
  time: TIME,
  cluster: CLUSTER,
  schedule: SCHEDULE,
}

export const NEMESES: readonly Nemesis[] = (Object.keys(GROUPS) as NemesisGroup[]).flatMap((group) =>
  GROUPS[group].map((row) => nemesis(group, row)),
)

export const NEMESIS_CATALOGUE: Catalogue<Nemesis> = {
  kind: 'nemeses',
  title: 'Nemeses',
  about: 'Faults to plan, with the signal that proves that each landed.',
  entries: NEMESES,
  details: (nemesis) => [
    ['group', nemesis.group],
    ['mechanism', nemesis.mechanism],
    ['landing evidence', nemesis.landing],
    ['cleanup', nemesis.cleanup],
    ['in the tank', inTheTank(nemesis)],
    ['on real processes', injectedBy(nemesis, REAL_NEMESES, 'wavetank real --nemesis')],
    ['in Maelstrom tests', injectedBy(nemesis, MAELSTROM_NEMESES, '--nemesis')],
  ],
}

/** Names whose landing proves the nemesis. */
function injectedBy({ families }: Nemesis, known: typeof REAL_NEMESES, option: string): string {
  const names = Object.entries(known)
    .filter(([, proven]) => proven.some((family) => families.includes(family)))
    .map(([name]) => name.replace(/:minority-third$/, ', where it draws the shape minority-third'))
  return names.length === 0 ? 'no' : `\`${option} ${names.join('` or `')}\``
}

function inTheTank({ id, group, families, related, realOnly }: Nemesis): string {
  if (families.length > 0) return families.join(', ')
  if (realOnly) return 'no: real machines only'
  if (group === 'schedule') return 'races'
  const done =
    related.length > 0 ? `${related.join(', ')} may do it` : 'the workload of a simulation can do it'
  return `${done}; \`sometimes(…, 'nemesis: ${id}')\` proves it`
}
