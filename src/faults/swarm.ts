/**
 * Swarm testing (Groce et al., ISSTA 2012): in every seed, each fault family is off with probability one half. A bug
 * that needs many pauses and no partition is rare where everything happens at once. All families off is allowed.
 */
import type { Choices } from '../kernel/choices.ts'

const OFF_PPM = 500_000

export function familyIsOff(choices: Choices, family: string): boolean {
  return choices.stream(`swarm ${family}`, 'off').chance(OFF_PPM)
}
