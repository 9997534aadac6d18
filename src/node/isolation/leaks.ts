/**
 * Finds and undoes what programs leave behind in the thread. Processes share one realm, so a program that changes an
 * intrinsic, adds a global behind the back of its own global object, or patches a class of a shared module changes it
 * for all. Everything that a program can reach there (realm-walk.ts) is recorded; after a world's last process it is
 * compared, restored, and the differences are reported. That is about 4,000 objects, two thirds of them plain functions
 * (plain-functions.ts). A check takes a millisecond. A world that made a `vm` context is checked thoroughly, which takes
 * some 20: the context's own `Object.defineProperty` can make changes of attributes, which a quick look misses.
 */
import { EventEmitter } from 'node:events'
import vm from 'node:vm'
import { consolePrototype } from '../globals/console.ts'
import { takeInternals } from '../library/internals.ts'
import { membersOf } from '../library/module-copies.ts'
import { replacedGlobals } from '../globals/global.ts'
import { processPrototype } from '../process/process-object.ts'
import { SharedParts } from './shared-parts.ts'
import { sharedObjects } from './lasting-changes.ts'
import { PlainFunctions } from './plain-functions.ts'
import { RealmWalk, unnamedIntrinsics } from './realm-walk.ts'
import {
  isUntouched,
  putBack,
  renewed,
  watchObject,
  withMember,
  type Leak,
  type WatchedObject,
} from './watched-object.ts'

// Taken now, like those of watched-object.ts.
const { getPrototypeOf } = Object

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

export class LeakWatch {
  private readonly watched: WatchedObject[] = []
  private readonly functions = new PlainFunctions()
  private readonly walk: RealmWalk
  private readonly common: SharedParts
  /** What is known too late: see shared-parts.ts. */
  private readonly late: Leak[] = []
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
    this.common = new SharedParts(this.walk, (part) => {
      this.walk.pass(part.object as object)
      this.add(part)
    })
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
      this.watched[i] = renewed(this.watched[i])
      changed = true
    }
    if (changed) this.functions.lookAgain()
    if (!isUntouched(this.plainGlobals)) this.plainGlobals = renewed(this.plainGlobals)
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

  /** Watches what processes of a kind have in common although each has an instance of its own: this is one of them. */
  compare(path: string, instance: unknown, kind = ''): void {
    if ((typeof instance === 'object' && instance !== null) || typeof instance === 'function')
      this.late.push(...this.common.look(path, instance, kind))
  }

  /** Finds what differs, puts it back, and says what it was. */
  restore(globals: 'plain' | 'swapped' = 'plain'): Leak[] {
    const leaks: Leak[] = []
    leaks.push(...this.late.splice(0))
    const { touched, isForeign } = sharedObjects
    for (let i = 0; i < this.watched.length; i++) {
      const watched = this.watched[i]
      if (isForeign || !isUntouched(watched) || (touched.size > 0 && touched.has(watched.object)))
        putBack(watched, leaks)
    }
    this.functions.restore(leaks)
    this.common.restore()
    const global = globals === 'plain' ? this.plainGlobals : this.swappedGlobals
    if (!isUntouched(global)) putBack(global, leaks)
    for (const leak of leaks) if (leak.forGood === true) this.stains.push(leak)
    sharedObjects.forget()
    this.trustUntilHostRuns()
    return leaks
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
    this.add(watchObject(path, object))
  }

  private add(watched: WatchedObject): void {
    sharedObjects.add(watched.object as object)
    if (PlainFunctions.includes(watched)) this.functions.add(watched)
    else this.watched.push(watched)
  }
}
