/**
 * Values that modules of the thread look up for a process again and again: each has a number, its slot, in an array of
 * the process.
 */
import { running } from '../process/current.ts'
import type { RunningProcess } from '../process/running-process.ts'

let slots = 0

/** A place in {@link RunningProcess.slots}, which every process has. */
export function newSlot(): number {
  return slots++
}

const moduleSlots = new Map<string, ModuleSlot>()

/** A module of the process whose instance is at hand without a search, once there is one. */
export class ModuleSlot {
  private readonly id: string
  private readonly slot = newSlot()

  constructor(id: string) {
    this.id = id
    moduleSlots.set(id, this)
  }

  /** A process has made its instance of a module. */
  static note(process: RunningProcess, id: string, exports: unknown): void {
    const moduleSlot = moduleSlots.get(id)
    if (moduleSlot !== undefined) process.slots[moduleSlot.slot] = exports
  }

  get isLoaded(): boolean {
    return running!.slots[this.slot] !== undefined
  }

  /** The running process's instance; made now if there is none. */
  get exports(): any {
    return running!.slots[this.slot] ?? running!.modules.instance(this.id)
  }
}
