/**
 * The host's global object during a burst: every entry that a simulated process has of its own is an accessor that
 * leads to the current process's. So code that escapes the module wrapper (`new Function('return this')()`, indirect
 * eval, `global.x`) meets the simulated world. The accessors are gone before the host's loop turns.
 */
import { running } from './current.ts'

class HostGlobals {
  private readonly host = globalThis as unknown as Record<string | symbol, any>
  /** Accessors by name, made once: they are put there and taken away with every burst. */
  private readonly accessors = new Map<string, PropertyDescriptor>()
  private readonly saved = new Map<string, PropertyDescriptor | undefined>()
  private swapped = false

  /** A process has this name on its global object. */
  add(name: string): void {
    if (this.accessors.has(name)) return
    const accessor = this.accessorOf(name)
    this.accessors.set(name, accessor)
    if (this.swapped) this.dispatch(name, accessor)
  }

  swap(): void {
    this.swapped = true
    for (const [name, accessor] of this.accessors) this.dispatch(name, accessor)
  }

  restore(): void {
    this.swapped = false
    for (const [name, original] of this.saved) {
      if (original === undefined) delete this.host[name]
      else Object.defineProperty(this.host, name, original)
    }
    this.saved.clear()
  }

  private dispatch(name: string, accessor: PropertyDescriptor): void {
    const original = Object.getOwnPropertyDescriptor(this.host, name)
    if (original?.configurable === false) return
    this.saved.set(name, original)
    accessor.enumerable = original?.enumerable ?? true
    Object.defineProperty(this.host, name, accessor)
  }

  /** Between steps it leads to what the host had. */
  private accessorOf(name: string): PropertyDescriptor {
    const { host, saved } = this
    return {
      configurable: true,
      get: () => {
        if (running !== null) return running.global[name]
        const original = saved.get(name)
        return original?.get === undefined ? original?.value : original.get.call(host)
      },
      set: (value) => {
        if (running !== null) {
          running.global[name] = value
          return
        }
        const original = saved.get(name)
        if (original?.set !== undefined) original.set.call(host, value)
        else if (original !== undefined) original.value = value
      },
    }
  }
}

export const hostGlobals = new HostGlobals()
