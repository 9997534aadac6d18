/**
 * `process.env` of a simulated process: an object whose values are strings (`RealEnvStore` and its interceptors in
 * src/node_env_var.cc). The engine looks at `TZ`, and at the
 * variables of the locale when a process starts: see isolation/region.ts.
 */
import type { RunningProcess } from './running-process.ts'
import { region } from '../isolation/region.ts'

const NOT_A_STRING =
  'Assigning any value other than a string, number, or boolean to a process.env property is deprecated. ' +
  'Please make sure to convert the value to a string before setting process.env with it.'

const ONLY_DATA = "'process.env' only accepts a configurable, writable, and enumerable data descriptor"
const NO_ACCESSORS = "'process.env' does not accept an accessor(getter/setter) descriptor"

export function environmentVariables(
  owner: RunningProcess,
  initial: Readonly<Record<string, string>>,
): Record<string, string> {
  let warned = false
  const assign = (target: Record<string, string>, key: string | symbol, value: unknown): true => {
    if (typeof key === 'symbol' || typeof value === 'symbol')
      throw new TypeError('Cannot convert a Symbol value to a string')
    if (!warned && !['string', 'number', 'boolean'].includes(typeof value) && deprecates(owner)) {
      warned = true
      owner.object.emitWarning(NOT_A_STRING, 'DeprecationWarning', 'DEP0104')
    }
    const text = String(value)
    if (key === '') return true // the operating system has no variable without a name
    target[key] = text
    if (key === 'TZ') region.setZone(owner, target[key])
    return true
  }
  if (initial.TZ !== undefined) region.setZone(owner, initial.TZ)
  region.setLocale(owner, initial)
  const variables = new Proxy<Record<string, string>>(
    { ...initial },
    {
      set: assign,
      deleteProperty(target, key) {
        if (key === 'TZ') region.setZone(owner, undefined)
        return Reflect.deleteProperty(target, key)
      },
      defineProperty(target, key, descriptor) {
        const { value, configurable, writable, enumerable } = descriptor
        if ('value' in descriptor && configurable && writable && enumerable) return assign(target, key, value)
        throw refusal(descriptor.get || descriptor.set ? NO_ACCESSORS : ONLY_DATA)
      },
    },
  )
  proxies.add(variables)
  return variables
}

const proxies = new WeakSet()

/** The object that V8 is to clone in place of a value: it clones Node's `process.env`, but no proxy. */
export function cloneable(value: unknown): unknown {
  return typeof value === 'object' && value !== null && proxies.has(value) ? { ...value } : value
}

/** A `structuredClone` that knows it; nothing where this Node has none in that place. */
export function cloningEnvironments(native?: (...args: unknown[]) => unknown): unknown {
  if (native === undefined) return undefined
  const { structuredClone } = {
    structuredClone(...args: unknown[]): unknown {
      if (args.length > 0) args[0] = cloneable(args[0])
      return native(...args)
    },
  }
  return Object.defineProperty(structuredClone, 'length', { value: native.length, configurable: true })
}

function deprecates(owner: RunningProcess): boolean {
  return owner.modules.require('internal/options').getOptionValue('--pending-deprecation') as boolean
}

function refusal(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'ERR_INVALID_OBJECT_DEFINE_PROPERTY' })
}
