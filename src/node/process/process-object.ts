/**
 * The `process` object as C++ hands it to Node's bootstrap: an empty emitter with the facts of the binary on it. The
 * bootstrap scripts and `process_methods.patchProcessObject` do the rest.
 */
import { UnsupportedError } from '../bindings/binding.ts'
import { running } from './current.ts'
import { environmentVariables } from './environment-variables.ts'
import { takeInternals } from '../library/internals.ts'
import type { RunningProcess } from './running-process.ts'

// Taken when this module loads: during a burst, `process` is a simulated one.
const FACTS = (['version', 'versions', 'arch', 'platform', 'release'] as const).map(
  (fact) => [fact, Object.getOwnPropertyDescriptor(process, fact)!] as const,
)

const { exit_info_private_symbol: exitInfo } = takeInternals().internalBinding('util').privateSymbols

/** Shared by the processes of the thread, as their emitters' prototype is: their objects then have one shape. */
export const { prototype: processPrototype } = { process: function () {} }.process

export function nakedProcess(owner: RunningProcess): Record<string | symbol, any> {
  const object = Object.create(processPrototype as object) as Record<string | symbol, any>
  for (const [fact, descriptor] of FACTS) Object.defineProperty(object, fact, descriptor)
  object[exitInfo] = new Int32Array(3)
  object._rawDebug = NATIVES._rawDebug
  object.moduleLoadList = []
  object.binding = NATIVES.binding
  object._linkedBinding = NATIVES._linkedBinding
  object.env = owner.placement.thread?.sharedEnv ?? environmentVariables(owner, owner.placement.env)
  return object
}

const natives = takeInternals().internalBinding('builtins').natives as Readonly<Record<string, string>>

/** A list of names in Node's own text of `process.binding`; they differ between versions. */
function namesIn(list: string): Set<string> {
  const [, text = ''] =
    new RegExp(`${list} = new SafeSet\\(\\[([^\\]]*)\\]`).exec(natives['internal/bootstrap/realm']) ?? []
  return new Set(Array.from(text.matchAll(/'(\w+)'/g), ([, name]) => name))
}

/** The bindings that `process.binding` still gives out: silently, with a warning, and as a copy. */
const PUBLIC_BINDINGS = namesIn('processBindingAllowList')
const DEPRECATED_BINDINGS = namesIn('runtimeDeprecatedList')
const WRAPPED_BINDINGS = namesIn('legacyWrapperList')

/** Functions of the running process, the same for all. */
const NATIVES = {
  _rawDebug(...args: unknown[]): void {
    running!.binding('process_methods')._rawDebug(args.join(' '))
  },
  binding(module: unknown): unknown {
    const name = String(module)
    const process = running!
    if (DEPRECATED_BINDINGS.has(name)) {
      const text = `Access to process.binding('${name}') is deprecated.`
      process.object.emitWarning(text, 'DeprecationWarning', 'DEP0111')
      return process.binding(name)
    }
    if (name === 'natives') return natives
    if (WRAPPED_BINDINGS.has(name))
      return process.modules.require('internal/legacy/processbinding')[name]() as unknown
    if (PUBLIC_BINDINGS.has(name)) return process.binding(name)
    throw new Error(`No such module: ${name}`)
  },
  _linkedBinding(name: string): never {
    throw new UnsupportedError(
      `process._linkedBinding('${name}'): native bindings are not available in the tank`,
    )
  },
}
