/**
 * The fault budget: what a simulation says may fail at once. The nemesis asks before every fault and stays inside, so
 * that a violation is always the system's own fault and never "we killed all three copies". Nothing that destroys data
 * for good (a wiped disk, a disk that lies) is allowed unless the simulation says so.
 *
 * A process is *out* while it is dead, stopped or paused. Groups are counted apart: two of five storage nodes and one of
 * two gateways may be out together.
 */
import { ceil, max, min } from '../kernel/arithmetic.ts'

export interface FaultBudget {
  /** Processes of one group that may be out at once. `minority`: fewer than half, but one of one or two. */
  readonly dead?: number | 'minority' | 'all'
  /** The most that any wall clock may be off, in milliseconds. */
  readonly clockSkewMs?: number
  /** Hosts whose disk may lose or change what was synced: wiped, rotten, lying about fsync. */
  readonly lyingDisks?: number | 'minority'
  /** Whether links may damage what they carry. */
  readonly byzantineLinks?: boolean
  /** Whether the network may be cut. */
  readonly partitions?: boolean
  /**
   * Processes of one group that may stay broken when the faults end, until the run is over: the others are the core, which
   * must go on without them. `minority`: fewer than half. Never more than `dead`.
   */
  readonly unhealed?: number | 'minority'
}

export const DEFAULT_BUDGET: Required<FaultBudget> = {
  dead: 'minority',
  clockSkewMs: 500,
  lyingDisks: 0,
  byzantineLinks: false,
  partitions: true,
  unhealed: 0,
}

/** One thing that can be out, and the group it counts in. */
export interface Member {
  readonly name: string
  readonly group: string
}

/** Keeps the books of one run. */
export class BudgetLedger {
  readonly budget: Required<FaultBudget>
  private readonly sizes = new Map<string, number>()
  private readonly out = new Map<string, Map<string, number>>()
  private readonly liars = new Set<string>()

  constructor(budget: FaultBudget, members: readonly Member[]) {
    this.budget = { ...DEFAULT_BUDGET, ...budget }
    for (const { group } of members) this.sizes.set(group, (this.sizes.get(group) ?? 0) + 1)
  }

  /** How many of a group may be out at once. */
  allowedOut(group: string): number {
    return most(this.budget.dead, this.sizes.get(group) ?? 0)
  }

  /** How many of a group may stay broken when the faults end. */
  allowedUnhealed(group: string): number {
    const { unhealed } = this.budget
    const size = this.sizes.get(group) ?? 0
    return min(unhealed === 'minority' ? ceil(size / 2) - 1 : unhealed, this.allowedOut(group))
  }

  outOf(group: string): number {
    return this.out.get(group)?.size ?? 0
  }

  isOut(member: Member): boolean {
    return this.out.get(member.group)?.has(member.name) ?? false
  }

  /** Whether all these may go out together, now. Those that are out already cost nothing. */
  mayTakeOut(members: readonly Member[]): boolean {
    const more = new Map<string, number>()
    for (const member of members) {
      if (!this.isOut(member)) more.set(member.group, (more.get(member.group) ?? 0) + 1)
    }
    for (const [group, count] of more) if (this.outOf(group) + count > this.allowedOut(group)) return false
    return true
  }

  /** Takes members out; the function returned brings them back, once. */
  takeOut(members: readonly Member[]): () => void {
    for (const { group, name } of members) {
      let outNow = this.out.get(group)
      if (outNow === undefined) this.out.set(group, (outNow = new Map()))
      outNow.set(name, (outNow.get(name) ?? 0) + 1)
    }
    let done = false
    return () => {
      if (done) return
      done = true
      for (const { group, name } of members) {
        const counts = this.out.get(group)!
        const left = counts.get(name)! - 1
        if (left === 0) counts.delete(name)
        else counts.set(name, left)
      }
    }
  }

  /** Whether this host's disk may lose what it promised to keep. Such a host stays on the books for the whole run. */
  mayLie(host: string, hosts: number): boolean {
    return this.liars.has(host) || this.liars.size < most(this.budget.lyingDisks, hosts)
  }

  recordLie(host: string): void {
    this.liars.add(host)
  }
}

/** How many of `size` a limit allows. */
export function most(limit: number | 'minority' | 'all', size: number): number {
  if (limit === 'all') return size
  if (limit === 'minority') return max(1, ceil(size / 2) - 1)
  return limit
}
