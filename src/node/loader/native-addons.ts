/**
 * Native addons (`.node` files) of packages that the user has listed. They run for real, in this thread, and may only
 * compute: a call that returns its result is as it is in Node; a callback or a promise comes as an event of the simulated
 * process (see process/native-work.ts).
 *
 * Many addons cannot be initialised twice, so each is loaded once per thread. Every process gets exports of its own, with
 * the same functions; the classes in them are shared.
 */
import { types } from 'node:util'
import { takeInternals } from '../library/internals.ts'
import { running } from '../process/current.ts'
import { nativeWork, type NativeCall } from '../process/native-work.ts'
import { packageOf } from './unsupported.ts'

type Native = (...args: any[]) => any

/** The real one, taken before a simulated process has its own in this place. */
const hostDlopen = process.dlopen.bind(process)
const { getPromiseDetails } = takeInternals().internalBinding('util')
/** `Promise::PromiseState::kPending` of V8. */
const PENDING = 0
const promiseThen = Promise.prototype.then

const loaded = new Map<string, unknown>()
const entrances = new WeakMap<object, Native>()
const enteredClasses = new WeakSet<object>()

export function loadAddon(filename: string): unknown {
  if (!loaded.has(filename)) {
    const module = { exports: {} }
    hostDlopen(module, filename)
    loaded.set(filename, module.exports)
  }
  return ownExports(loaded.get(filename), packageOf(filename))
}

/** An addon's exports for one process: what it changes on them, no other process sees. */
export function ownExports(exports: unknown, addon: string): unknown {
  if (typeof exports === 'function') return entrance(exports as Native, addon)
  if (typeof exports !== 'object' || exports === null || types.isProxy(exports)) return exports
  const own: Record<PropertyKey, unknown> = Object.create(Object.getPrototypeOf(exports) as object | null)
  for (const key of Reflect.ownKeys(exports)) {
    const descriptor = Object.getOwnPropertyDescriptor(exports, key)!
    const { value } = descriptor
    if (typeof value === 'function') descriptor.value = entrance(value, addon)
    else if (isPlain(value)) descriptor.value = ownExports(value, addon)
    Object.defineProperty(own, key, descriptor)
  }
  return own
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Stands for a function or a class of an addon. */
function entrance(native: Native, addon: string): Native {
  let made = entrances.get(native)
  if (made === undefined) {
    enterMethods(native.prototype, addon)
    made = new Proxy(native, {
      apply: (_, self, args) => call(native, addon, args, (given) => Reflect.apply(native, self, given)),
      construct: (_, args, newTarget) => Reflect.construct(native, args, newTarget) as object,
    })
    entrances.set(native, made)
    entrances.set(made, made)
  }
  return made
}

/** Instances are native objects, so the methods of their class are replaced. */
function enterMethods(prototype: unknown, addon: string): void {
  if (typeof prototype !== 'object' || prototype === null || enteredClasses.has(prototype)) return
  enteredClasses.add(prototype)
  for (const key of Reflect.ownKeys(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, key)!
    if (key === 'constructor' || typeof descriptor.value !== 'function') continue
    if (!descriptor.writable && !descriptor.configurable) continue
    Object.defineProperty(prototype, key, { ...descriptor, value: entrance(descriptor.value, addon) })
  }
}

function call(native: Native, addon: string, args: unknown[], enter: (args: unknown[]) => unknown): unknown {
  const process = running
  if (process === null || process.zombie !== null) return enter(args)
  const begun = nativeWork.begin(process, `${native.name || 'function'}() of ${addon}`)
  const given = args.map((arg) => (typeof arg === 'function' ? delegate(arg as Native, begun) : arg))
  const result = withDelegates(args, begun, () => enter(given))
  if (types.isPromise(result)) return promised(result, begun)
  if (given.some((arg) => typeof arg === 'function')) begun.await()
  return result
}

/** What an addon calls in place of a program's function. */
function delegate(callback: Native, begun: NativeCall): Native {
  begun.openScope()
  return new Proxy(callback, {
    apply(_, self, args) {
      let result: unknown
      begun.bring(() => {
        result = Reflect.apply(callback, self, args)
      })
      return result
    },
  })
}

/** Functions in options, such as listeners, are replaced as long as the call lasts, in which the addon takes them. */
function withDelegates<T>(args: readonly unknown[], begun: NativeCall, run: () => T): T {
  const replaced: { holder: Record<string, unknown>; key: string; callback: unknown }[] = []
  for (const holder of args.filter(isPlain)) {
    for (const [key, callback] of Object.entries(holder)) {
      if (typeof callback !== 'function' || Object.isFrozen(holder)) continue
      replaced.push({ holder, key, callback })
      holder[key] = delegate(callback as Native, nativeWork.begin(begun.process, begun.name))
    }
  }
  try {
    return run()
  } finally {
    for (const { holder, key, callback } of replaced) holder[key] = callback
  }
}

function promised(native: Promise<unknown>, begun: NativeCall): Promise<unknown> {
  const [state] = getPromiseDetails(native) as [number]
  if (state !== PENDING) return native
  const result = new Promise((resolve, reject) => {
    const settle = (how: (value: unknown) => void) => (value: unknown) => begun.bring(() => how(value))
    void Reflect.apply(promiseThen, native, [settle(resolve), settle(reject)])
  })
  begun.await()
  return result
}
