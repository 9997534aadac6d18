/** The catalogue: every fault family of the tank, in the order in which a nemesis asks them. */
import { clockDrift, clockJump } from './clock-families.ts'
import { diskFamilies, diskFull } from './disk-families.ts'
import type { FaultFamily } from './family.ts'
import {
  bandwidth,
  corrupt,
  duplicate,
  loss,
  oneWayCut,
  partition,
  reorder,
  reset,
  slowLink,
} from './network-families.ts'
import { pause, reboot } from './process-families.ts'

export const FAMILIES: readonly FaultFamily[] = [
  partition,
  oneWayCut,
  slowLink,
  loss,
  bandwidth,
  reorder,
  duplicate,
  reset,
  corrupt,
  pause,
  reboot,
  clockJump,
  clockDrift,
  diskFull,
  ...diskFamilies,
]
