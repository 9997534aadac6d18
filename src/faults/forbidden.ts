/**
 * What a budget forbids of a level's weather for the whole run, whatever happens: said once in the report, so that a
 * family which never struck is no riddle.
 */
import type { FaultBudget } from './budget.ts'
import type { FamilyName, Weather } from './levels.ts'

/** The part of the budget that a family needs, for those that need one at all. */
const NEEDS: Readonly<Record<keyof FaultBudget, readonly (FamilyName | 'reboot/wipe')[]>> = {
  dead: [
    'pause',
    'reboot',
    'crash-loop',
    'mass-restart',
    'rolling-restart',
    'cascade',
    'out-of-memory',
    'torn-write',
    'reordered-writes',
    'lost-rename',
    'disk-wipe',
    'mixed-version',
    'config-divergence',
    'membership',
  ],
  clockSkewMs: ['clock-jump', 'clock-drift', 'clock-back', 'clock-slow'],
  lyingDisks: ['lying-sync', 'bit-rot', 'misdirected-write', 'phantom-write', 'disk-wipe', 'reboot/wipe'],
  byzantineLinks: ['corrupt', 'byzantine'],
  partitions: ['partition', 'one-way-cut', 'clog', 'swizzle'],
  unhealed: [],
}

/** Which part of a budget forbids a family for good; null: none does. */
export function forbiddenBy(family: string, budget: Required<FaultBudget>): keyof FaultBudget | null {
  const parts = Object.keys(NEEDS) as (keyof FaultBudget)[]
  return (
    parts.find((part) => {
      return (
        (budget[part] === 0 || budget[part] === false) && (NEEDS[part] as readonly string[]).includes(family)
      )
    }) ?? null
  )
}

/** The families of a weather that its budget forbids for good, in the order of the level. */
export function forbiddenIn({ families, attrition }: Weather, budget: Required<FaultBudget>): string[] {
  const on = Object.entries(families).flatMap(([name, rate]) => ((rate?.chance ?? 0) > 0 ? [name] : []))
  const wiping = on.includes('reboot') && attrition.wipe > 0 ? ['reboot/wipe'] : []
  return [...on, ...wiping].filter((name) => forbiddenBy(name, budget) !== null)
}
