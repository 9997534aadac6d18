/**
 * What a nemesis acts on: the victims of one run and the parts of the world around them. The simulation layer builds it
 * from its processes; hosts that must never fail (the workload's) are not in it.
 */
import type { Kernel } from '../kernel/kernel.ts'
import type { Host } from '../world/host.ts'
import type { Network } from '../world/network/network.ts'
import type { SimProcess } from '../world/process.ts'
import type { Member } from './budget.ts'
import type { EvidenceTally } from './evidence-tally.ts'
import type { OrderedExits } from './ordered-exits.ts'

/** A process that may be hit. */
export interface Victim extends Member {
  readonly process: SimProcess
  readonly host: Host
  /** The host's name, or a larger unit that several hosts share. */
  readonly machine: string
  readonly zone: string
}

export interface Arena {
  readonly kernel: Kernel
  readonly network: Network
  readonly tally: EvidenceTally
  /** In the order of their declaration. */
  readonly victims: readonly Victim[]
  /** The victims' hosts, each once, in order. */
  readonly hosts: readonly Host[]
  /** All hosts, with those that never fail: a cut may also part a client from a server. */
  readonly allHosts: readonly Host[]
  /** Boots whose exit is a fault's doing. */
  readonly ordered: OrderedExits
}
