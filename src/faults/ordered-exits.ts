/**
 * Which boots a fault has ordered to end. A process that a fault kills, or asks to stop, ends by our hand: its exit is
 * never the system's failure. An order holds for one boot, so a later boot that crashes by itself is not excused, and
 * an order that arrives before the new boot has run its first line is not forgotten.
 */
import type { SimProcess } from '../world/process.ts'

export class OrderedExits {
  private readonly boots = new Map<SimProcess, number>()

  /** The current boot, or the last one if the process is down, ends by a fault. */
  order(process: SimProcess): void {
    this.boots.set(process, process.boots)
  }

  /** Whether a fault ordered the current boot to end. */
  has(process: SimProcess): boolean {
    return this.boots.get(process) === process.boots
  }
}
