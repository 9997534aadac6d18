/**
 * What programs leave behind in the thread. Processes share one realm, so a program that changes an intrinsic, adds a
 * global behind the back of its own global object, or patches a class of a shared module changes it for everybody. The
 * state before a world's first process is kept; after its last it is compared, restored, and the differences are reported.
 */
import vm from 'node:vm'
import { consolePrototype } from './globals/console.ts'
import { takeInternals } from './internals.ts'
import { membersOf } from './module-copies.ts'
import { processPrototype } from './process-object.ts'
import {
  isUntouched,
  putBack,
  watchObject,
  withMember,
  type Leak,
  type WatchedObject,
} from './watched-object.ts'

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

/** Internal modules of this thread whose classes programs get at: `console.Console`, `crypto.Hash`, `dns.Resolver`. */
const PUBLIC_BY_ANOTHER_NAME =
  /^internal\/(?:console\/constructor$|crypto\/|dns\/callback_resolver$|readline\/|timers$)/

/** Modules whose classes another one completes when it is loaded. */
const COMPLETED_BY: Readonly<Record<string, string>> = { 'internal/timers': 'timers' }

/** Namespaces of the language, whose members are functions rather than classes. */
const NAMESPACES = ['Math', 'JSON', 'Reflect', 'Atomics', 'Intl']

export class LeakWatch {
  private readonly watched: WatchedObject[] = []
  private readonly seen = new Set<object>([globalThis])
  private readonly incomplete = new Map<string, unknown>()
  /** Whether everything was as it should be a moment ago, and nothing of the host's has run since. */
  private known = false
  /** The global object as the host has it, and with the members of a burst in place. */
  private plainGlobals = watchObject('globalThis', globalThis)
  private swappedGlobals = this.plainGlobals

  constructor() {
    const global = globalThis as Record<string, any>
    for (const name of vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
      this.watchClass(name, global[name])
    for (const name of NAMESPACES) this.watch(name, global[name])
    this.watch('%IteratorPrototype%', Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())))
    this.watch('process.__proto__', processPrototype)
    this.watch('console.__proto__', consolePrototype)
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
    this.swappedGlobals = watchObject('globalThis', globalThis)
  }

  /** A member was put in place in the middle of a burst. */
  noteSwappedGlobal(name: string): void {
    this.swappedGlobals = withMember(this.swappedGlobals, name)
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
    for (const watched of this.watched) if (!isUntouched(watched)) putBack(watched, leaks)
    const global = globals === 'plain' ? this.plainGlobals : this.swappedGlobals
    if (!isUntouched(global)) putBack(global, leaks)
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
    this.watched.push(watchObject(path, object))
  }
}

function upToDate(watched: WatchedObject): WatchedObject {
  return isUntouched(watched) ? watched : watchObject(watched.path, watched.object)
}
