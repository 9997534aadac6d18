/**
 * Variables of shared modules that belong to a process: `net.setDefaultAutoSelectFamily()` and the like. Until a
 * process sets one, nothing happens; from then on they are saved and loaded whenever another process runs.
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

  add(register: Register): void {
    this.all.push(register)
  }

  /** Records that this process has set the present values. */
  own(process: object): void {
    this.loaded = process
  }

  switchTo(process: object): void {
    if (this.loaded === process) return
    this.save()
    const values = this.values.get(process)
    for (const [i, { get, set, initial }] of this.all.entries()) {
      const value = values?.[i] ?? initial
      if (get() !== value) set(value)
    }
    this.loaded = process
  }

  /** No process runs: everything is as if none had set anything. */
  unload(): void {
    if (this.loaded === null) return
    this.save()
    this.loaded = null
    for (const { get, set, initial } of this.all) if (get() !== initial) set(initial)
  }

  private save(): void {
    if (this.loaded === null) return
    this.values.set(
      this.loaded,
      this.all.map((register) => register.get()),
    )
  }
}

export const registers = new Registers()
