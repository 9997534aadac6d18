/**
 * Swarm testing (Groce et al., ISSTA 2012): in every seed, each fault family is off with probability one half, and so is
 * each way in which reboots go down. A bug that needs many pauses and no partition, or many restarts and no power loss, is
 * rare where everything happens at once. All families off is allowed; if all ways of a reboot are off, all are on, since
 * the family itself is on. Operations of a workload are left out in the same way: `rng.operation` in `sim/authoring/rng.ts`.
 */
import type { Choices } from '../kernel/choices.ts'
import type { Attrition } from './levels.ts'

const OFF_PPM = 500_000

export function familyIsOff(choices: Choices, family: string): boolean {
  return choices.stream(`swarm ${family}`, 'off').chance(OFF_PPM)
}

const KINDS = ['stop', 'kill', 'powerLoss', 'wipe'] as const

/** How machines go down in this seed. Asked once per seed. */
export function swarmedAttrition(choices: Choices, attrition: Attrition): Attrition {
  const on = KINDS.filter((kind) => {
    return attrition[kind] > 0 && !choices.stream(`swarm reboot/${kind}`, 'off').chance(OFF_PPM)
  })
  if (on.length === 0) return attrition
  const weights = KINDS.map((kind) => [kind, on.includes(kind) ? attrition[kind] : 0])
  return { ...attrition, ...Object.fromEntries(weights) }
}
