/**
 * Properties that Node loads when they are first read, in place of those of `internal/util`: what is loaded is the current
 * process's, not the host's. Most of them are globals, and every process has the same ones; their accessors are made once
 * per thread, and keep what they loaded with the process.
 */
import { running } from './current.ts'
import type { NodeProcess } from './process.ts'

interface Accessor {
  readonly get: (this: unknown) => unknown
  readonly set: (value: unknown) => void
}

/** Where an accessor stands: the global object of whatever process is running, or an object of its own. */
type Place = 'global' | object

/** When what was loaded is kept: also when it was undefined, or not. */
type Keep = 'always' | 'defined'

const load = (id: string, key: string): unknown => running!.modules.require(id)[key]

const shared = new Map<string, Accessor>()
const loadedBy = new WeakMap<NodeProcess, Map<Accessor, unknown>>()

function loadedOf(process: NodeProcess): Map<Accessor, unknown> {
  let loaded = loadedBy.get(process)
  if (loaded === undefined) loadedBy.set(process, (loaded = new Map()))
  return loaded
}

function replace(place: Place, key: string, enumerable: boolean, value: unknown): void {
  const target = place === 'global' ? running!.global : place
  Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable })
}

interface Lazy {
  readonly id: string
  readonly key: string
  readonly enumerable: boolean
  readonly keep: Keep
  /** Names of the two functions begin with `get` and `set`, as those of attributes in WebIDL do. */
  readonly attribute?: boolean
  readonly check?: ((this: unknown) => void) | undefined
}

function accessorFor(place: Place, { id, key, enumerable, keep, attribute, check }: Lazy): Accessor {
  const ownLoaded = new Map<Accessor, unknown>()
  const accessor: Accessor = {
    get(this: unknown): unknown {
      check?.call(this)
      const loaded = place === 'global' ? loadedOf(running!) : ownLoaded
      let value = loaded.get(accessor)
      if (value === undefined && !loaded.has(accessor)) {
        value = load(id, key)
        if (keep === 'always' || (value !== undefined && value !== null)) loaded.set(accessor, value)
      }
      return value
    },
    set: (value) => replace(place, key, enumerable, value),
  }
  const prefixed = (verb: string): string => (attribute === true ? `${verb} ${key}` : key)
  Object.defineProperty(accessor.get, 'name', { value: prefixed('get'), configurable: true })
  Object.defineProperty(accessor.set, 'name', { value: prefixed('set'), configurable: true })
  return accessor
}

function define(target: object, lazy: Lazy, writable = true): void {
  let accessor: Accessor | undefined
  // A check knows the global object for which it was made.
  if (target === running?.global && lazy.check === undefined) {
    const name = `${lazy.id} ${lazy.key} ${lazy.enumerable}`
    accessor = shared.get(name)
    if (accessor === undefined) shared.set(name, (accessor = accessorFor('global', lazy)))
  } else accessor = accessorFor(target, lazy)
  const { get, set } = accessor
  const { key, enumerable } = lazy
  Object.defineProperty(target, key, {
    get,
    set: writable ? set : undefined,
    configurable: true,
    enumerable,
  })
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
      define(target, { id, key, enumerable: true, keep: 'defined', attribute: true, check }, writable)
  },
}
