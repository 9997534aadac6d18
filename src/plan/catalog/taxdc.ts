/** Kinds of bugs in distributed systems, after TaxDC, with tags and severities. `families` suggests a type from landed faults. */
import type { FamilyName } from '../../faults/levels.ts'
import type { Catalogue, Entry } from './entry.ts'

export interface BugType extends Entry {
  /** Fault families whose presence in the shrunk failure points to this type. */
  readonly families: readonly FamilyName[]
}

const TAXDC = 'Leesatapornwongsa et al.: TaxDC, 2016'

export const BUG_TYPES: readonly BugType[] = [
  {
    id: 'crash-recovery',
    title: 'Crash and recovery',
    text: 'A crash or restart at the wrong moment leaves or restores a wrong state.',
    families: [
      'reboot',
      'crash-loop',
      'mass-restart',
      'rolling-restart',
      'cascade',
      'out-of-memory',
      'lying-sync',
      'phantom-write',
      'torn-write',
      'reordered-writes',
      'lost-rename',
      'disk-wipe',
    ],
    references: [TAXDC],
  },
  {
    id: 'partition',
    title: 'Partition',
    text: 'Nodes that cannot reach each other decide differently.',
    families: ['partition', 'one-way-cut', 'clog', 'swizzle', 'half-open'],
    references: ['Alquraan et al.: An Analysis of Network-Partition Failures, 2018'],
  },
  {
    id: 'fault-handling',
    title: 'Fault handling',
    text: 'An error is ignored, retried wrongly or handled by code that was never run.',
    families: [
      'disk-error',
      'disk-full',
      'sync-error',
      'bit-rot',
      'misdirected-write',
      'corrupt',
      'reset',
      'byzantine',
      'refuse',
      'connect-hang',
      'file-limit',
      'short-read',
    ],
    references: ['Yuan et al.: Simple Testing Can Prevent Most Critical Failures, 2014'],
  },
  {
    id: 'timing',
    title: 'Timing',
    text: 'The result depends on how long something takes, or on a clock.',
    families: [
      'pause',
      'loop-stall',
      'clock-jump',
      'clock-drift',
      'clock-back',
      'clock-slow',
      'disk-slow',
      'latency-spike',
      'slow-pairs',
    ],
    references: [TAXDC],
  },
  {
    id: 'ordering',
    title: 'Ordering',
    text: 'Messages or callbacks arrive in an order that the code does not expect.',
    families: ['reorder', 'duplicate', 'slow-link', 'loss'],
    references: [TAXDC],
  },
  {
    id: 'upgrade',
    title: 'Upgrade',
    text: 'Two versions of code or data meet.',
    families: ['mixed-version'],
    references: ['Zhang et al.: Understanding and Detecting Software Upgrade Failures, 2021'],
  },
  {
    id: 'config',
    title: 'Configuration',
    text: 'A setting is wrong, or differs between nodes.',
    families: ['config-divergence', 'membership'],
    references: ['Gunawi et al.: Why Does the Cloud Stop Computing?, 2016'],
  },
  {
    id: 'performance',
    title: 'Performance',
    text: 'It is correct, and too slow or unfair.',
    families: ['bandwidth', 'disk-throttle'],
    references: [TAXDC],
  },
]

/** Orthogonal to the type. */
export const BUG_TAGS = [
  'replication',
  'leadership',
  'idempotency',
  'durability',
  'liveness',
  'safety',
] as const

export const SEVERITIES = {
  P0: 'data is lost, wrong or seen by the wrong reader, and it is reproducible',
  P1: 'the same, not reproduced; or an availability promise is broken and stays broken',
  P2: 'a promise is broken, with a known way around or a bounded time',
  P3: 'a nuisance: a wrong message, a slow path within its bound',
} as const

export type Severity = keyof typeof SEVERITIES

export const TAXDC_CATALOGUE: Catalogue<BugType> = {
  kind: 'taxdc',
  title: 'Types of bugs (TaxDC)',
  about: `What kind of bug a failure is. Tags: ${BUG_TAGS.join(', ')}. Severities: ${Object.entries(
    SEVERITIES,
  )
    .map(([name, text]) => `${name} ${text}`)
    .join('; ')}.`,
  entries: BUG_TYPES,
  details: ({ families }) => [
    ['suggested by', families.length > 0 ? families.join(', ') : 'no fault family'],
  ],
}
