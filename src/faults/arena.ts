/**
 * What a nemesis acts on: the victims of one run and the parts of the world around them. The simulation layer builds it
 * from its processes; hosts that must never fail (the workload's) are not in it.
 */
import type { Kernel } from '../kernel/kernel.ts'
import type { Host } from '../world/host.ts'
import type { Network } from '../world/network/network.ts'
import type { Program, SimProcess } from '../world/process.ts'
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
  readonly tags: readonly string[]
  /** Other programs that it can boot. */
  readonly variants: readonly Variant[]
}

/** Another program for a process: another version of its code, or the same code with another configuration. */
export interface Variant {
  readonly name: string
  readonly kind: 'version' | 'config'
  readonly program: Program
}

/** Who fails after whom: see the family `cascade`. */
export interface Propagation {
  /** A group of processes. */
  readonly from: string
  /** The group in which a process fails next; it may be the same. */
  readonly to: string
  /** Virtual milliseconds until it does. */
  readonly afterMs: readonly [least: number, most: number]
  /** The probability that it does: a fraction. */
  readonly chance: number
}

/** How processes leave the cluster and join it again, as the simulation does it. */
export interface Membership {
  readonly leave: (process: string, completed: () => void) => void
  readonly join: (process: string, completed: () => void) => void
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
  readonly propagation: readonly Propagation[]
  readonly membership: Membership | null
  /** The processes that have a role of the simulation's now, such as `leader`. */
  readonly holders: (role: string) => readonly Victim[]
}
