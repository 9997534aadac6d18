/**
 * Changes of shared objects that JavaScript cannot take back: properties that are not configurable, frozen and sealed
 * objects. One world that makes `BigInt.prototype.toJSON` for good, or freezes `Array.prototype`, would spoil every later
 * one, and the second process that says the same would fail. So a process that asks for such a change of an object that
 * processes share gets all of it but the finality: the property stays configurable, a frozen object's properties become
 * read-only, and `isFrozen`, `isSealed` and `isExtensible` answer as if it were final. What still differs: new properties
 * can be added to an object that claims to be frozen. The leak watch (leaks.ts) takes everything back after the world.
 */
import { running } from '../process/current.ts'
import { ownMethod } from '../globals/own-members.ts'

// Taken now: these are the engine's own.
const { apply, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect
const { captureStackTrace } = Error

/** How final: no new properties; none that can be removed; none that can be changed. */
type Finality = 'closed' | 'sealed' | 'frozen'

type AnyFunction = (...args: any[]) => unknown

class SharedObjects {
  /** Objects that all processes of the thread share. */
  private readonly shared = new WeakSet<object>()
  /** Those that a process changed in ways that a look at their values may miss. */
  readonly touched = new Set<object>()
  /** Whether a process has made a context, whose `Object` is the engine's and tells us nothing. */
  isForeign = false
  /** What processes of this world have made final. */
  private readonly finalities = new Map<object, Finality>()

  add(object: object): void {
    this.shared.add(object)
  }

  /** Whether a running process is about to change a shared object. */
  isTouch(object: unknown): object is object {
    const isObject = (typeof object === 'object' && object !== null) || typeof object === 'function'
    if (running === null || !isObject || !this.shared.has(object)) return false
    this.touched.add(object)
    return true
  }

  finalityOf(object: unknown): Finality | undefined {
    return this.finalities.size === 0 ? undefined : this.finalities.get(object as object)
  }

  finish(object: object, how: Finality): void {
    this.finalities.set(object, how)
    if (how !== 'frozen') return
    for (const key of ownKeys(object)) {
      const { configurable, writable } = getOwnPropertyDescriptor(object, key)!
      if (configurable && writable) defineProperty(object, key, { writable: false })
    }
  }

  /** The world is over. */
  forget(): void {
    if (this.touched.size > 0) this.touched.clear()
    if (this.finalities.size > 0) this.finalities.clear()
    this.isForeign = false
  }
}

export const sharedObjects = new SharedObjects()

/** A descriptor without finality; a property that is final already keeps it. */
function revocable(object: object, key: PropertyKey, descriptor: unknown): unknown {
  if (typeof descriptor !== 'object' || descriptor === null) return descriptor
  const before = getOwnPropertyDescriptor(object, key)
  if (before !== undefined && (!before.configurable || !('configurable' in descriptor))) return descriptor
  const { get, set, value, writable, enumerable } = descriptor as PropertyDescriptor
  return {
    ...('get' in descriptor ? { get } : {}),
    ...('set' in descriptor ? { set } : {}),
    ...('value' in descriptor ? { value } : {}),
    ...('writable' in descriptor ? { writable } : {}),
    ...('enumerable' in descriptor ? { enumerable } : {}),
    configurable: true,
  }
}

/** Runs the engine's function; if that throws, its caller is the program, not we. */
function asEngine(real: AnyFunction, self: unknown, args: unknown[], outer: AnyFunction): unknown {
  try {
    return apply(real, self, args)
  } catch (error) {
    if (running !== null && error instanceof TypeError) captureStackTrace(error, outer)
    throw error
  }
}

/** Puts our functions in the place of those of `Object` and `Reflect`, for the length of the thread. */
export function keepChangesRevocable(): void {
  for (const holder of [Object, Reflect]) {
    ownMethod(holder, 'defineProperty', (real: AnyFunction) => {
      return function define(this: unknown, ...args: unknown[]): unknown {
        const [object, key, descriptor] = args
        if (sharedObjects.isTouch(object)) args[2] = revocable(object, key as PropertyKey, descriptor)
        return asEngine(real, this, args, (holder as any).defineProperty as AnyFunction)
      }
    })
    ownMethod(holder, 'preventExtensions', (real) => finishing(real, 'closed', holder === Reflect))
    ownMethod(holder, 'isExtensible', (real: AnyFunction) => {
      return (object: unknown) => sharedObjects.finalityOf(object) === undefined && real(object)
    })
    ownMethod(holder, 'setPrototypeOf', (real: AnyFunction) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        sharedObjects.isTouch(args[0])
        return asEngine(real, this, args, (holder as any).setPrototypeOf as AnyFunction)
      }
    })
  }
  for (const name of ['__defineGetter__', '__defineSetter__'])
    ownMethod(Object.prototype, name, (real: AnyFunction) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        sharedObjects.isTouch(this)
        return asEngine(real, this, args, (Object.prototype as any)[name] as AnyFunction)
      }
    })
  ownMethod(Object, 'seal', (real) => finishing(real, 'sealed', false))
  ownMethod(Object, 'freeze', (real) => finishing(real, 'frozen', false))
  ownMethod(Object, 'isSealed', (real: AnyFunction) => (object: unknown) => {
    const finality = sharedObjects.finalityOf(object)
    return finality === 'sealed' || finality === 'frozen' || real(object)
  })
  ownMethod(Object, 'isFrozen', (real: AnyFunction) => (object: unknown) => {
    return sharedObjects.finalityOf(object) === 'frozen' || real(object)
  })
  ownMethod(Object, 'defineProperties', (real: AnyFunction) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const [object, descriptors] = args
      if (sharedObjects.isTouch(object) && typeof descriptors === 'object' && descriptors !== null) {
        const all: Record<PropertyKey, unknown> = {}
        for (const key of ownKeys(descriptors)) {
          const { [key]: descriptor } = descriptors as Record<PropertyKey, unknown>
          if (getOwnPropertyDescriptor(descriptors, key)!.enumerable)
            all[key] = revocable(object, key, descriptor)
        }
        args[1] = all
      }
      return asEngine(real, this, args, Object.defineProperties as AnyFunction)
    }
  })
}

function finishing(real: AnyFunction, how: Finality, answers: boolean): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const [object] = args
    if (!sharedObjects.isTouch(object)) return apply(real, this, args)
    sharedObjects.finish(object, how)
    return answers ? true : object
  }
}
