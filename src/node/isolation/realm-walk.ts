/**
 * Walks what programs can reach of the thread's one realm: properties, prototypes, the functions of accessors, and
 * properties of functions. Of instances (agents, emitters, maps) only the class is visited: a module that processes share
 * has none that a program may change, or makes one for each process. Getters are not called.
 */
import { types } from 'node:util'

// Taken now: in the middle of a burst the globals are accessors, which lead to a process.
const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
const { isView } = ArrayBuffer
const { isProxy } = types
const objectPrototype = Object.prototype

export type Visit = (path: string, object: object) => void

/** Samples of what has no name: their prototypes are reachable from every program. */
export function unnamedIntrinsics(): Readonly<Record<string, object | undefined>> {
  const { Iterator: Helpers } = globalThis as unknown as { Iterator?: { from(from: object): object } }
  const segments = new Intl.Segmenter().segment('')
  const prototypeOf = (sample: object): object => getPrototypeOf(sample)!
  return {
    '%IteratorPrototype%': prototypeOf(prototypeOf([][Symbol.iterator]())),
    '%GeneratorFunction.prototype%': prototypeOf(function* () {}),
    '%AsyncFunction.prototype%': prototypeOf(async () => {}),
    '%AsyncGeneratorFunction.prototype%': prototypeOf(async function* () {}),
    '%ArrayIteratorPrototype%': prototypeOf([][Symbol.iterator]()),
    '%MapIteratorPrototype%': prototypeOf(new Map()[Symbol.iterator]()),
    '%SetIteratorPrototype%': prototypeOf(new Set()[Symbol.iterator]()),
    '%StringIteratorPrototype%': prototypeOf(''[Symbol.iterator]()),
    '%RegExpStringIteratorPrototype%': prototypeOf(''.matchAll(/a/g)),
    '%TypedArray%': prototypeOf(Int8Array),
    '%SegmentsPrototype%': prototypeOf(segments),
    '%SegmentIteratorPrototype%': prototypeOf(segments[Symbol.iterator]()),
    '%IteratorHelperPrototype%':
      Helpers && prototypeOf(([][Symbol.iterator]() as any).map((x: unknown) => x) as object),
    '%WrapForValidIteratorPrototype%': Helpers && prototypeOf(Helpers.from({ next() {} })),
  }
}

/** What Node itself fills and empties: HTTP parsers that wait to be used again. */
const POOLS: ReadonlySet<string> = new Set(['_http_common.parsers', '_http_common.parsers.list'])

export class RealmWalk {
  private readonly seen: Set<object>
  private readonly visit: Visit

  /** Objects of `seen` are passed over. */
  constructor(seen: Set<object>, visit: Visit) {
    this.seen = seen
    this.visit = visit
  }

  /** Visits everything that is reachable from here and was not reached before, the nearest first. */
  from(path: string, root: unknown): void {
    this.go(path, root, this.seen, this.visit)
  }

  /** The same for another visitor, and without a trace: a later walk visits it all again. */
  aside(path: string, root: unknown, visit: Visit): void {
    this.go(path, root, new Set(), visit)
  }

  /** Another walk has visited it. */
  pass(object: object): void {
    this.seen.add(object)
  }

  private go(path: string, root: unknown, met: Set<object>, visit: Visit): void {
    const queue: { readonly path: string; readonly object: object }[] = []
    const meet = (at: string, value: unknown, isPrototype: boolean): void => {
      if (POOLS.has(at)) return
      if (!isReached(value, isPrototype)) {
        // Of an instance, the class is shared.
        if (isInstance(value)) meet(`${at}.__proto__`, getPrototypeOf(value), true)
        return
      }
      if (met.has(value) || this.seen.has(value)) return
      met.add(value)
      queue.push({ path: at, object: value })
    }
    meet(path, root, true)
    for (let i = 0; i < queue.length; i++) {
      const { path: at, object } = queue[i]
      visit(at, object)
      for (const key of ownKeys(object)) {
        const { get, set, value } = getOwnPropertyDescriptor(object, key)!
        const member = `${at}.${String(key)}`
        if (get !== undefined) meet(`${member}.get`, get, false)
        if (set !== undefined) meet(`${member}.set`, set, false)
        meet(member, value, key === 'prototype')
      }
      meet(`${at}.__proto__`, getPrototypeOf(object), true)
    }
  }
}

function isInstance(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isProxy(value)
}

/** Functions, plain objects, arrays, namespaces and prototypes. */
function isReached(value: unknown, isPrototype: boolean): value is object {
  if (typeof value === 'function') return !isProxy(value) // a facade, which leads to a process's own
  if (typeof value !== 'object' || value === null || isView(value) || isProxy(value)) return false
  if (isPrototype || Array.isArray(value)) return true
  const prototype = getPrototypeOf(value)
  return prototype === null || prototype === objectPrototype
}
