/**
 * The `globalThis` of a simulated process: the language's own entries, with the nondeterministic ones replaced, and
 * Node's, which Node's own bootstrap scripts put there. One realm serves all processes, so the language's classes are
 * the same objects everywhere.
 *
 * Most entries are the same in all processes of a kind, and hardly a program looks at more than a few by name. So only
 * the first process of a kind gets them all; the others inherit them from an object that they share, until the program
 * looks at the global object as a whole or changes an inherited entry. Then it is *settled*: it has entries of its own,
 * in Node's order, as the first one has.
 */
import { inspect } from 'node:util'
import vm from 'node:vm'
import { hostGlobals } from '../isolation/host-globals.ts'
import { VirtualAtomics } from './atomics.ts'
import { SilentFinalizationRegistry, StrongRef } from './collector.ts'
import { VirtualDate } from './date.ts'
import { VirtualIntl, VirtualTemporal } from './intl.ts'
import { VirtualMath } from './math.ts'
import { VirtualWebAssembly } from './web-assembly.ts'

type Global = Record<string | symbol, any>

/** Globals of the language that differ from the engine's. */
export const replacedGlobals: Readonly<Record<string, unknown>> = {
  Date: VirtualDate,
  Math: VirtualMath,
  WeakRef: StrongRef,
  FinalizationRegistry: SilentFinalizationRegistry,
  WebAssembly: VirtualWebAssembly,
  Atomics: VirtualAtomics,
  Intl: VirtualIntl,
  ...(VirtualTemporal === undefined ? {} : { Temporal: VirtualTemporal }),
}

/** Entries that V8 puts into every context, or with a flag, and that differ between processes. */
const NOT_LANGUAGE: ReadonlySet<string> = new Set(['globalThis', 'console', 'gc'])

const globalPrototype = Object.getPrototypeOf(globalThis) as object

let language: PropertyDescriptorMap | undefined

/** The descriptors of the language's own globals. */
function languageGlobals(): PropertyDescriptorMap {
  const descriptors: PropertyDescriptorMap = {}
  for (const name of vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)
    if (descriptor === undefined || NOT_LANGUAGE.has(name)) continue
    if (name in replacedGlobals) descriptor.value = replacedGlobals[name]
    descriptors[name] = descriptor
  }
  for (const name of Object.keys(replacedGlobals)) hostGlobals.add(name)
  return descriptors
}

/** Processes whose global objects have the same names, in the same order. */
interface Kind {
  readonly order: readonly (string | symbol)[]
  readonly shared: PropertyDescriptorMap
  readonly prototype: object
}

const kinds = new Map<string, Kind>()
const kindsByPrototype = new Map<object, Kind>()

/** The global object of a new process, with the language's entries. */
export function createGlobal(kind: string): Global {
  language ??= languageGlobals()
  const known = kinds.get(kind)
  const global: Global = known ? Object.create(known.prototype) : Object.create(globalPrototype, language)
  Object.defineProperty(global, 'globalThis', { value: global, writable: true, configurable: true })
  return global
}

/** Whether a process of this kind has booted, and others inherit what it has. */
export function isKnown(kind: string): boolean {
  return kinds.has(kind)
}

/**
 * A process has booted. If it is the first of its kind, others will inherit what it has of the language's entries and of
 * those that all processes are given, and the names of its entries reach the running process from code outside the
 * module wrapper.
 */
export function completeGlobal(global: Global, kind: string, given: PropertyDescriptorMap): void {
  if (kinds.has(kind)) {
    delete global[Symbol.toStringTag] // so that reading it settles
    return
  }
  const order = Reflect.ownKeys(global)
  const all = { ...given, ...language }
  const shared: PropertyDescriptorMap = {}
  for (const key of order) {
    if (typeof key === 'symbol') continue
    if (Object.hasOwn(all, key)) shared[key] = all[key]
    if (!Object.hasOwn(language!, key)) hostGlobals.add(key)
  }
  const prototype = inheritance(shared)
  const tag = Object.getOwnPropertyDescriptor(global, Symbol.toStringTag)!
  const known: Kind = { order, shared: { ...shared, [Symbol.toStringTag]: tag }, prototype }
  kinds.set(kind, known)
  kindsByPrototype.set(prototype, known)
}

/** An object that gives entries to global objects that have none of their own. */
function inheritance(shared: PropertyDescriptorMap): object {
  const prototype = Object.create(globalPrototype) as object
  for (const [name, descriptor] of Object.entries(shared)) {
    const { value, writable } = descriptor
    const assign = function (this: Global, changed: unknown): void {
      settleGlobal(this)
      this[name] = changed
    }
    const plain = { get: () => value as unknown, set: writable ? assign : undefined, configurable: true }
    Object.defineProperty(prototype, name, 'value' in descriptor ? plain : descriptor)
  }
  // `util.inspect` looks through proxies: these are what it reads first.
  const settling = (key: symbol): PropertyDescriptor => ({
    get(this: Global) {
      settleGlobal(this)
      return this[key] as unknown
    },
    configurable: true,
  })
  Object.defineProperty(prototype, inspect.custom, settling(inspect.custom))
  Object.defineProperty(prototype, Symbol.toStringTag, settling(Symbol.toStringTag))
  return prototype
}

/** Gives a global object what it has inherited so far. */
export function settleGlobal(global: Global): void {
  const kind = kindsByPrototype.get(Object.getPrototypeOf(global) as object)
  if (kind === undefined) return
  const { order, shared } = kind
  const own = Object.getOwnPropertyDescriptors(global)
  for (const key of Reflect.ownKeys(own)) Reflect.deleteProperty(global, key)
  Object.setPrototypeOf(global, globalPrototype)
  for (const key of new Set([...order, ...Reflect.ownKeys(own)]) as Set<string>) {
    const descriptor = own[key] ?? shared[key]
    if (descriptor !== undefined) Object.defineProperty(global, key, descriptor)
  }
}
