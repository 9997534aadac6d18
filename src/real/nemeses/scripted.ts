/**
 * The `script` of a simulation among real processes: each aimed fault with the nemesis that brings it about. What has no
 * real mechanism, and what only a simulated world could time, is refused before the run.
 */
import { UsageError } from '../../kernel/errors.ts'
import type { AimedFault } from '../../sim/authoring/script.ts'
import { nemesesNamed, NEMESES, type ChosenNemesis } from './index.ts'

/** How the command line names it. */
export const SCRIPT = 'script'

export interface ScriptedFault {
  /** Its place in the script. */
  readonly index: number
  readonly fault: AimedFault
  readonly chosen: ChosenNemesis
}

/** The real shapes of a partition, by those of the tank. */
const SHAPES: Readonly<Record<string, string>> = {
  isolate: 'isolate',
  halves: 'partition:halves',
  minority: 'partition:minority',
  majority: 'partition:majority',
  bridge: 'partition:bridge',
  'majorities-ring': 'partition:ring',
  leader: 'partition:primaries',
  'split-brain': 'partition:halves',
}

const KINDS: Readonly<Record<string, string>> = { kill: 'kill:all', stop: 'stop:all' }

export function scriptedFaults(name: string, script: readonly AimedFault[] | undefined): ScriptedFault[] {
  if (script === undefined || script.length === 0) throw refused(`--nemesis script: ${name} has no script`)
  return script.map((fault, index) => {
    if (fault.while !== undefined)
      throw refused(
        `script[${index}] (${fault.fault}) has \`while\`, which only the tank can ask after every step`,
      )
    const nemesis = nemesisOf(fault)
    if (nemesis === null)
      throw refused(`script[${index}] (${fault.fault}${kindOf(fault)}) has no mechanism among real processes`)
    return { index, fault, chosen: nemesesNamed(nemesis)[0] }
  })
}

function kindOf({ with: given = {} }: AimedFault): string {
  return given.kind === undefined ? '' : ` ${given.kind}`
}

/** The nemesis with its variant; among the nodes that the fault is aimed at, all are hit. */
function nemesisOf({ fault, with: given = {} }: AimedFault): string | null {
  if (fault === 'partition') return SHAPES[given.shape ?? 'isolate'] ?? null
  if (fault === 'one-way-cut') return 'partition:one-way'
  if (fault === 'reboot') return KINDS[given.kind ?? 'kill'] ?? null
  if (fault === 'mass-restart') return `mass-restart:${given.how ?? 'kill'}`
  const found = NEMESES.find(({ family }) => family === fault)
  if (found === undefined) return null
  return found.variants.includes('all') ? `${found.name}:all` : found.name
}

function refused(reason: string): UsageError {
  return new UsageError('ERR_WAVETANK_SCRIPT', `wavetank real: ${reason}`)
}
