/**
 * Programs change exports of builtin modules: `tls.DEFAULT_MAX_VERSION = …`, a mocked `https.request`. A module that the
 * processes of a thread share is copied for each of them, and what the module itself reads from its exports while a
 * process runs comes from that process's copy: a change is seen as in Node, and by no other process.
 */
import { running } from '../process/current.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { newSlot } from './slots.ts'

/** The values of shared exports before they led to copies. */
const originals = new WeakMap<object, PropertyDescriptorMap>()

/** Where processes keep their copies of shared exports. */
const slots = new WeakMap<object, number>()

let loading = 0

/** Loads a module of the thread: what it takes from others now it keeps for all processes, so nothing is a copy's. */
export function withoutCopies(load: () => void): void {
  loading++
  try {
    load()
  } finally {
    loading--
  }
}

/** Makes the plain members of a shared module's exports lead to the current process's copy, where it has one. */
export function readThroughCopies(exports: unknown): void {
  if (typeof exports !== 'object' || exports === null) return
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(exports)
  originals.set(exports, descriptors)
  const slot = newSlot()
  slots.set(exports, slot)
  const copyOfRunning = (): Record<string, unknown> | undefined =>
    loading > 0 ? undefined : (running?.slots[slot] as Record<string, unknown> | undefined)
  for (const [name, descriptor] of Object.entries(descriptors)) {
    if (!descriptor.configurable || !descriptor.writable) continue
    let { value } = descriptor
    Object.defineProperty(exports, name, {
      configurable: true,
      enumerable: descriptor.enumerable,
      get(): unknown {
        const copy = copyOfRunning()
        return copy === undefined ? value : copy[name]
      },
      set(changed: unknown) {
        const copy = copyOfRunning()
        if (copy === undefined) value = changed
        else copy[name] = changed
      },
    })
  }
}

/** A process has its copy now. */
export function noteCopy(process: RunningProcess, exports: object, copy: Record<string, unknown>): void {
  const slot = slots.get(exports)
  if (slot !== undefined) process.slots[slot] = copy
}

/** The running process's own exports in the place of shared ones: its copy, if it has one. */
export function copyOf(exports: object): object {
  const slot = slots.get(exports)
  return (slot === undefined ? undefined : (running?.slots[slot] as object | undefined)) ?? exports
}

/** The members that a copy begins with. */
export function membersOf(exports: object): PropertyDescriptorMap {
  return originals.get(exports) ?? Object.getOwnPropertyDescriptors(exports)
}

/** Members of shared exports by how they are copied: most are plain, and take little time together. */
interface Pattern {
  /** With the plain ones at their values, and the others in their places. */
  readonly plain: Record<string | symbol, unknown>
  readonly others: readonly (readonly [string | symbol, PropertyDescriptor])[]
  /** Those with an object as their value, which may be a module itself. */
  readonly nested: readonly string[]
}

const patterns = new WeakMap<object, Pattern>()

/** A new copy of shared exports, of which {@link completeCopy} makes a whole one. */
export function beginCopy(exports: object): Record<string, unknown> {
  const prototype = Object.getPrototypeOf(exports) as object | null
  return Object.assign(Object.create(prototype), patternOf(exports).plain) as Record<string, unknown>
}

/** Adds what is not plain, and puts in the place of members that are objects what `inner` makes of them. */
export function completeCopy(
  copy: Record<string, unknown>,
  exports: object,
  inner: (member: unknown, name: string) => unknown,
): void {
  const { others, nested } = patternOf(exports)
  for (const name of nested) copy[name] = inner(copy[name], name)
  for (const [key, { get, set, ...attributes }] of others) {
    const isAccessor = get !== undefined || set !== undefined
    if (isAccessor) Object.defineProperty(copy, key, { ...attributes, get, set })
    else Object.defineProperty(copy, key, { ...attributes, value: copy[key as string] })
  }
}

function patternOf(exports: object): Pattern {
  const known = patterns.get(exports)
  if (known !== undefined) return known
  const members = membersOf(exports) as Record<string | symbol, PropertyDescriptor>
  const keys = Reflect.ownKeys(members)
  const isPlain = (key: string | symbol): boolean => {
    const { writable, enumerable, configurable } = members[key]
    return writable === true && enumerable === true && configurable === true
  }
  const pattern: Pattern = {
    plain: Object.fromEntries(keys.map((key) => [key, members[key].value])),
    others: keys.filter((key) => !isPlain(key)).map((key) => [key, members[key]] as const),
    nested: keys.filter(
      (key) => typeof key === 'string' && typeof members[key].value === 'object',
    ) as string[],
  }
  // A module of the host's may yet change.
  if (originals.has(exports)) patterns.set(exports, pattern)
  return pattern
}
