/**
 * The global object as a program holds it (`globalThis`, `global`). Programs replace globals (`globalThis.fetch = mock`)
 * and add their own, and then use the bare name: files compiled with the old value must see the new one, and names the
 * tank has not bound must be found. So this object reports every change; the entries are the process's own.
 */
import { settleConsole } from '../globals/console.ts'
import { settleGlobal } from '../globals/global.ts'

/** An entry has a new value, or is gone (undefined). */
export type GlobalChanged = (name: string, value: unknown) => void

export function observeGlobal(global: Record<string | symbol, any>, changed: GlobalChanged): object {
  const tell = (key: string | symbol): void => {
    if (typeof key === 'string') changed(key, global[key])
  }
  return new Proxy(global, {
    // Accessors such as `crypto` check that they are called on the global object itself.
    get: (_, key) => global[key],
    ownKeys() {
      settleGlobal(global)
      return Reflect.ownKeys(global)
    },
    getPrototypeOf() {
      settleGlobal(global)
      return Reflect.getPrototypeOf(global)
    },
    setPrototypeOf(_, prototype) {
      settleGlobal(global)
      return Reflect.setPrototypeOf(global, prototype)
    },
    preventExtensions() {
      settleGlobal(global)
      return Reflect.preventExtensions(global)
    },
    getOwnPropertyDescriptor(_, key) {
      settleGlobal(global)
      if (key === 'console') settleConsole(global)
      return Reflect.getOwnPropertyDescriptor(global, key)
    },
    set(_, key, value) {
      const done = Reflect.set(global, key, value)
      if (done) tell(key)
      return done
    },
    defineProperty(_, key, descriptor) {
      settleGlobal(global)
      const done = Reflect.defineProperty(global, key, descriptor)
      if (done) tell(key)
      return done
    },
    deleteProperty(_, key) {
      settleGlobal(global)
      const done = Reflect.deleteProperty(global, key)
      if (done) tell(key)
      return done
    },
  })
}
