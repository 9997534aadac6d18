/** The catalogue: every fault family of the tank, in the order in which a nemesis asks them. */
import { clockBack, clockDrift, clockJump, clockSlow } from './clock-families.ts'
import { configDivergence, membership, mixedVersion } from './cluster-families.ts'
import { diskWipe, lostRename, reorderedWrites, tornWrite } from './crash-families.ts'
import { diskFamilies, diskFull } from './disk-families.ts'
import type { FaultFamily } from './family.ts'
import {
  byzantine,
  clog,
  connectHang,
  halfOpen,
  latencySpike,
  refuse,
  slowPairs,
  swizzle,
} from './link-families.ts'
import {
  bandwidth,
  corrupt,
  duplicate,
  loss,
  oneWayCut,
  reorder,
  reset,
  slowLink,
} from './network-families.ts'
import { partition } from './partition.ts'
import { loopStall, pause, reboot } from './process-families.ts'
import { cascade, crashLoop, massRestart, outOfMemory, rollingRestart } from './restart-families.ts'

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
  loopStall,
  crashLoop,
  massRestart,
  rollingRestart,
  cascade,
  outOfMemory,
  latencySpike,
  slowPairs,
  clog,
  swizzle,
  refuse,
  connectHang,
  halfOpen,
  byzantine,
  tornWrite,
  reorderedWrites,
  lostRename,
  diskWipe,
  clockBack,
  clockSlow,
  mixedVersion,
  configDivergence,
  membership,
]
