/**
 * Aimed faults: a simulation says which fault strikes whom and when, such as "cut off the leader when the first commit was
 * sent". An aimed fault uses the same family, evidence and records as one that is drawn, and shrinks as well: whether it
 * happens is a choice (0: it does not).
 *
 * A fault that is aimed at nothing ends the run with its reason, as a mistake of the simulation: a process that does not
 * exist, an event that never came, a moment after the chaos window, a budget that forbids it. `mayMiss` accepts that.
 */
import type { Events, PublishedEvent } from './event-log.ts'
import type { FamilyName } from '../../faults/levels.ts'
import type { ProcessIdentity } from './definition.ts'

/** Whom it strikes: a process by its name, all of a group, with a tag or in a role, or those for which a function is true. */
export type FaultTarget =
  | string
  | { readonly group: string }
  | { readonly tag: string }
  | { readonly role: string }
  | ((process: ProcessIdentity) => boolean)

export interface AimedFault {
  readonly fault: FamilyName
  /** Without it, the family chooses among all. */
  readonly target?: FaultTarget
  /** Virtual milliseconds after the chaos window opened. This, `after` or `while`. */
  readonly atMs?: number
  /** The name of an event, or a function that is true for it: when it is published in the chaos window. */
  readonly after?: string | ((event: PublishedEvent) => boolean)
  /** With `after`: which of the events, from 1; the first by default. */
  readonly nth?: number
  /** With `after`: virtual milliseconds between the event and the fault. */
  readonly delayMs?: number
  /** As long as this is true; it is asked whenever something was published. */
  readonly while?: (context: { readonly events: Events }) => boolean
  /** How long it lasts, in virtual milliseconds; by default until the chaos window closes. */
  readonly forMs?: number
  /** Parameters that are not drawn, by the names in the catalogue (`wavetank faults NAME`). */
  readonly with?: Readonly<Record<string, string | number>>
  /** Whether it may find nothing to strike. */
  readonly mayMiss?: boolean
}
