/**
 * Functions of the realm whose own properties are those that every function has. They are two thirds of everything that
 * is watched, so a check of one must be quick: it looks for enumerable keys, symbols, and the properties that every
 * function begins with. What it does not see passes through `Object.defineProperty` and its like, which note the function
 * (lasting-changes.ts).
 */
import { sharedObjects } from './lasting-changes.ts'
import { putBack, watchObject, type Leak, type WatchedObject } from './watched-object.ts'

// Taken now, like those of watched-object.ts.
const { keys: enumerableKeys, getOwnPropertySymbols, getPrototypeOf, hasOwn } = Object

/** Own properties that cannot be assigned, but for the last. */
const OF_FUNCTIONS: ReadonlySet<PropertyKey> = new Set(['length', 'name', 'arguments', 'caller', 'prototype'])

export class PlainFunctions {
  private readonly functions: Function[] = []
  // Aligned with `functions`.
  private readonly prototypes: unknown[] = []
  private readonly watched: WatchedObject[] = []

  /** Whether a check of this one sees everything that an assignment or a deletion can change. */
  static includes({ object, keys }: WatchedObject): boolean {
    return (
      typeof object === 'function' &&
      hasOwn(object, 'length') &&
      hasOwn(object, 'name') &&
      keys.every((key) => OF_FUNCTIONS.has(key))
    )
  }

  add(watched: WatchedObject): void {
    const { object } = watched
    this.functions.push(object as Function)
    this.prototypes.push(object.prototype)
    this.watched.push(watched)
  }

  restore(leaks: Leak[]): void {
    const { touched, isForeign } = sharedObjects
    for (let i = 0; i < this.functions.length; i++) {
      if (isForeign || !this.isAsBefore(i) || (touched.size > 0 && touched.has(this.functions[i])))
        putBack(this.watched[i], leaks)
    }
  }

  private isAsBefore(i: number): boolean {
    const fn = this.functions[i]
    return (
      fn.prototype === this.prototypes[i] &&
      hasOwn(fn, 'length') &&
      hasOwn(fn, 'name') &&
      !hasOwn(fn, 'stack') && // of `Error.captureStackTrace`, the only other way to a hidden property
      enumerableKeys(fn).length === 0 &&
      getOwnPropertySymbols(fn).length === 0 &&
      getPrototypeOf(fn) === this.watched[i].prototype
    )
  }

  /** They are the host's to change between two worlds. */
  lookAgain(): void {
    for (let i = 0; i < this.functions.length; i++) {
      const fn = this.functions[i]
      this.watched[i] = watchObject(this.watched[i].path, fn)
      this.prototypes[i] = fn.prototype
    }
  }
}
