/**
 * Modules and bindings of one scope seen from a wider one. A module that exists once per thread may require a module
 * that exists once per process: what it gets is a facade whose functions and classes go to the instance of whatever
 * process is current when they are called. Symbols and other primitives are equal in all instances (see
 * {@link ModulePrimordials}), so they may be taken once.
 */
import { running } from './current.ts'
import type { Internals } from './internals.ts'
import type { NodeProcess } from './process.ts'

/** Finds the current process's instance. */
export type Resolve = () => any

/** How long a facade holds a function that it has found for a process: for good, or for one call. */
export type Hold = 'for good' | 'for a call'

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

const functionToString = Function.prototype.toString

function isClass(value: (...args: never) => unknown): boolean {
  return (
    functionToString.call(value).startsWith('class') ||
    Object.getOwnPropertyNames(value.prototype ?? {}).length > 1
  )
}

/**
 * A facade over whatever `resolve` returns at the time of use. `resolve` must return an object or function now. Where
 * nobody replaces members, functions may be held for good: a call then costs a look into an array of the process.
 */
export function facade(resolve: Resolve, hold: Hold = 'for a call'): any {
  const members = new Map<string | symbol, unknown>()
  const member = (key: string | symbol): unknown => {
    const value = resolve()[key]
    if (typeof value !== 'function') return value
    let dispatcher = members.get(key)
    if (dispatcher === undefined) members.set(key, (dispatcher = dispatch(() => resolve()[key], value, hold)))
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

function dispatch(resolve: () => any, sample: (...args: never) => unknown, hold: Hold): unknown {
  if (isClass(sample)) return facade(resolve)
  if (hold === 'for a call') {
    return function (this: unknown, ...args: unknown[]): unknown {
      return Reflect.apply(resolve(), this, args)
    }
  }
  const slot = newSlot()
  return function (this: unknown, ...args: unknown[]): unknown {
    const { slots: found } = running!
    return Reflect.apply((found[slot] ??= resolve()) as () => unknown, this, args)
  }
}

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
