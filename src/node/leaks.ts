/**
 * What programs leave behind in the thread. Processes share one realm, so a program that changes an intrinsic, adds a
 * global behind the back of its own global object, or patches a class of a shared module changes it for everybody. The
 * state before a world's first process is kept; after its last it is compared, restored, and the differences are reported.
 */
import vm from 'node:vm'
import { takeInternals } from './internals.ts'
import { membersOf } from './module-copies.ts'
import { processPrototype } from './process-object.ts'

export interface Leak {
  /** As a program would write it: `Array.prototype.last`, `http.Server.prototype.listen`. */
  readonly path: string
  readonly kind: 'added' | 'changed' | 'removed'
}

interface Watched {
  readonly path: string
  readonly object: any
  readonly keys: PropertyKey[]
  /** Aligned with `keys`. */
  readonly before: PropertyDescriptor[]
  /** The same for a quick look: keys with their values, descriptors of the rest, and where strings end among the keys. */
  readonly valueKeys: PropertyKey[]
  readonly values: unknown[]
  readonly others: (PropertyDescriptor & { readonly key: PropertyKey })[]
  readonly strings: number
}

/** Modules whose classes are shared with the host. */
const SHARED_MODULES = [
  'events',
  'stream',
  'stream/web',
  'stream/promises',
  'buffer',
  'util',
  'url',
  'path',
  'string_decoder',
  'async_hooks',
  'querystring',
  'internal/event_target',
]

/** Internal modules of this thread whose classes programs get at: `console.Console`, `crypto.Hash`, `dns.Resolver`. */
const PUBLIC_BY_ANOTHER_NAME = /^internal\/(?:console\/constructor$|crypto\/|dns\/callback_resolver$|readline\/|timers$)/

/** Modules whose classes another one completes when it is loaded. */
const COMPLETED_BY: Readonly<Record<string, string>> = { 'internal/timers': 'timers' }

/** Namespaces of the language, whose members are functions rather than classes. */
const NAMESPACES = ['Math', 'JSON', 'Reflect', 'Atomics', 'Intl']

export class LeakWatch {
  private readonly watched: Watched[] = []
  private readonly seen = new Set<object>([globalThis])
  private readonly incomplete = new Map<string, unknown>()
  /** Whether everything was as it should be a moment ago, and nothing of the host's has run since. */
  private known = false
  /** The global object as the host has it, and with the members of a burst in place. */
  private plainGlobals = snapshot('globalThis', globalThis)
  private swappedGlobals = this.plainGlobals

  constructor() {
    const global = globalThis as Record<string, any>
    for (const name of vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
      this.watchClass(name, global[name])
    for (const name of NAMESPACES) this.watch(name, global[name])
    this.watch('%IteratorPrototype%', Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())))
    this.watch('process.__proto__', processPrototype)
    for (const id of SHARED_MODULES) this.watchExports(id, takeInternals().require(id))
  }

  /** A world begins: what the host has changed since the last one is not the programs' doing. */
  begin(): void {
    if (this.known) return
    this.watched.forEach((watched, i) => (this.watched[i] = upToDate(watched)))
    this.plainGlobals = upToDate(this.plainGlobals)
  }

  /** The members of a burst are in place, and no program has run since. */
  noteSwappedGlobals(): void {
    this.swappedGlobals = snapshot('globalThis', globalThis)
  }

  /** A member was put in place in the middle of a burst. */
  noteSwappedGlobal(name: string): void {
    const { path, keys, before, object } = this.swappedGlobals
    const otherKeys = keys.filter((key) => key !== name)
    const ofOthers = before.filter((_, i) => keys[i] !== name)
    const now = Reflect.getOwnPropertyDescriptor(object, name)!
    this.swappedGlobals = watching(path, object, [...otherKeys, name], [...ofOthers, now])
  }

  /** Watches the classes of a module of this thread, from when it is loaded. */
  include(id: string, exports: unknown): void {
    const isPublic = !id.startsWith('internal/') || PUBLIC_BY_ANOTHER_NAME.test(id)
    if (isPublic && COMPLETED_BY[id] === undefined) this.watchExports(id, exports)
    else if (isPublic) this.incomplete.set(id, exports)
    for (const [other, unfinished] of this.incomplete) {
      if (COMPLETED_BY[other] !== id) continue
      this.incomplete.delete(other)
      this.watchExports(other, unfinished)
    }
  }

  /** Finds what differs, puts it back, and says what it was. */
  restore(globals: 'plain' | 'swapped' = 'plain'): Leak[] {
    const leaks: Leak[] = []
    for (const watched of this.watched) if (!looksUntouched(watched)) restore(watched, leaks)
    const global = globals === 'plain' ? this.plainGlobals : this.swappedGlobals
    if (!looksUntouched(global)) restore(global, leaks)
    this.trustUntilHostRuns()
    return leaks
  }

  /** Explorations run one world after the other without a turn of the host: nothing changes in between. */
  private trustUntilHostRuns(): void {
    if (this.known) return
    this.known = true
    // The plain queue: no async hook of whoever drains it hears of this.
    takeInternals()
      .internalBinding('task_queue')
      .enqueueMicrotask(() => {
        this.known = false
      })
  }

  private watchExports(id: string, exports: any): void {
    if (typeof exports === 'function') this.watchClass(id, exports)
    for (const [name, { value }] of Object.entries(membersOf(exports)))
      this.watchClass(`${id}.${name}`, value)
  }

  /** Plain functions have nothing that programs would change. */
  private watchClass(path: string, value: any): void {
    if (typeof value !== 'function') return
    const { prototype } = value
    if (typeof prototype !== 'object' || prototype === null || Reflect.ownKeys(prototype).length < 2) return
    this.watch(path, value)
    this.watch(`${path}.prototype`, prototype)
  }

  private watch(path: string, object: object | undefined): void {
    if (object === undefined || this.seen.has(object)) return
    this.seen.add(object)
    this.watched.push(snapshot(path, object))
  }
}

function snapshot(path: string, object: object): Watched {
  const keys = Reflect.ownKeys(object)
  return watching(
    path,
    object,
    keys,
    keys.map((key) => Object.getOwnPropertyDescriptor(object, key)!),
  )
}

function watching(path: string, object: object, keys: PropertyKey[], before: PropertyDescriptor[]): Watched {
  // Members of the global object are slow to read among those of others, unlike their descriptors.
  const isValue = ({ get, set }: PropertyDescriptor): boolean =>
    get === undefined && set === undefined && object !== globalThis
  const valueKeys = keys.filter((_, i) => isValue(before[i]))
  const values = before.filter(isValue).map(({ value }) => value as unknown)
  const others = keys.flatMap((key, i) => (isValue(before[i]) ? [] : [{ ...before[i], key }]))
  const strings = keys.filter((key) => typeof key !== 'symbol').length
  return { path, object, keys, before, valueKeys, values, others, strings }
}

function upToDate(watched: Watched): Watched {
  return looksUntouched(watched) ? watched : snapshot(watched.path, watched.object)
}

/**
 * Quick, since it runs after every run. What is added comes last, among the strings or among the symbols; as long as
 * that is what it was and there are not fewer, all are there.
 */
function looksUntouched({ object, keys, valueKeys, values, others, strings }: Watched): boolean {
  const now = Reflect.ownKeys(object)
  const { length } = keys
  if (now.length !== length || now[length - 1] !== keys[length - 1] || now[strings - 1] !== keys[strings - 1])
    return false
  for (let i = 0; i < values.length; i++) if (!Object.is(object[valueKeys[i]], values[i])) return false
  for (let i = 0; i < others.length; i++) {
    const before = others[i]
    if (!same(before, Object.getOwnPropertyDescriptor(object, before.key))) return false
  }
  return true
}

function restore({ path, object, keys, before }: Watched, leaks: Leak[]): void {
  const known = new Set(keys)
  for (const key of Reflect.ownKeys(object)) {
    if (known.has(key)) continue
    // What a script declared cannot be deleted, but it can be emptied: that is not found again.
    if (!Reflect.deleteProperty(object, key) && object[key] === undefined) continue
    // What was made for ever (as `Error.__BluebirdErrorTypes__` is) stays, and belongs to the thread from now on.
    if (Object.hasOwn(object, key)) Reflect.set(object, key, undefined)
    leaks.push({ path: `${path}.${String(key)}`, kind: 'added' })
  }
  keys.forEach((key, i) => {
    const now = Object.getOwnPropertyDescriptor(object, key)
    if (same(before[i], now)) return
    leaks.push({ path: `${path}.${String(key)}`, kind: now === undefined ? 'removed' : 'changed' })
    Reflect.defineProperty(object, key, before[i])
  })
}

function same(a: PropertyDescriptor, b: PropertyDescriptor | undefined): boolean {
  return (
    b !== undefined &&
    Object.is(a.value, b.value) &&
    a.get === b.get &&
    a.set === b.set &&
    a.writable === b.writable &&
    a.enumerable === b.enumerable &&
    a.configurable === b.configurable
  )
}
