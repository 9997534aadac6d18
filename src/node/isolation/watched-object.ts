/**
 * An object that processes share: records its state, notices a change, and restores it. About 1,000 objects are checked after
 * every world, when none of them is in the processor's caches any more. So a check is quick: it reads little memory of its
 * own, and everything it reads of one kind has one layout, because V8 looks properties up slowly where it has met many.
 */

// Taken now: in the middle of a burst the globals are accessors, which lead to a process, and members may be a program's.
const { ownKeys, deleteProperty, defineProperty, getPrototypeOf, setPrototypeOf, set: setProperty } = Reflect
const { is, getOwnPropertyDescriptor } = Object
const symbolText = String
const global = globalThis

export interface Leak {
  /** As a program would write it: `Array.prototype.last`, `http.Server.prototype.listen`. */
  readonly path: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** It could not be put back. */
  readonly forGood?: true
}

export interface WatchedObject {
  readonly path: string
  readonly object: any
  readonly prototype: object | null
  readonly keys: readonly PropertyKey[]
  /** Aligned with `keys`; null for one that may be anything. */
  readonly before: readonly (PropertyDescriptor | null)[]
  /** The same for the quick look. */
  readonly outline: Outline
  readonly valueKeys: readonly PropertyKey[]
  /** Aligned with `valueKeys`. */
  readonly values: readonly unknown[]
  readonly accessors: readonly Accessor[]
  readonly constants: readonly Constant[]
}

/** How many keys there are, and those that change places when others come. */
interface Outline {
  readonly count: number
  readonly first: PropertyKey
  readonly lastStringAt: number
  readonly lastString: PropertyKey
  readonly last: PropertyKey
}

interface Accessor {
  readonly key: PropertyKey
  readonly get: unknown
  readonly set: unknown
  readonly enumerable: boolean | undefined
  readonly configurable: boolean | undefined
}

/** A value that is looked at with its attributes. */
interface Constant {
  readonly key: PropertyKey
  readonly value: unknown
  readonly writable: boolean | undefined
  readonly enumerable: boolean | undefined
  readonly configurable: boolean | undefined
}

/** The object as it is now. */
export function watchObject(path: string, object: object): WatchedObject {
  const keys = ownKeys(object)
  const before = keys.map((key) => getOwnPropertyDescriptor(object, key)!)
  return watching(path, object, keys, before)
}

/** With one member as it is now, and the others as they were. */
export function withMember(watched: WatchedObject, name: string): WatchedObject {
  const { path, object } = watched
  const keys = [...watched.keys]
  const before = [...watched.before]
  const now = getOwnPropertyDescriptor(object, name)!
  const at = keys.indexOf(name)
  if (at >= 0) {
    before[at] = now
  } else {
    // Symbols come after all strings.
    const end = keys.filter((key) => typeof key !== 'symbol').length
    keys.splice(end, 0, name)
    before.splice(end, 0, now)
  }
  return watching(path, object, keys, before)
}

/** The same, but members that are not what they were may be anything from now on. */
export function withLooseMembers(watched: WatchedObject): WatchedObject {
  const { path, object, keys, before } = watched
  const isAsBefore = (was: PropertyDescriptor | null, i: number): boolean =>
    was !== null && same(was, getOwnPropertyDescriptor(object, keys[i]))
  return watching(
    path,
    object as object,
    keys,
    before.map((was, i) => (isAsBefore(was, i) ? was : null)),
  )
}

/** The object as the host has made it since; members that may be anything still may. */
export function renewed({ path, object, keys, before }: WatchedObject): WatchedObject {
  const loose = keys.filter((_, i) => before[i] === null)
  const now = watchObject(path, object as object)
  if (loose.length === 0) return now
  const state = now.before.map((each, i) => (isAmong(now.keys[i], loose) ? null : each))
  return watching(path, object as object, now.keys, state)
}

/** The paths of members that may be anything. */
export function looseMembers({ path, keys, before }: WatchedObject): string[] {
  return keys.filter((_, i) => before[i] === null).map((key) => memberPath(path, key))
}

function watching(
  path: string,
  object: object,
  keys: readonly PropertyKey[],
  before: readonly (PropertyDescriptor | null)[],
): WatchedObject {
  const valueKeys: PropertyKey[] = []
  const values: unknown[] = []
  const accessors: Accessor[] = []
  const constants: Constant[] = []
  keys.forEach((key, i) => {
    const was = before[i]
    if (was === null) return
    const { get, set, value, writable, enumerable, configurable } = was
    if (get !== undefined || set !== undefined) {
      accessors.push({ key, get, set, enumerable, configurable })
    } else if (object === global) {
      // Members of the global object are slow to read among those of others, unlike their descriptors.
      constants.push({ key, value, writable, enumerable, configurable })
    } else {
      valueKeys.push(key)
      values.push(value)
    }
  })
  const prototype = getPrototypeOf(object)
  return {
    path,
    object,
    prototype,
    keys,
    before,
    outline: outlineOf(keys),
    valueKeys,
    values,
    accessors,
    constants,
  }
}

function outlineOf(keys: readonly PropertyKey[]): Outline {
  const count = keys.length
  const strings = keys.filter((key) => typeof key !== 'symbol').length
  const lastStringAt = strings === 0 ? 0 : strings - 1
  return { count, first: keys[0], lastStringAt, lastString: keys[lastStringAt], last: keys[count - 1] }
}

export function isUntouched(watched: WatchedObject): boolean {
  return (
    getPrototypeOf(watched.object as object) === watched.prototype &&
    hasItsKeys(watched) &&
    hasItsValues(watched) &&
    hasItsAccessors(watched) &&
    hasItsConstants(watched)
  )
}

/**
 * What is added comes last, among the strings or among the symbols, or first, if it is an index. As long as these are what
 * they were and there are not fewer, all are there.
 */
function hasItsKeys({ object, outline }: WatchedObject): boolean {
  const { count, first, lastStringAt, lastString, last } = outline
  const now = ownKeys(object)
  return (
    now.length === count &&
    (count === 0 || (now[0] === first && now[lastStringAt] === lastString && now[count - 1] === last))
  )
}

function hasItsValues({ object, valueKeys, values }: WatchedObject): boolean {
  for (let i = 0; i < values.length; i++) if (!is(object[valueKeys[i]], values[i])) return false
  return true
}

function hasItsAccessors({ object, accessors }: WatchedObject): boolean {
  for (let i = 0; i < accessors.length; i++) {
    const before = accessors[i]
    const now = getOwnPropertyDescriptor(object, before.key)
    if (
      now === undefined ||
      now.get !== before.get ||
      now.set !== before.set ||
      now.enumerable !== before.enumerable ||
      now.configurable !== before.configurable
    )
      return false
  }
  return true
}

function hasItsConstants({ object, constants }: WatchedObject): boolean {
  for (let i = 0; i < constants.length; i++) {
    const before = constants[i]
    const now = getOwnPropertyDescriptor(object, before.key)
    if (
      now === undefined ||
      !is(now.value, before.value) ||
      now.writable !== before.writable ||
      now.enumerable !== before.enumerable ||
      now.configurable !== before.configurable
    )
      return false
  }
  return true
}

/** Makes it what it was, and says what it had become. It uses no method: the program may have broken that very one. */
export function putBack(watched: WatchedObject, leaks: Leak[]): void {
  const { path, object, prototype, keys, before } = watched
  const { length: noted } = leaks
  const note = (key: PropertyKey, kind: Leak['kind'], isBack: boolean): void => {
    const leak = { path: memberPath(path, key), kind }
    append(leaks, isBack ? leak : { ...leak, forGood: true })
  }
  if (getPrototypeOf(object as object) !== prototype)
    note('__proto__', 'changed', setPrototypeOf(object as object, prototype))
  const now = ownKeys(object)
  for (let i = 0; i < now.length; i++) {
    const key = now[i]
    if (isAmong(key, keys)) continue
    const isGone = deleteProperty(object, key)
    // A declaration of a script cannot be deleted, but it can be emptied: then it is not found again.
    if (!isGone && object[key] === undefined) continue
    note(key, 'added', isGone || (setProperty(object, key, undefined) && object[key] === undefined))
  }
  for (let i = 0; i < keys.length; i++) {
    const was = before[i]
    const is = getOwnPropertyDescriptor(object, keys[i])
    if (was === null || same(was, is)) continue
    note(keys[i], is === undefined ? 'removed' : 'changed', defineProperty(object, keys[i], was))
  }
  if (object !== global && putInOrder(object as object, keys) && leaks.length === noted)
    append(leaks, { path: `${path} (the order of its members)`, kind: 'changed' })
}

/**
 * What was removed and put back is last. Members that cannot be removed keep their places, and then the others may not get
 * theirs. Returns whether anything has moved.
 */
function putInOrder(object: object, keys: readonly PropertyKey[]): boolean {
  const before = ownKeys(object)
  let from = 0
  while (from < keys.length && before[from] === keys[from]) from++
  if (from === keys.length || before.length !== keys.length) return false
  for (let i = from; i < keys.length; i++) {
    const descriptor = getOwnPropertyDescriptor(object, keys[i])
    if (descriptor?.configurable !== true) continue
    deleteProperty(object, keys[i])
    defineProperty(object, keys[i], descriptor)
  }
  const after = ownKeys(object)
  for (let i = from; i < after.length; i++) if (after[i] !== before[i]) return true
  return false
}

/** A property of its own, whatever the prototypes have become. */
function append(leaks: Leak[], leak: Leak): void {
  defineProperty(leaks, leaks.length, { value: leak, writable: true, enumerable: true, configurable: true })
}

function isAmong(key: PropertyKey, keys: readonly PropertyKey[]): boolean {
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return true
  return false
}

function memberPath(path: string, key: PropertyKey): string {
  return `${path}.${typeof key === 'symbol' ? symbolText(key) : `${key}`}`
}

function same(a: PropertyDescriptor, b: PropertyDescriptor | undefined): boolean {
  return (
    b !== undefined &&
    is(a.value, b.value) &&
    a.get === b.get &&
    a.set === b.set &&
    a.writable === b.writable &&
    a.enumerable === b.enumerable &&
    a.configurable === b.configurable
  )
}
