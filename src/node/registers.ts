/**
 * Variables of shared modules that belong to a process: `net.setDefaultAutoSelectFamily()` and the like. As long as
 * nobody sets one, nothing happens; from then on they are saved and loaded whenever another process runs.
 */
interface Register {
  readonly get: () => unknown
  readonly set: (value: unknown) => void
  readonly initial: unknown
}

class Registers {
  /** Whether any process has set one. */
  dirty = false
  private readonly all: Register[] = []
  private readonly values = new WeakMap<object, unknown[]>()
  private loaded: object | null = null

  add(get: () => unknown, set: (value: unknown) => void): void {
    this.all.push({ get, set, initial: get() })
  }

  switchTo(process: object): void {
    if (this.loaded === process) return
    if (this.loaded !== null)
      this.values.set(
        this.loaded,
        this.all.map((register) => register.get()),
      )
    const values = this.values.get(process)
    for (const [i, { get, set, initial }] of this.all.entries()) {
      const value = values?.[i] ?? initial
      if (get() !== value) set(value)
    }
    this.loaded = process
  }
}

export const registers = new Registers()
