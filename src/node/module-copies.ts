/**
 * Programs change exports of builtin modules: `tls.DEFAULT_MAX_VERSION = …`, a mocked `https.request`. A module that the
 * processes of a thread share is copied for each of them, and what the module itself reads from its exports while a
 * process runs comes from that process's copy: a change is seen as in Node, and by nobody else.
 */
import { running } from './current.ts'
import type { NodeProcess } from './process.ts'
import { newSlot } from './slots.ts'

/** What shared exports were before they led to copies. */
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
export function noteCopy(process: NodeProcess, exports: object, copy: Record<string, unknown>): void {
  const slot = slots.get(exports)
  if (slot !== undefined) process.slots[slot] = copy
}

/** What the running process has in the place of shared exports: its copy, if it has one. */
export function copyOf(exports: object): object {
  const slot = slots.get(exports)
  return (slot === undefined ? undefined : (running?.slots[slot] as object | undefined)) ?? exports
}

/** The members that a copy begins with. */
export function membersOf(exports: object): PropertyDescriptorMap {
  return originals.get(exports) ?? Object.getOwnPropertyDescriptors(exports)
}
