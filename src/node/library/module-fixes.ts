/**
 * Changes to modules of the library after they were evaluated. Shared instances hold a little state that belongs to a
 * process: it is turned into accessors that dispatch to the current one.
 */
import { running } from '../process/current.ts'
import { takeInternals } from './internals.ts'
import { registers } from './registers.ts'
import type { RunningProcess } from '../process/running-process.ts'

type Fix = (exports: any) => void

/** Makes a property of shared exports one per process, made on first use. */
function perProcess(exports: any, name: string, make: () => unknown): void {
  const values = new WeakMap<RunningProcess, unknown>()
  Object.defineProperty(exports, name, {
    configurable: true,
    enumerable: true,
    get() {
      const process = running!
      if (!values.has(process)) values.set(process, make())
      return values.get(process)
    },
    set(value) {
      values.set(running!, value)
    },
  })
}

/** Makes a pair of functions that read and set a variable of a shared module keep one value per process. */
function register(exports: any, getter: string, setter: string): void {
  const set = exports[setter]
  if (typeof set !== 'function') return
  const get = exports[getter] as () => unknown
  registers.add({ get, set, initial: get() })
  exports[setter] = {
    [setter](value: unknown): void {
      registers.dirty = true
      set(value)
    },
  }[setter]
}

/** Shared streams make signals of the host's class, which is the same to a program. */
function alsoInstances(ofProcess: any, ofHost: any): void {
  Object.defineProperty(ofProcess, Symbol.hasInstance, {
    configurable: true,
    value(this: unknown, value: unknown): boolean {
      const ordinary = Function.prototype[Symbol.hasInstance]
      return ordinary.call(this, value) || (this === ofProcess && ordinary.call(ofHost, value))
    },
  })
}

const FIXES: Record<string, Fix> = {
  'internal/abort_controller': ({ AbortSignal }) =>
    alsoInstances(AbortSignal, takeInternals().require('internal/abort_controller').AbortSignal),
  net: (exports) => {
    register(exports, 'getDefaultAutoSelectFamily', 'setDefaultAutoSelectFamily')
    register(exports, 'getDefaultAutoSelectFamilyAttemptTimeout', 'setDefaultAutoSelectFamilyAttemptTimeout')
  },
  _http_agent: (exports) =>
    perProcess(
      exports,
      'globalAgent',
      () => new exports.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }),
    ),
  https: (exports) =>
    perProcess(
      exports,
      'globalAgent',
      () => new exports.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }),
    ),
}

export function fixModule(id: string, exports: any): void {
  FIXES[id]?.(exports)
}
