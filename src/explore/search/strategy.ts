/**
 * The interface of a strategy: the kernel's (which of the ready events is next?) plus what a strategy may learn from run to
 * run. Each algorithm has a file in `strategies/`, which cites its paper and marks its departures. All keep the laws of
 * `strategies/strategy.contract.ts`.
 *
 * A strategy draws from its own generator, seeded anew for each run, so that a run depends only on its seed and on what the
 * strategy has learned before. The scheduler records the picks as choices: a replay needs no strategy.
 */
import type { Access, KernelEvent } from '../../kernel/event.ts'
import type { Strategy } from '../../kernel/strategy.ts'

/** The beginning of a run, for a strategy. */
export interface RunInfo {
  readonly seed: number
  /** A name of the task that is the same in all runs. */
  taskKey(task: number): string
  /** How long the stalls of a run may take together, in virtual microseconds; 0 if nothing can stall. */
  readonly stallUs: number
}

/** The end of a run, for a strategy. */
export interface RunOutcome {
  /** Steps at which more than one event was ready. */
  readonly contested: number
  readonly failed: boolean
}

export interface ExploreStrategy extends Strategy {
  begin(seed: number, info?: RunInfo): void
  /** The position in `ready` of the next event, or −1 to end the run, because all continuations are explored already. */
  pick(ready: readonly KernelEvent[], step: number): number
  ran?(event: KernelEvent, step: number): void
  /** Learns from the run; called after each. */
  end?(outcome: RunOutcome): void
  /** If the strategy is made of others: the name of the one that decides, or last decided, a run. */
  readonly member?: string
  /**
   * The strategy goes through schedules in order, each a small change of another. All its runs have one seed, so that
   * programs draw the same random values in each, and its exploration has one share.
   */
  readonly inOrder?: boolean
  /** True when there is nothing left to explore (exhaustive strategies). */
  readonly exhausted?: boolean
}

/**
 * Whether the order of two pending events can matter: both touch the same shared thing and one of them writes it. If what
 * they touch is unknown, two events of one process race, since the whole state of the process may be the shared thing. An
 * event of a machine, a packet that arrives, may wake any of its processes, so it races with every event of a process.
 */
export function races(a: KernelEvent, b: KernelEvent): boolean {
  if (a.access !== null && b.access !== null) return conflict(a.access, b.access)
  if (a.also !== null && b.also !== null && conflict(a.also, b.also)) return true
  return a.actor === b.actor || a.actor.ordered !== b.actor.ordered
}

/** Both touch the same thing, or one touches a part of what the other touches; and one of them writes. */
function conflict(a: Access, b: Access): boolean {
  if (!a.write && !b.write) return false
  return a.resource === b.resource || part(a.resource, b.resource) || part(b.resource, a.resource)
}

function part(resource: string, whole: string): boolean {
  return resource.startsWith(whole) && resource[whole.length] === '/'
}
