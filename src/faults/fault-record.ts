/**
 * The record of one injected fault. That a fault was *injected* says nothing; it counts when its effect was seen on the
 * victim's side: packets of a partitioned link dropped, writes torn, callbacks of a paused process held back, a process
 * that had something to lose gone. That number is the landing evidence.
 */

export type FaultGroup = 'process' | 'network' | 'disk' | 'clock' | 'cluster' | 'code'

export interface FaultRecord {
  /** 1, 2, … in the order of injection. */
  readonly id: number
  readonly family: string
  readonly group: FaultGroup
  /** Whom it was aimed at: process, host or link names. */
  readonly targets: readonly string[]
  /** One phrase for people: `partition kv1 | kv2 kv3`. */
  readonly text: string
  /** Which kind of its family, where the family has several. */
  readonly kind?: string
  readonly beginUs: number
  readonly beginStep: number
  /** Null for a fault that lasts no time, or that lasted to the end. */
  endUs: number | null
  /** Victim-side signals seen so far. */
  victims: number
}
