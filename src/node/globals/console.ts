/**
 * The `console` of a process is made when it is first asked for: Node has it in its snapshot, where it costs nothing, and
 * many processes never use theirs. Until then it is an accessor that all processes share; a program that looks at its
 * global object finds the plain property that Node has there.
 *
 * Node's script makes one console per thread, to which it binds the methods; the members of that one lead to the running
 * process's. So every process has a console of its own, with its own state, and the methods are made once.
 */
import { types } from 'node:util'
import { InternalError } from '../../kernel/errors.ts'
import { running } from '../process/current.ts'
import type { Library, ProcessModules } from '../library/builtins.ts'
import { ModuleSlot, newSlot } from '../library/slots.ts'

const { isMap } = types
const GLOBAL_CONSOLE = 'internal/console/global'
const CONSTRUCTOR = 'internal/console/constructor'

const moduleSlot = new ModuleSlot(GLOBAL_CONSOLE)

/** The prototype of all consoles of the thread: empty, as Node's is. */
export const consolePrototype: object = {}

/** Boots a process without a console: the bootstrap gets a stand-in. */
export function withoutConsole(modules: ProcessModules, boot: () => void): void {
  const { kBindStreamsLazy } = modules.require(CONSTRUCTOR)
  modules.withStandIn(GLOBAL_CONSOLE, { [kBindStreamsLazy]() {} }, boot)
}

interface Member {
  readonly key: string | symbol
  readonly descriptor: PropertyDescriptor
}

let members: readonly Member[] | undefined

/** A console as `internal/console/global` makes it, for the running process. */
export function newConsole(library: Library): object {
  members ??= sharedMembers(library)
  const console: Record<string | symbol, unknown> = { __proto__: consolePrototype }
  for (const { key, descriptor } of members) {
    if (descriptor.enumerable === true) console[key] = descriptor.value
    else
      Object.defineProperty(
        console,
        key,
        typeof descriptor.value === 'object' ? ownMap(descriptor) : descriptor,
      )
  }
  library.given('console', console)
  return console
}

/** The only state that is no primitive: counts and times. Node's maps are of a class of their own. */
function ownMap(descriptor: PropertyDescriptor): PropertyDescriptor {
  const { constructor } = descriptor.value as { constructor: MapConstructor }
  if (!isMap(descriptor.value)) throw new InternalError('a console has state that is no map')
  return { ...descriptor, value: new constructor() }
}

/** Those of the console to which Node's own script has bound the methods, and which leads to the running process's. */
function sharedMembers(library: Library): Member[] {
  const shared = library.another(GLOBAL_CONSOLE) as object
  const { Console, initializeGlobalConsole } = library.require(CONSTRUCTOR)
  initializeGlobalConsole(shared)
  return Reflect.ownKeys(shared).map((key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(shared, key)!
    if (key in STREAMS) Object.assign(descriptor, ofStream(key as keyof typeof STREAMS))
    else if (descriptor.enumerable !== true && Object.hasOwn(Console.prototype as object, key))
      descriptor.value = calledOnRunning(Console.prototype[key])
    // The name in stack traces is read from the object itself.
    if (key !== Symbol.toStringTag) Object.defineProperty(shared, key, leadToRunning(key, descriptor.value))
    return { key, descriptor }
  })
}

function leadToRunning(key: string | symbol, ofAll: unknown): PropertyDescriptor {
  return {
    get() {
      const console = moduleSlot.exports
      const value: unknown = console[key]
      // A function of the program's is called on the program's console.
      return typeof value === 'function' && value !== ofAll ? value.bind(console) : value
    },
    set(value: unknown) {
      moduleSlot.exports[key] = value
    },
  }
}

/** Methods that programs do not call: some of them define members of the console they are called on. */
function calledOnRunning(method: (...args: unknown[]) => unknown): unknown {
  const call = function (this: void, ...args: unknown[]): unknown {
    return Reflect.apply(method, moduleSlot.exports, args)
  }
  const bound = call.bind(undefined)
  Object.defineProperty(bound, 'name', { value: method.name })
  Object.defineProperty(bound, 'length', { value: method.length })
  return bound
}

const STREAMS = { _stdout: 'stdout', _stderr: 'stderr' } as const

/** A stream is made when the console is first used, unless the program has given it another. */
function ofStream(key: keyof typeof STREAMS): PropertyDescriptor {
  const slot = newSlot()
  return {
    get: () => (running!.slots[slot] ||= running!.object[STREAMS[key]]),
    set: (value: unknown) => (running!.slots[slot] = value),
  }
}

/** In place of the stand-in that the bootstrap has put on the global object. */
export const lazyConsole: PropertyDescriptor = {
  configurable: true,
  enumerable: false,
  get: () => makeConsole(running!.global),
  set: (value: unknown) => define(running!.global, value),
}

/** Makes the running process's console, unless it has one. */
export function settleConsole(global: object): void {
  if (Reflect.getOwnPropertyDescriptor(global, 'console')?.get === lazyConsole.get) makeConsole(global)
}

function makeConsole(global: object): unknown {
  const console: unknown = running!.modules.require(GLOBAL_CONSOLE)
  define(global, console)
  return console
}

function define(global: object, value: unknown): void {
  Object.defineProperty(global, 'console', { value, configurable: true, enumerable: false, writable: true })
}
