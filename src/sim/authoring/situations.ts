/**
 * Named situations: the moments that a simulation exists for, such as a lease that expires during a checkpoint. Any code
 * in the tank says that one occurs; outside the tank that does nothing. A campaign counts them, and one that is declared
 * (its call stands in a file that was loaded, or the simulation names it) and never occurred is a gap.
 *
 * A situation differs from `sometimes` in what the report makes of it: how often it occurred and in how many seeds,
 * whether that is too little to lean on, and what to change.
 */
import { UsageError } from '../../kernel/errors.ts'
import { currentRun } from '../running/current-run.ts'

/** What brings a situation about, as far as its author knows: the report's advice begins with it. */
export interface SituationNeeds {
  /** Kinds of operations. */
  readonly operations?: readonly string[]
  /** Fault families. */
  readonly faults?: readonly string[]
}

/**
 * Counts a situation when it occurs: whenever the call is reached, or, with a condition, whenever that is true. The name
 * is its identity, so it is a constant.
 */
export function situation(name: string, occurs = true): void {
  if (typeof name !== 'string' || name.trim() === '')
    throw new UsageError(
      'ERR_WAVETANK_SITUATION',
      'situation(): the name must be a text that is not empty, such as "lease expired during checkpoint"',
    )
  currentRun()?.assertions.evaluate('situation', name, occurs)
}
