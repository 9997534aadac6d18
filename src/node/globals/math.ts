/** `Math` with random numbers from the current process's entropy. */
import { running } from '../process/current.ts'

/** The `Math.random` of a realm, for processes and for the host. */
export function virtualRandom(real: () => number): () => number {
  return { random: (): number => (running === null ? real() : running.entropy.float()) }.random
}

export const VirtualMath: Math = Object.create(Object.prototype, {
  ...Object.getOwnPropertyDescriptors(Math),
  random: {
    value: virtualRandom(Math.random),
    writable: true,
    configurable: true,
    enumerable: false,
  },
}) as Math
