/**
 * Properties that Node loads when they are first read, in place of those of `internal/util`: what is loaded is the current
 * process's, not the host's, and is kept with it, since the object may be a module that all processes share. Most of them
 * are globals, and every process has the same ones; their accessors are made once per thread.
 */
import { running } from '../process/current.ts'
import { everyGlobal } from '../globals/web-interfaces.ts'
import { copyOf } from './module-copies.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { newSlot } from './slots.ts'

interface Accessor {
  readonly get: (this: unknown) => unknown
  readonly set: ((value: unknown) => void) | undefined
  readonly enumerable: boolean
  readonly configurable: true
}

/** When what was loaded is kept: also when it was undefined, or not. */
type Keep = 'always' | 'defined'

const load = (id: string, key: string): unknown => running!.modules.require(id)[key]

/** By module and name. */
const shared = new Map<string, Map<string, Accessor>>()
const slot = newSlot()

function loadedOf(process: RunningProcess): Map<Accessor, unknown> {
  return (process.slots[slot] ??= new Map()) as Map<Accessor, unknown>
}

interface Lazy {
  readonly id: string
  readonly key: string
  readonly enumerable: boolean
  readonly writable?: boolean
  readonly keep: Keep
  /** Names of the two functions begin with `get` and `set`, as those of attributes in WebIDL do. */
  readonly attribute?: boolean
  readonly check?: ((this: unknown) => void) | undefined
}

/** On a process's global object, on those of all processes, or on an object that may be a module of the thread. */
type Place = 'a global object' | 'all global objects' | object

function accessorOn(place: Place, lazy: Lazy): Accessor {
  const { id, key, enumerable, writable, keep, attribute, check } = lazy
  const set = (value: unknown): void => {
    const target = typeof place === 'string' ? running!.global : copyOf(place)
    Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable })
  }
  const accessor: Accessor = {
    get(this: unknown): unknown {
      // A check knows the global object for which it was made.
      check?.call(place === 'all global objects' && this === running!.global ? everyGlobal : this)
      const loaded = loadedOf(running!)
      let value = loaded.get(accessor)
      if (value === undefined && !loaded.has(accessor)) {
        value = load(id, key)
        if (keep === 'always' || (value !== undefined && value !== null)) loaded.set(accessor, value)
      }
      return value
    },
    set: writable === false ? undefined : set,
    enumerable,
    configurable: true,
  }
  const prefixed = (verb: string): string => (attribute === true ? `${verb} ${key}` : key)
  Object.defineProperty(accessor.get, 'name', { value: prefixed('get'), configurable: true })
  Object.defineProperty(set, 'name', { value: prefixed('set'), configurable: true })
  Object.freeze(accessor.get)
  Object.freeze(set)
  return accessor
}

function define(target: object, lazy: Lazy): void {
  const isGlobal = target === running?.global
  const isShared = target === everyGlobal || (isGlobal && lazy.check === undefined)
  const own = (): Accessor => accessorOn(isGlobal ? 'a global object' : target, lazy)
  Object.defineProperty(target, lazy.key, isShared ? sharedAccessor(lazy) : own())
}

function sharedAccessor(lazy: Lazy): Accessor {
  const { id, key, enumerable, writable } = lazy
  let ofModule = shared.get(id)
  if (ofModule === undefined) shared.set(id, (ofModule = new Map()))
  let accessor = ofModule.get(key)
  if (accessor?.enumerable !== enumerable || (accessor.set !== undefined) !== (writable !== false))
    ofModule.set(key, (accessor = accessorOn('all global objects', lazy)))
  return accessor
}

export const lazyProperties = {
  defineLazyProperties(target: object, id: string, keys: readonly string[], enumerable = true): void {
    for (const key of keys) define(target, { id, key, enumerable, keep: 'always' })
  },
  exposeLazyInterfaces(target: object, id: string, keys: readonly string[]): void {
    for (const key of keys) define(target, { id, key, enumerable: false, keep: 'defined' })
  },
  defineReplaceableLazyAttribute(
    target: object,
    id: string,
    keys: readonly string[],
    writable = true,
    check?: (this: unknown) => void,
  ): void {
    for (const key of keys)
      define(target, { id, key, enumerable: true, writable, keep: 'defined', attribute: true, check })
  },
}
