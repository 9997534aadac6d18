/** The `primordials` that Node's modules get, so that the instances of a module agree on their symbols. */
import type { Internals } from './internals.ts'

/**
 * The primordials of one module, whose instances get the same symbols from them: while the module's top level runs, its
 * n-th `Symbol()` is the n-th of the first instance. Symbols made later are new ones, as always. Those of the host's
 * instance may be given. One object serves all instances: that they take what they need at their top level is what
 * lets `globalThis` be each one's own.
 */
export class ModulePrimordials {
  readonly primordials: Record<string, any>
  private readonly made: symbol[] = []
  private next = -1

  constructor(primordials: Internals['primordials'], ofHost: ReadonlyMap<string, symbol>) {
    const real = primordials.Symbol as SymbolConstructor
    const memo = (description?: string): symbol => {
      if (this.next < 0) return real(description)
      return (this.made[this.next++] ??= ofHost.get(description ?? '') ?? real(description))
    }
    Object.setPrototypeOf(memo, real)
    this.primordials = { __proto__: primordials, Symbol: memo, globalThis: primordials.globalThis }
  }

  /** Runs a module's top level with these globals; null for a module that belongs to no process. */
  evaluate(globals: object | null, run: () => void): void {
    const { primordials, next: outer } = this
    const outerGlobals: unknown = primordials.globalThis
    this.next = 0
    if (globals !== null) primordials.globalThis = globals
    try {
      run()
    } finally {
      this.next = outer
      primordials.globalThis = outerGlobals
    }
  }
}
