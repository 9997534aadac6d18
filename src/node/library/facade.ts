/**
 * Modules and bindings of one scope seen from a wider one. A module that exists once per thread may require a module
 * that exists once per process. It gets a facade whose functions and classes lead to the instance of the process that is
 * running when they are called. Symbols and other primitives are equal in all instances (see
 * module-primordials.ts), so they may be taken once.
 */
import { running } from '../process/current.ts'
import { newSlot } from './slots.ts'

/** Finds the current process's instance. */
export type Resolve = () => any

/** How long a facade holds a function that it has found for a process: for good, or for one call. */
export type Hold = 'for good' | 'for a call'

const functionToString = Function.prototype.toString

function isClass(value: (...args: never) => unknown): boolean {
  return (
    functionToString.call(value).startsWith('class') ||
    Object.getOwnPropertyNames(value.prototype ?? {}).length > 1
  )
}

/**
 * A facade over whatever `resolve` returns at the time of use. `resolve` must return an object or function now. If
 * members are never replaced, functions may be held for good: a call then costs a look into an array of the process.
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
