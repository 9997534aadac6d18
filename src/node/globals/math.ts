/** `Math` with random numbers from the current process's entropy. */
import { running } from '../current.ts'

const descriptors = Object.getOwnPropertyDescriptors(Math)
const realRandom = Math.random

export const VirtualMath: Math = Object.create(Object.prototype, {
  ...descriptors,
  random: {
    value: { random: (): number => (running === null ? realRandom() : running.entropy.float()) }.random,
    writable: true,
    configurable: true,
    enumerable: false,
  },
}) as Math
