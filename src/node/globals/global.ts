/**
 * The `globalThis` of a simulated process: the language's own entries, with the nondeterministic ones replaced, and
 * Node's, which Node's own bootstrap scripts put there. One realm serves all processes, so the language's classes are
 * the same objects everywhere.
 */
import vm from 'node:vm'
import { hostGlobals } from '../host-globals.ts'
import { VirtualAtomics } from './atomics.ts'
import { SilentFinalizationRegistry, StrongRef } from './collector.ts'
import { VirtualDate } from './date.ts'
import { VirtualIntl, VirtualTemporal } from './intl.ts'
import { VirtualMath } from './math.ts'
import { VirtualWebAssembly } from './web-assembly.ts'

const replaced: Record<string, unknown> = {
  Date: VirtualDate,
  Math: VirtualMath,
  WeakRef: StrongRef,
  FinalizationRegistry: SilentFinalizationRegistry,
  WebAssembly: VirtualWebAssembly,
  Atomics: VirtualAtomics,
  Intl: VirtualIntl,
  ...(VirtualTemporal === undefined ? {} : { Temporal: VirtualTemporal }),
}

/** What V8 puts into every context, or with a flag, and is not the same for every process. */
const NOT_LANGUAGE: ReadonlySet<string> = new Set(['globalThis', 'console', 'gc'])

const globalPrototype = Object.getPrototypeOf(globalThis) as object

let template: PropertyDescriptorMap | undefined

/** The descriptors of the language's own globals. */
function languageGlobals(): PropertyDescriptorMap {
  const descriptors: PropertyDescriptorMap = {}
  for (const name of vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)
    if (descriptor === undefined || NOT_LANGUAGE.has(name)) continue
    if (name in replaced) descriptor.value = replaced[name]
    descriptors[name] = descriptor
  }
  for (const name of Object.keys(replaced)) hostGlobals.add(name)
  return descriptors
}

export function createGlobal(): Record<string | symbol, any> {
  template ??= languageGlobals()
  const global = Object.create(globalPrototype, template) as Record<string | symbol, any>
  Object.defineProperty(global, 'globalThis', { value: global, writable: true, configurable: true })
  return global
}

const dispatched = new Set<string>()

/**
 * Makes the names that a booted process has on its global object reach it from code outside the module wrapper. Processes
 * of one kind have the same names.
 */
export function dispatchGlobals(global: Record<string | symbol, any>, kind: string): void {
  if (dispatched.has(kind)) return
  dispatched.add(kind)
  for (const name of Object.getOwnPropertyNames(global)) if (!(name in template!)) hostGlobals.add(name)
}
