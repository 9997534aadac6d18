/**
 * The web interfaces, which Node's own scripts put on the global object. The scripts run once per thread, on an object
 * that stands for the global objects of all processes: while they run it collects what they define; what their functions
 * do with it later is done with the running process's.
 */
import type { Library } from '../library/builtins.ts'
import { running } from '../process/current.ts'
import { lazyConsole } from './console.ts'

const SCRIPTS = [
  'internal/bootstrap/web/exposed-wildcard',
  'internal/bootstrap/web/exposed-window-or-worker',
] as const

const collected: object = {}
let collecting = false

const target = (): object => (collecting ? collected : running!.global)

/** The object that the scripts take for the global one. */
export const everyGlobal: object = new Proxy(
  {},
  {
    get: (_, key) => (target() as Record<string | symbol, unknown>)[key],
    set: (_, key, value) => Reflect.set(target(), key, value),
    has: (_, key) => Reflect.has(target(), key),
    defineProperty: (_, key, descriptor) => Reflect.defineProperty(target(), key, descriptor),
    deleteProperty: (_, key) => Reflect.deleteProperty(target(), key),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(target(), key),
    ownKeys: () => Reflect.ownKeys(target()),
  },
)

let interfaces: PropertyDescriptorMap | undefined

/** The part of them that every process has. */
export function webInterfaces(library: Library): PropertyDescriptorMap {
  if (interfaces === undefined) {
    collecting = true
    try {
      for (const id of SCRIPTS) library.bootstrap(id, everyGlobal)
    } finally {
      collecting = false
    }
    interfaces = { ...Object.getOwnPropertyDescriptors(collected), console: lazyConsole }
  }
  return interfaces
}
