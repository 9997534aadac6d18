/**
 * Places for what modules of the thread have found for a process: an array of the process, in which everybody who looks
 * something up again and again has a number of its own.
 */
import { running } from './current.ts'
import type { NodeProcess } from './process.ts'

let slots = 0

/** A place in {@link NodeProcess.slots}, which every process has. */
export function newSlot(): number {
  return slots++
}

const lookouts = new Map<string, Lookout>()

/** A module of the process whose instance is at hand without a search, once there is one. */
export class Lookout {
  private readonly id: string
  private readonly slot = newSlot()

  constructor(id: string) {
    this.id = id
    lookouts.set(id, this)
  }

  /** Told when a process has made its instance. */
  static note(process: NodeProcess, id: string, exports: unknown): void {
    const lookout = lookouts.get(id)
    if (lookout !== undefined) process.slots[lookout.slot] = exports
  }

  get isLoaded(): boolean {
    return running!.slots[this.slot] !== undefined
  }

  /** The running process's instance; made now if there is none. */
  get exports(): any {
    return running!.slots[this.slot] ?? running!.modules.instance(this.id)
  }
}
