/**
 * What an exploration strategy is: the kernel's interface (which of the ready events is next?) plus what it may learn
 * from run to run. One file per algorithm in `strategies/`; each cites its paper and marks where it departs from it.
 *
 * A strategy draws from its own generator, seeded anew for each run, so that a run depends only on its seed and on what
 * the strategy learned before. What it picked is recorded as choices by the scheduler: replay needs no strategy.
 */
import type { Access, KernelEvent } from '../kernel/event.ts'
import type { Strategy } from '../kernel/strategy.ts'

/** What a strategy is told when a run begins. */
export interface RunInfo {
  readonly seed: number
  /** A name of a task that is stable between runs: the user's, or where it was created. */
  taskKey(task: number): string
}

/** What a strategy is told when a run is over. */
export interface RunOutcome {
  /** Steps at which more than one event was ready. */
  readonly contested: number
  readonly failed: boolean
}

export interface ExploreStrategy extends Strategy {
  begin(seed: number, info?: RunInfo): void
  /** The position in `ready` of the next event, or −1: whatever follows was explored already, end the run. */
  pick(ready: readonly KernelEvent[], step: number): number
  ran?(event: KernelEvent, step: number): void
  /** Learns from the run; called after each. */
  end?(outcome: RunOutcome): void
  /** Of a strategy made of others: the one whose run it is, or was last. */
  readonly member?: string
  /**
   * It goes through schedules in order, each a small change of another: all its runs have one seed, so that programs draw
   * the same random values in each, and it has one lane.
   */
  readonly inOrder?: boolean
  /** True when there is nothing left to explore (exhaustive strategies). */
  readonly exhausted?: boolean
}

/**
 * Whether the order of two pending events can matter: they touch the same shared thing and one of them writes it, or,
 * where what they touch is not known, they belong to the same process (its whole state is then the shared thing). A
 * machine's event, a packet that arrives, may wake any of its processes, so it races with whatever a process does.
 */
export function races(a: KernelEvent, b: KernelEvent): boolean {
  if (a.access !== null && b.access !== null) return conflict(a.access, b.access)
  if (a.also !== null && b.also !== null && conflict(a.also, b.also)) return true
  return a.actor === b.actor || a.actor.ordered !== b.actor.ordered
}

/** Both touch the same thing, or one the whole of which the other touches a part, and one of them writes. */
function conflict(a: Access, b: Access): boolean {
  if (!a.write && !b.write) return false
  return a.resource === b.resource || part(a.resource, b.resource) || part(b.resource, a.resource)
}

function part(resource: string, whole: string): boolean {
  return resource.startsWith(whole) && resource[whole.length] === '/'
}
