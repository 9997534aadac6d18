/**
 * The `process` object as C++ hands it to Node's bootstrap: an empty emitter with the facts of the binary on it. The
 * bootstrap scripts and `process_methods.patchProcessObject` do the rest.
 */
import { UnsupportedError } from './bindings/binding.ts'
import { takeInternals } from './internals.ts'
import type { NodeProcess } from './process.ts'

// The name is taken here: during a burst, the global `process` is a simulated one.
const host = process as unknown as Record<string, any>

const FACTS = ['version', 'versions', 'arch', 'platform', 'release'] as const

export function nakedProcess(owner: NodeProcess): Record<string | symbol, any> {
  const { internalBinding } = takeInternals()
  const { exit_info_private_symbol: exitInfo } = internalBinding('util').privateSymbols
  const { constructor } = Object.getPrototypeOf(host) as object
  const prototype = Object.create(Object.prototype, {
    constructor: { value: constructor, writable: true, configurable: true },
  }) as object
  const object = Object.create(prototype) as Record<string | symbol, any>
  for (const fact of FACTS) Object.defineProperty(object, fact, Object.getOwnPropertyDescriptor(host, fact)!)
  object[exitInfo] = new Int32Array(3)
  object._rawDebug = (...args: unknown[]) => owner.binding('process_methods')._rawDebug(args.join(' '))
  object.moduleLoadList = []
  object.binding = (name: string) => owner.binding(name)
  object._linkedBinding = (name: string) => {
    throw new UnsupportedError(
      `process._linkedBinding('${name}'): native bindings are not available in the tank`,
    )
  }
  object.env = owner.site.thread?.sharedEnv ?? environment(owner.site.env)
  return object
}

/** `process.env`: an object whose values are strings. */
function environment(initial: Readonly<Record<string, string>>): Record<string, string> {
  return new Proxy<Record<string, string>>(
    { ...initial },
    {
      set(target, key, value) {
        if (typeof key === 'symbol' || typeof value === 'symbol')
          throw new TypeError('Cannot convert a Symbol value to a string')
        target[key] = String(value)
        return true
      },
      defineProperty(target, key, descriptor) {
        if ('value' in descriptor) {
          if (!descriptor.configurable || !descriptor.writable || !descriptor.enumerable) {
            const { ERR_INVALID_OBJECT_DEFINE_PROPERTY } = takeInternals().require('internal/errors').codes
            throw new ERR_INVALID_OBJECT_DEFINE_PROPERTY(
              "'process.env' only accepts a configurable, writable, and enumerable data descriptor",
            )
          }
          target[key as string] = String(descriptor.value)
          return true
        }
        const { ERR_INVALID_OBJECT_DEFINE_PROPERTY } = takeInternals().require('internal/errors').codes
        throw new ERR_INVALID_OBJECT_DEFINE_PROPERTY(
          descriptor.get || descriptor.set
            ? "'process.env' does not accept an accessor(getter/setter) descriptor"
            : "'process.env' only accepts a configurable, writable, and enumerable data descriptor",
        )
      },
    },
  )
}
