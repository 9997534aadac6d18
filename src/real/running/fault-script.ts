/**
 * The faults of a real run as a script for the tank: the same kinds at the same moments, at the same nodes where the
 * tank can aim. Sides of a partition are of the same shape; which nodes are on them is drawn by each seed.
 */
import type { FamilyName } from '../../faults/levels.ts'
import type { AimedFault } from '../../sim/authoring/script.ts'
import type { RealFaultRecord } from '../nemeses/nemesis.ts'

/** Families that strike one node at a time. */
const AT_ONE: ReadonlySet<FamilyName> = new Set([
  ...(['pause', 'reset', 'membership', 'clock-jump', 'clock-back', 'clock-drift'] as const),
  ...(['disk-full', 'disk-error', 'sync-error', 'disk-slow', 'torn-write', 'bit-rot'] as const),
])

/** Shapes of the tank, by those of real partitions. Clients reach both sides of a `split-brain`. */
const SHAPES: Readonly<Record<string, string>> = {
  halves: 'split-brain',
  minority: 'minority',
  majority: 'majority',
  bridge: 'bridge',
  ring: 'majorities-ring',
}

export interface ScriptOptions {
  /** When clients began to ask. */
  readonly beganUs: number
  /** Faults that began later than this do not count: the failure was there. */
  readonly untilUs: number
  /** The tank's name of a node. */
  readonly nameOf: (node: string) => string
}

export function faultScript(faults: readonly RealFaultRecord[], options: ScriptOptions): AimedFault[] {
  const { beganUs, untilUs } = options
  const before = faults.filter(({ beginUs }) => beginUs <= untilUs)
  return [...before]
    .sort((a, b) => a.beginUs - b.beginUs)
    .flatMap((record) => {
      const atMs = Math.max(0, Math.round((record.beginUs - beganUs) / 1000))
      const forMs = Math.max(1, Math.round((record.endUs - record.beginUs) / 1000))
      return aimed(record, options).map((fault) => ({ ...fault, atMs, forMs, mayMiss: true }))
    })
}

function aimed({ nemesis, family, targets }: RealFaultRecord, { nameOf }: ScriptOptions): AimedFault[] {
  const [name, variant] = nemesis.split(':')
  const each = (fault: Omit<AimedFault, 'target'>): AimedFault[] =>
    targets.map((target) => ({ ...fault, target: nameOf(target) }))
  if (family === 'partition') {
    if (variant === 'one-way') return each({ fault: 'one-way-cut' })
    const shape = name === 'isolate' ? undefined : SHAPES[variant ?? 'halves']
    return shape === undefined
      ? each({ fault: 'partition', with: { shape: 'isolate' } })
      : [{ fault: 'partition', with: { shape } }]
  }
  if (family === 'reboot') return each({ fault: family, with: { kind: name, scope: 'process' } })
  if (family === 'mass-restart') return [{ fault: family, with: { how: variant ?? 'kill' } }]
  return AT_ONE.has(family) ? each({ fault: family }) : [{ fault: family }]
}
