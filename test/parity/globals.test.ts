/** The global object: the first process of a thread has its entries from the start, later ones when they look at it. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe.each(['the first process', 'a later process'])('the global object of %s', () => {
  same('has its entries, in order', (log) => {
    log(Object.keys(globalThis))
    log(Reflect.ownKeys(globalThis).slice(-3), Object.prototype.toString.call(globalThis))
    const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, 'Date')!
    log(writable, enumerable, configurable, Object.hasOwn(globalThis, 'URL'))
    const prototype = Object.getPrototypeOf(globalThis)
    log(Reflect.ownKeys(prototype), Object.getPrototypeOf(prototype) === Object.prototype)
  })
})

describe('the global object', () => {
  same('is printed with its entries', (log, require) => {
    const { inspect } = require('node:util')
    log(inspect(globalThis, { breakLength: 1, depth: 0 }).match(/^ +\w+(?=:)/gm))
  })

  same('is printed with its entries when it has no say', (log, require) => {
    const { inspect } = require('node:util')
    log(inspect(globalThis, { breakLength: 1, depth: 0, customInspect: false }).match(/^ +\w+(?=:)/gm))
  })

  same('is enumerated', (log) => {
    const names = []
    for (const name in globalThis) names.push(name)
    log(names, JSON.stringify(Object.entries(globalThis).map(([name, value]) => [name, typeof value])))
  })

  same('keeps the nature of an entry that is replaced', (log) => {
    const global = globalThis as any
    const flags = (name: string): unknown[] => {
      const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(global, name) as any
      return [name in global, writable, enumerable, configurable, typeof global[name]]
    }
    global.URL = class {}
    global.fetch = 5
    global.TextEncoder = 6
    Object.defineProperty(global, 'Map', { value: 8 })
    global.mine = 9
    log(['URL', 'fetch', 'TextEncoder', 'Map', 'mine'].map(flags))
    // oxlint-disable-next-line no-implied-eval
    new Function('setInterval = 10; WeakRef = 11')()
    log(flags('setInterval'), flags('WeakRef'))
    log(Reflect.set(global, 'NaN', 1), Object.keys(global).slice(-1))
  })

  same('has a process and a Buffer that can be replaced', (log, require) => {
    const global = globalThis as any
    for (const name of ['process', 'Buffer']) {
      const { get, set, enumerable, configurable } = Object.getOwnPropertyDescriptor(global, name)!
      const real = global[name]
      log(get!.name, set!.name, get!.length, set!.length, enumerable, configurable)
      log(require(name.toLowerCase())[name] ?? typeof require(name.toLowerCase()).pid)
      global[name] = 5
      const replaced = [global[name], Object.getOwnPropertyDescriptor(global, name)!.get === get]
      global[name] = real
      log(replaced, global[name] === real)
    }
  })

  same('loses what is deleted', (log) => {
    const global = globalThis as any
    log(
      delete global.fetch,
      delete global.TextDecoderStream,
      delete global.nothing,
      Reflect.deleteProperty(global, 'NaN'),
    )
    log(
      'fetch' in global,
      typeof TextDecoderStream,
      Object.keys(global).includes('fetch'),
      typeof TextEncoderStream,
    )
  })

  same('can be closed', (log) => {
    Object.preventExtensions(globalThis)
    log(Object.isExtensible(globalThis), Reflect.set(globalThis, 'mine', 1), typeof setTimeout, typeof Map)
  })

  same('has an interface that is found when it is first read', (log) => {
    const kind = (): string => typeof Object.getOwnPropertyDescriptor(globalThis, 'DOMException')!.get
    const global = globalThis as any
    const before = kind()
    log(new DOMException('m', 'AbortError').code, before, kind())
    global.DOMException = 5
    log(global.DOMException, kind())
  })

  same('checks for whom it has an attribute', (log) => {
    const { get } = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!
    log(get!.call(undefined) === crypto, globalThis.crypto === crypto)
    try {
      get!.call({})
    } catch (error: any) {
      log(error.code, error.message)
    }
  })
})
