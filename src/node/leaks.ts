/**
 * What programs leave behind in the thread. Processes share one realm, so a program that changes an intrinsic, adds a
 * global behind the back of its own global object, or patches a class of a shared module changes it for everybody. The
 * state before the first process is kept; after a run it is compared, restored, and the differences are reported.
 */
import type { Library } from './builtins.ts'
import { takeInternals } from './internals.ts'

export interface Leak {
  /** As a program would write it: `Array.prototype.last`, `http.Server.prototype.listen`. */
  readonly path: string
  readonly kind: 'added' | 'changed' | 'removed'
}

interface Watched {
  readonly path: string
  readonly object: object
  readonly descriptors: ReadonlyMap<PropertyKey, PropertyDescriptor>
}

/** Public modules whose classes are shared with the host or with other processes. */
const SHARED_MODULES = [
  'events',
  'stream',
  'buffer',
  'util',
  'url',
  'path',
  'string_decoder',
  'async_hooks',
  'querystring',
]

/** Globals that the engine or a test runner may add at any time. */
const VOLATILE = /^(__vitest|__coverage|__VITEST|__tinypool)/

export class LeakWatch {
  private readonly watched: Watched[] = []
  private readonly seen = new Set<object>()
  private readonly watchedModules = new Set<string>()

  constructor() {
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)!
      if (typeof descriptor.value === 'function' || typeof descriptor.value === 'object') {
        this.watchClass(name, descriptor.value)
      }
    }
    for (const name of ['Math', 'JSON', 'Reflect', 'Atomics', 'Intl'])
      this.watch(name, (globalThis as any)[name])
    const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))
    this.watch('%IteratorPrototype%', iterator)
    this.watchGlobal()
    for (const id of SHARED_MODULES) this.watchExports(id, takeInternals().require(id))
  }

  /** Watches the classes of the thread's own modules as they are loaded. */
  include(library: Library): void {
    for (const [id, exports] of library.threadModules()) {
      if (id.startsWith('internal/') || this.watchedModules.has(id)) continue
      this.watchedModules.add(id)
      this.watchExports(id, exports)
    }
  }

  /** Finds what differs, puts it back, and says what it was. */
  restore(): Leak[] {
    const leaks: Leak[] = []
    for (const { path, object, descriptors } of this.watched) {
      for (const key of Reflect.ownKeys(object)) {
        const name = `${path}.${String(key)}`
        const before = descriptors.get(key)
        if (before === undefined) {
          if (object === globalThis && VOLATILE.test(String(key))) continue
          if (Reflect.deleteProperty(object, key)) leaks.push({ path: name, kind: 'added' })
          continue
        }
        const now = Object.getOwnPropertyDescriptor(object, key)!
        if (same(before, now)) continue
        leaks.push({ path: name, kind: 'changed' })
        Reflect.defineProperty(object, key, before)
      }
      for (const [key, before] of descriptors) {
        if (Object.hasOwn(object, key)) continue
        leaks.push({ path: `${path}.${String(key)}`, kind: 'removed' })
        Reflect.defineProperty(object, key, before)
      }
    }
    return leaks
  }

  private watchExports(id: string, exports: any): void {
    if (typeof exports === 'function') this.watchClass(id, exports)
    for (const [name, value] of Object.entries(Object.getOwnPropertyDescriptors(exports))) {
      if (typeof value.value === 'function') this.watchClass(`${id}.${name}`, value.value)
    }
  }

  private watchClass(path: string, value: any): void {
    if (value === null || value === globalThis || value === process) return
    this.watch(path, value)
    if (typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null) {
      this.watch(`${path}.prototype`, value.prototype)
    }
  }

  private watch(path: string, object: object): void {
    if (this.seen.has(object) || object === undefined) return
    this.seen.add(object)
    this.watched.push({ path, object, descriptors: snapshot(object) })
  }

  private watchGlobal(): void {
    this.seen.add(globalThis)
    this.watched.push({ path: 'globalThis', object: globalThis, descriptors: snapshot(globalThis) })
  }
}

function snapshot(object: object): Map<PropertyKey, PropertyDescriptor> {
  const descriptors = new Map<PropertyKey, PropertyDescriptor>()
  for (const key of Reflect.ownKeys(object))
    descriptors.set(key, Object.getOwnPropertyDescriptor(object, key)!)
  return descriptors
}

function same(a: PropertyDescriptor, b: PropertyDescriptor): boolean {
  return (
    Object.is(a.value, b.value) &&
    a.get === b.get &&
    a.set === b.set &&
    a.writable === b.writable &&
    a.enumerable === b.enumerable &&
    a.configurable === b.configurable
  )
}
