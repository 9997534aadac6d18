/**
 * The host's global object during a burst: every entry that a simulated process has of its own is an accessor that
 * leads to the current process's. So code that escapes the module wrapper (`new Function('return this')()`, indirect
 * eval, `global.x`) meets the simulated world. The accessors are gone before the host's loop turns.
 */
import { running } from './current.ts'

class HostGlobals {
  private readonly host = globalThis as unknown as Record<string | symbol, any>
  private readonly names = new Set<string>()
  private readonly saved = new Map<string, PropertyDescriptor | undefined>()
  private swapped = false

  /** A process has this name on its global object. */
  add(name: string): void {
    if (this.names.has(name)) return
    this.names.add(name)
    if (this.swapped) this.dispatch(name)
  }

  swap(): void {
    this.swapped = true
    for (const name of this.names) this.dispatch(name)
  }

  restore(): void {
    this.swapped = false
    for (const [name, original] of this.saved) {
      if (original === undefined) delete this.host[name]
      else Object.defineProperty(this.host, name, original)
    }
    this.saved.clear()
  }

  private dispatch(name: string): void {
    const original = Object.getOwnPropertyDescriptor(this.host, name)
    if (original?.configurable === false) return
    this.saved.set(name, original)
    const { host } = this
    Object.defineProperty(host, name, {
      configurable: true,
      enumerable: original?.enumerable ?? true,
      get: () => {
        if (running !== null) return running.global[name]
        return original?.get === undefined ? original?.value : original.get.call(host)
      },
      set: (value) => {
        if (running !== null) running.global[name] = value
        else if (original?.set !== undefined) original.set.call(host, value)
        else if (original !== undefined) original.value = value
      },
    })
  }
}

export const hostGlobals = new HostGlobals()
