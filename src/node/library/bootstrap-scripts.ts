/**
 * Node's bootstrap scripts, which every process executes. They leave functions and accessors on its process object and its
 * global object, which find what they need with the running process (see `detachSource`).
 */
import { running } from '../process/current.ts'
import type { Internals } from './internals.ts'
import { compileDetached, type Variables } from './parting/parted-modules.ts'
import { newSlot } from './slots.ts'

export function isBootstrapScript(id: string): boolean {
  return id === 'internal/bootstrap/node' || id.startsWith('internal/bootstrap/switches/')
}

/** A script's function, as Node compiles it. */
export function compileBootstrapScript(internals: Internals, id: string): (...args: any[]) => void {
  const { fresh, run } = compileDetached(internals, id, ['process', 'require', 'internalBinding'])
  const slot = newSlot()
  const own = (): Variables => running!.slots[slot] as Variables
  let primordials: object | undefined
  return (process, require, internalBinding, primordialsOfScript: object) => {
    primordials ??= { __proto__: primordialsOfScript, ObjectDefineProperty: defineProperty }
    running!.slots[slot] = fresh()
    run(own, process, require, internalBinding, primordials)
  }
}

/** Entries of the global object whose accessors only keep a value: one accessor for all processes, which have the values. */
const KEPT = new Map(['process', 'Buffer'].map((name) => [name, keeper()] as const))

interface Keeper {
  readonly slot: number
  readonly accessor: PropertyDescriptor
}

function keeper(): Keeper {
  const slot = newSlot()
  const accessor = {
    get(): unknown {
      return running!.slots[slot]
    },
    set(value: unknown) {
      running!.slots[slot] = value
    },
  }
  return { slot, accessor }
}

function defineProperty(target: object, key: string, descriptor: PropertyDescriptor): object {
  const kept = target === running!.global && descriptor.get !== undefined ? KEPT.get(key) : undefined
  if (kept === undefined) return Object.defineProperty(target, key, descriptor)
  running!.slots[kept.slot] = descriptor.get!()
  const { enumerable, configurable } = descriptor
  return Object.defineProperty(target, key, { ...kept.accessor, enumerable, configurable })
}
