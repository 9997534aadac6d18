/**
 * Finds and undoes what programs leave behind in the thread. Processes share one realm, so a program that changes an
 * intrinsic, adds a global behind the back of its own global object, or patches a class of a shared module changes it
 * for all. Everything that a program can reach there (realm-walk.ts) is recorded; after a world's last process it is
 * compared, restored, and the differences are reported. That is about 3,000 objects, two thirds of them plain functions. A
 * plain function is checked more quickly: what its enumerable keys, name and prototypes do not show passes through
 * `Object.defineProperty` and its like, which note it (lasting-changes.ts). A check takes half a millisecond.
 */
import { EventEmitter } from 'node:events'
import vm from 'node:vm'
import { consolePrototype } from '../globals/console.ts'
import { takeInternals } from '../library/internals.ts'
import { membersOf } from '../library/module-copies.ts'
import { replacedGlobals } from '../globals/global.ts'
import { processPrototype } from '../process/process-object.ts'
import { sharedObjects } from './lasting-changes.ts'
import { RealmWalk, unnamedIntrinsics } from './realm-walk.ts'
import {
  isUntouched,
  putBack,
  watchObject,
  withMember,
  type Leak,
  type WatchedObject,
} from './watched-object.ts'

// Taken now, like those of watched-object.ts.
const { keys: enumerableKeys, getPrototypeOf } = Object

export type { Leak }

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

/** Modules whose classes another one completes when it is loaded. */
const COMPLETED_BY: Readonly<Record<string, string>> = { 'internal/timers': 'timers' }

/** Objects of the host that processes do not reach, or that are looked after elsewhere. */
const NOT_SHARED: readonly object[] = [globalThis, process, console]

/** Own properties that cannot be assigned, but for the last. */
const OF_FUNCTIONS: ReadonlySet<PropertyKey> = new Set(['length', 'name', 'arguments', 'caller', 'prototype'])

/** Functions whose own properties are those that every function has: they are many, and checked more quickly. */
interface PlainFunctions {
  readonly functions: Function[]
  /** Aligned with `functions`. */
  readonly names: string[]
  readonly prototypes: unknown[]
  readonly watched: WatchedObject[]
}

export class LeakWatch {
  private readonly watched: WatchedObject[] = []
  private readonly plain: PlainFunctions = { functions: [], names: [], prototypes: [], watched: [] }
  private readonly walk: RealmWalk
  private readonly incomplete = new Map<string, unknown>()
  /** Whether everything was as it should be a moment ago, and nothing of the host's has run since. */
  private known = false
  /** The global object as the host has it, and with the members of a burst in place. */
  private plainGlobals = watchObject('globalThis', globalThis)
  private swappedGlobals = this.plainGlobals
  /** What a world has left behind for good. */
  readonly stains: Leak[] = []

  constructor() {
    this.walk = new RealmWalk(new Set(NOT_SHARED), (path, object) => this.watch(path, object))
    const global = globalThis as Record<string, any>
    for (const name of vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
      this.walk.from(name, global[name])
    for (const [name, value] of Object.entries(replacedGlobals)) this.walk.from(name, value)
    for (const [name, value] of Object.entries(unnamedIntrinsics())) this.walk.from(name, value)
    Object.setPrototypeOf(processPrototype, EventEmitter.prototype) // as every boot does
    this.walk.from('process.__proto__', processPrototype)
    this.walk.from('console.__proto__', consolePrototype)
    for (const id of SHARED_MODULES) this.walkExports(id, takeInternals().require(id))
    this.walk.from('stream/promises', takeInternals().require('stream/promises'))
    this.walk.from('DOMException', global.DOMException)
    this.walk.from('WebAssembly.JSTag', global.WebAssembly?.JSTag) // an instance
    this.walk.from('globalThis.__proto__', getPrototypeOf(global))
    for (const id of ['internal/promise_hooks', 'internal/v8/startup_snapshot']) {
      const exports = takeInternals().require(id)
      this.walk.from(id, exports)
      this.walk.from(id, exports.namespace)
    }
    // Not those of `crypto`: every process that loads it defines one of them anew.
    const { os, fs, zlib, trace } = takeInternals().internalBinding('constants')
    this.walkExports('constants', { os, fs, zlib, trace })
  }

  /** A world begins: what the host has changed since the last one is not the programs' doing. */
  begin(): void {
    if (this.known) return
    let changed = false
    for (let i = 0; i < this.watched.length; i++) {
      if (isUntouched(this.watched[i])) continue
      this.watched[i] = again(this.watched[i])
      changed = true
    }
    if (changed) this.lookAgainAtFunctions()
    if (!isUntouched(this.plainGlobals)) this.plainGlobals = again(this.plainGlobals)
    sharedObjects.forget()
  }

  /** The members of a burst are in place, and no program has run since. */
  noteSwappedGlobals(): void {
    this.swappedGlobals = watchObject('globalThis', globalThis)
  }

  /** A member was put in place in the middle of a burst. */
  noteSwappedGlobal(name: string): void {
    this.swappedGlobals = withMember(this.swappedGlobals, name)
  }

  /** Watches what programs reach of a module of this thread, from when it is loaded. */
  include(id: string, exports: unknown): void {
    if (id.startsWith('internal/process/')) return // every boot completes their functions, such as `hrtime.bigint`
    if (COMPLETED_BY[id] === undefined) this.walkExports(id, exports)
    else this.incomplete.set(id, exports)
    for (const [other, unfinished] of this.incomplete) {
      if (COMPLETED_BY[other] !== id) continue
      this.incomplete.delete(other)
      this.walkExports(other, unfinished)
    }
  }

  /** Watches what the processes of a kind are given: their first one has booted. */
  adopt(path: string, given: object): void {
    this.walkExports(path, given)
  }

  /** Finds what differs, puts it back, and says what it was. */
  restore(globals: 'plain' | 'swapped' = 'plain'): Leak[] {
    const leaks: Leak[] = []
    const { touched } = sharedObjects
    for (let i = 0; i < this.watched.length; i++) {
      const watched = this.watched[i]
      if (!isUntouched(watched) || (touched.size > 0 && touched.has(watched.object))) putBack(watched, leaks)
    }
    this.restoreFunctions(leaks)
    const global = globals === 'plain' ? this.plainGlobals : this.swappedGlobals
    if (!isUntouched(global)) putBack(global, leaks)
    for (const leak of leaks) if (leak.forGood === true) this.stains.push(leak)
    sharedObjects.forget()
    this.trustUntilHostRuns()
    return leaks
  }

  private restoreFunctions(leaks: Leak[]): void {
    const { functions, names, prototypes, watched } = this.plain
    const { touched } = sharedObjects
    for (let i = 0; i < functions.length; i++) {
      const fn = functions[i]
      const isAsBefore =
        fn.name === names[i] && fn.prototype === prototypes[i] && enumerableKeys(fn).length === 0
      if (!isAsBefore || getPrototypeOf(fn) !== watched[i].prototype) putBack(watched[i], leaks)
      else if (touched.size > 0 && touched.has(fn)) putBack(watched[i], leaks)
    }
  }

  private lookAgainAtFunctions(): void {
    const { functions, names, prototypes, watched } = this.plain
    for (let i = 0; i < functions.length; i++) {
      watched[i] = again(watched[i])
      names[i] = functions[i].name
      prototypes[i] = functions[i].prototype
    }
  }

  /** Explorations run one world after the other without a turn of the host: nothing changes in between. */
  private trustUntilHostRuns(): void {
    if (this.known) return
    this.known = true
    // The plain queue, of which async hooks do not hear.
    takeInternals()
      .internalBinding('task_queue')
      .enqueueMicrotask(() => {
        this.known = false
      })
  }

  /** Programs have copies of exports (library/module-copies.ts), unless a module is a function. */
  private walkExports(id: string, exports: any): void {
    if (typeof exports === 'function') this.walk.from(id, exports)
    const isInternal = id.startsWith('internal/')
    for (const [name, { value, get, set }] of Object.entries(membersOf(exports))) {
      this.walk.from(`${id}.${name}.get`, get)
      this.walk.from(`${id}.${name}.set`, set)
      if (!isInternal || typeof value === 'function') this.walk.from(`${id}.${name}`, value)
    }
  }

  private watch(path: string, object: object): void {
    sharedObjects.add(object)
    const watched = watchObject(path, object)
    if (typeof object === 'function' && watched.keys.every((key) => OF_FUNCTIONS.has(key))) {
      this.plain.functions.push(object)
      this.plain.names.push(object.name)
      this.plain.prototypes.push(object.prototype)
      this.plain.watched.push(watched)
    } else {
      this.watched.push(watched)
    }
  }
}

function again({ path, object }: WatchedObject): WatchedObject {
  return watchObject(path, object as object)
}
