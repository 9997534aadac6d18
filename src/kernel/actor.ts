/**
 * An actor: the owner of a step. A simulated process is one actor per boot, a host's network stack is one, the
 * nemesis is one. Events of a dead actor never happen; what reaches a paused actor waits, in order, until it is resumed.
 */
import type { KernelEvent } from './event.ts'

export class Actor {
  readonly id: number
  readonly name: string
  /**
   * Whether each of its steps may depend on the one before: true for a process, whose memory they share; false for a
   * machine, whose packets have nothing to do with each other unless one caused the other.
   */
  readonly ordered: boolean
  state: 'running' | 'paused' | 'dead' = 'running'
  /** The actor's last step: the program-order cause of its next. */
  lastStep = 0
  /** What arrived while paused. */
  readonly held: (KernelEvent | (() => void))[] = []

  constructor(id: number, name: string, ordered: boolean = true) {
    this.id = id
    this.name = name
    this.ordered = ordered
  }

  /**
   * Runs something that arrived for this actor. A process of the node layer overrides this with its event loop: the
   * callback runs at once when the loop is idle, and in its proper phase when it is in the middle of a turn.
   */
  receive(callback: () => void): void {
    callback()
  }
}
