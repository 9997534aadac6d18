/**
 * Members of shared classes that are ours while a process runs. They look like the engine's: the same name, length and
 * attributes.
 */

type AnyFunction = (...args: any[]) => unknown

/** Gives a function the name, the length and the prototype of another. */
export function disguised<F extends AnyFunction>(fn: F, real: AnyFunction): F {
  for (const key of ['length', 'name'] as const)
    Object.defineProperty(fn, key, Object.getOwnPropertyDescriptor(real, key)!)
  Object.setPrototypeOf(fn, Object.getPrototypeOf(real) as object)
  // Methods of the engine have no prototype of their own.
  if (!Object.hasOwn(real, 'prototype')) delete (fn as { prototype?: unknown }).prototype
  return fn
}

/** Replaces a method where this version of the engine has it. */
export function ownMethod(holder: object, name: PropertyKey, make: (real: any) => AnyFunction): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name)
  if (typeof descriptor?.value !== 'function') return
  const real = descriptor.value as AnyFunction
  // A method's shorthand makes a function that cannot be constructed, like the engine's.
  const made = make(real)
  const { method } = {
    method(this: unknown, ...args: unknown[]): unknown {
      return Reflect.apply(made, this, args)
    },
  }
  Object.defineProperty(holder, name, { ...descriptor, value: disguised(method, real) })
}

interface SharedPrototype {
  readonly prototype: { constructor: unknown }
  readonly real: unknown
  readonly ours: unknown
}

const sharedPrototypes: SharedPrototype[] = []

/**
 * Objects of a shared class give processes the constructor that processes have, and the host its own. It is a plain
 * property, since `util.inspect` looks for one: see {@link swapConstructors}.
 */
export function ownConstructor(prototype: object, real: unknown, ours: unknown): void {
  sharedPrototypes.push({ prototype, real, ours })
}

/** While processes run, `constructor` is theirs. */
export function swapConstructors(): void {
  for (const { prototype, real, ours } of sharedPrototypes)
    if (prototype.constructor === real) prototype.constructor = ours
}

/** Puts the host's back. What a program put there itself stays, for those who look for leaks. */
export function putConstructorsBack(): void {
  for (const { prototype, real, ours } of sharedPrototypes)
    if (prototype.constructor === ours) prototype.constructor = real
}
