/**
 * A strategy decides which of the ready events happens next. Ready are the events whose earliest time is not after the
 * least latest time of all pending ones, and that are first in their lane: so every schedule a strategy can produce is
 * one that Node could really produce. Simulations use no strategy at all: by time, the earliest event is next.
 */
import type { KernelEvent } from './event.ts'

export interface Strategy {
  readonly name: string
  /** Called once per run, before its first step. */
  begin?(seed: number): void
  /**
   * The position, in `ready`, of the event to run next; −1 abandons the run. `ready` has at least two entries: first
   * those of the task that ran last, then the others, each by (time, seq).
   */
  pick(ready: readonly KernelEvent[], step: number): number
  /**
   * How long the step's event is kept waiting although it was picked: a value of the choice in stall.ts. −1 asks for no
   * choice at all. Asked before every step; a strategy without it never stalls.
   */
  stall?(step: number): number
  /** Called after a step with what ran in it. */
  ran?(event: KernelEvent, step: number): void
}
