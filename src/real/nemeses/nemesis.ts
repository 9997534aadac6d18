/**
 * What a real fault is: a mechanism that is begun and ended, and evidence from both sides. The injector's side says what
 * was done (a signal sent, a link cut); the victim's side says what was seen of it (an exit by that signal, threads that
 * stand still, bytes held back). Only the victim's side counts as landed.
 */
import type { FaultBudget } from '../../faults/budget.ts'
import type { FaultGroup } from '../../faults/fault-record.ts'
import type { FamilyName } from '../../faults/levels.ts'
import type { Rng } from '../../sim/authoring/rng.ts'
import type { Cluster, RealNode } from '../cluster/cluster.ts'

export interface Evidence {
  readonly injector: string
  /** Null: nothing was seen on the victim's side, so the fault did not land. */
  readonly victim: string | null
}

/** A fault in force. */
export interface FaultInForce {
  /** One phrase for people: `cut raft1 | raft2 raft3`. */
  readonly text: string
  readonly targets: readonly string[]
  /** Whether the victim's side has seen it yet, where that takes a while: the fault is held a little longer then. */
  landed?(): boolean
  /** Undoes it and says what was seen. It never throws. */
  end(): Promise<Evidence>
}

/** What a nemesis may draw on. */
export interface Field {
  readonly cluster: Cluster
  readonly rng: Rng
  /** Draws the same in all strikes of the run that ask about the same thing. */
  readonly sameRng: (about: string) => Rng
  /** For programs that the nemesis starts: it names the run, so that cleaning up finds them. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** To be called before a control group is made: then it is removed at any end of the run. */
  readonly willMakeGroup: (path: string) => void
  /** How members leave and join; null: the simulation does not say. */
  readonly members: Members | null
  /** What the simulation says may fail at once. */
  readonly budget: Required<FaultBudget>
  /** Nodes that faults may hit and that are up. */
  readonly living: readonly RealNode[]
  /** All nodes that faults may hit. */
  readonly nodes: readonly RealNode[]
  /** Names of the nodes that lead now; empty if it is not known. */
  primaries(): Promise<readonly string[]>
}

/** How an operator takes a node out of the cluster and brings it back. Both reject when that fails. */
export interface Members {
  leave(node: RealNode): Promise<void>
  join(node: RealNode): Promise<void>
}

/** What is known before the first node is started. */
export interface Preparation {
  /** Nodes that faults may hit. */
  readonly nodes: readonly RealNode[]
  /** The search path for programs. */
  readonly path: string
  readonly members: Members | null
  readonly budget: Required<FaultBudget>
}

export interface RealNemesis {
  /** As on the command line. */
  readonly name: string
  /** The entry of the fault catalogue that it is the real mechanism of. */
  readonly family: FamilyName
  readonly group: FaultGroup
  /** One line of help. */
  readonly text: string
  /** What may follow its name after a colon; the first is the default. */
  readonly variants: readonly string[]
  /** The variant may also be a pattern of files on the node's disk, such as `/data/*.log`. */
  readonly takesFiles?: boolean
  /**
   * Called before the first start: it may change how nodes are started. Throws with the reason if the fault cannot work
   * on this machine or with these programs.
   */
  prepare?(preparation: Preparation, variant: string): void
  /** Null if there is nothing to hit now. */
  begin(field: Field, variant: string): Promise<FaultInForce | null>
}

/** An injection that was made, as it goes to the results. */
export interface RealFaultRecord extends Evidence {
  readonly id: number
  readonly nemesis: string
  readonly family: FamilyName
  readonly group: FaultGroup
  readonly text: string
  readonly targets: readonly string[]
  readonly beginUs: number
  readonly endUs: number
  readonly landed: boolean
}
