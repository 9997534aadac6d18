/**
 * Modules and bindings of one scope seen from a wider one. A module that exists once per thread may require a module
 * that exists once per process: what it gets is a facade whose functions and classes go to the instance of whatever
 * process is current when they are called. Symbols and other primitives are equal in all instances (see
 * {@link SymbolMemo}), so they may be taken once.
 */
import type { Internals } from './internals.ts'

/** Finds the current process's instance. */
export type Resolve = () => any

const functionToString = Function.prototype.toString

function isClass(value: (...args: never) => unknown): boolean {
  return (
    functionToString.call(value).startsWith('class') ||
    Object.getOwnPropertyNames(value.prototype ?? {}).length > 1
  )
}

/** A facade over whatever `resolve` returns at the time of use. `resolve` must return an object or function now. */
export function facade(resolve: Resolve): any {
  const members = new Map<string | symbol, unknown>()
  const member = (key: string | symbol): unknown => {
    const value = resolve()[key]
    if (typeof value !== 'function') return value
    let dispatcher = members.get(key)
    if (dispatcher === undefined) members.set(key, (dispatcher = dispatch(() => resolve()[key], value)))
    return dispatcher
  }
  const sample = resolve()
  const target = typeof sample === 'function' ? function () {} : {}
  return new Proxy(target, {
    get: (_, key) => member(key),
    set: (_, key, value) => Reflect.set(resolve(), key, value),
    has: (_, key) => Reflect.has(resolve(), key),
    apply: (_, self, args) => Reflect.apply(resolve(), self, args),
    construct: (_, args) => Reflect.construct(resolve(), args),
    ownKeys: () => Reflect.ownKeys(resolve()),
    getOwnPropertyDescriptor: (_, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(resolve(), key)
      return descriptor && { ...descriptor, configurable: true }
    },
    defineProperty: (_, key, descriptor) => Reflect.defineProperty(resolve(), key, descriptor),
    getPrototypeOf: () => Reflect.getPrototypeOf(resolve()),
  })
}

function dispatch(resolve: () => any, sample: (...args: never) => unknown): unknown {
  if (isClass(sample)) return facade(resolve)
  return function (this: unknown, ...args: unknown[]): unknown {
    return Reflect.apply(resolve(), this, args)
  }
}

/**
 * Gives the instances of one module the same symbols: while the module's top level runs, its n-th `Symbol()` is the
 * n-th of the first instance. Symbols made later are new ones, as always. Those of the host's instance may be given.
 */
export class SymbolMemo {
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
    this.primordials = { __proto__: primordials, Symbol: memo }
  }

  /** Runs a module's top level. */
  evaluate(run: () => void): void {
    const outer = this.next
    this.next = 0
    try {
      run()
    } finally {
      this.next = outer
    }
  }
}
