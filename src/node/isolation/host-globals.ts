/**
 * The host's global object during a burst: every entry that a simulated process has of its own is an accessor that
 * leads to the current process's. So code that escapes the module wrapper (`new Function('return this')()`, indirect
 * eval, `global.x`) meets the simulated world. The accessors are gone before the host's loop turns.
 */
import { SwappedMembers } from './swapped-members.ts'

class HostGlobals {
  private readonly members = new SwappedMembers(globalThis, (own) => own.global)
  /** Accessors by name, made once: they are put there and taken away with every burst. */
  private readonly accessors = new Map<string, PropertyDescriptor>()
  private swapped = false
  /** Called with every name that gets its accessor in the middle of a burst. */
  added: (name: string) => void = () => {}

  /** A process has this name on its global object. */
  add(name: string): void {
    if (this.accessors.has(name)) return
    const accessor = this.members.accessorOf(name)
    this.accessors.set(name, accessor)
    if (!this.swapped) return
    this.members.put(name, accessor, true)
    this.added(name)
  }

  swap(): void {
    this.swapped = true
    for (const [name, accessor] of this.accessors) this.members.put(name, accessor, true)
  }

  restore(): void {
    this.swapped = false
    this.members.restore()
  }
}

export const hostGlobals = new HostGlobals()
