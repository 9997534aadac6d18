/**
 * Host modules of which our instances need a slightly different view: one function leads to the current process, or
 * one registration with the environment must not happen again. The rest is the host's own.
 */
import { checkedLeave, guardedCreateHook } from '../isolation/async-hooks.ts'
import { running } from '../process/current.ts'
import { initializeDebugEnv, ownDebugLog, sharedDebugLog } from './debug-log.ts'
import { cloningEnvironments } from '../process/environment-variables.ts'
import { fileBlobs } from '../bindings/fs/file-blobs.ts'
import { lazyProperties } from './lazy-properties.ts'
import { TickQueue } from '../process/tick-queue.ts'
import type { Internals } from './internals.ts'
import type { RunningProcess } from '../process/running-process.ts'
import {
  deprecate,
  deprecateInstantiation,
  deprecationEmitter,
  emitExperimentalWarning,
  isDeprecated,
  isPendingDeprecation,
} from './single-warnings.ts'

type Override = (host: any, internals: Internals) => unknown

/** A member of a module that the current process has of its own, where this version of Node has it. */
function ownMember(exports: object, name: string, get: () => unknown): void {
  if (name in exports) Object.defineProperty(exports, name, { get, configurable: true, enumerable: true })
}

const nothing = (): void => {}

/** Instances of modules of the host that a process has of its own, for members that warn once. */
const instances = new WeakMap<RunningProcess, Map<string, any>>()

function instanceOfRunning(id: string): any {
  const process = running!
  let own = instances.get(process)
  if (own === undefined) instances.set(process, (own = new Map()))
  if (!own.has(id)) own.set(id, process.modules.own(id))
  return own.get(id)
}

function ownMembers(exports: object, id: string, names: readonly string[]): void {
  for (const name of names) ownMember(exports, name, () => instanceOfRunning(id)[name])
}

/** A copy of a module's exports with some of them replaced. */
function but(exports: object, replaced: Record<string, unknown>): object {
  const copy = Object.create(
    Object.getPrototypeOf(exports) as object,
    Object.getOwnPropertyDescriptors(exports),
  ) as object
  for (const [key, value] of Object.entries(replaced)) {
    Object.defineProperty(copy, key, { value, writable: true, configurable: true, enumerable: true })
  }
  return copy
}

/** Each warns once in each process. */
const warnings = {
  deprecate,
  deprecateInstantiation,
  emitExperimentalWarning,
  getDeprecationWarningEmitter: deprecationEmitter,
  isPendingDeprecation,
}

const OVERRIDES: Record<string, Override> = {
  async_hooks: (host, internals) => but(host, { createHook: guardedCreateHook(host.createHook, internals) }),
  'internal/async_hooks': (host, internals) =>
    but(host, { emitAfter: checkedLeave(host.emitAfter, internals) }),
  'internal/fixed_queue': () => TickQueue,
  'internal/util': (host) => but(host, { ...lazyProperties, guessHandleType, ...warnings }),
  // Its files are the thread's, which know virtual time.
  buffer: (host) => {
    const view = but(host, {})
    ownMember(view, 'File', () => running!.modules.require('internal/file').File)
    return view
  },
  'internal/blob': (host, internals) => but(host, { createBlobFromFilePath: fileBlobs(host, internals) }),
  'internal/url': (host) => but(host, { installObjectURLMethods: nothing }),
  'internal/util/debuglog': (host) => but(host, { debuglog: sharedDebugLog, initializeDebugEnv }),
  util: (host) => {
    const view = but(host, {
      deprecate,
      debuglog: ownDebugLog,
      debug: ownDebugLog,
      ...dispatched('internal/abort_controller', [
        'aborted',
        'transferableAbortController',
        'transferableAbortSignal',
      ]),
    })
    // What Node's later versions have, and what they have no longer: it prints the time.
    for (const name of ['debounce', 'throttle'])
      ownMember(view, name, () => running!.modules.require(`internal/util/${name}`))
    ownMembers(view, 'util', ['log', ...Object.keys(host).filter((name) => isDeprecated(host[name]))])
    return view
  },
  url: (host) => {
    const view = but(host, {})
    ownMembers(view, 'url', ['Url', 'parse', 'resolve', 'resolveObject', 'format'])
    return view
  },
  'internal/util/inspector': (host) => but(host, { wrapConsole: nothing, installConsoleExtensions: nothing }),
  'internal/inspector_async_hook': () => ({ enable: nothing, disable: nothing }),
  'internal/worker/js_transferable': (host) =>
    but(host, { setup: nothing, structuredClone: cloningEnvironments(host.structuredClone) }),
  'internal/v8/startup_snapshot': (host) =>
    but(host, { runDeserializeCallbacks: nothing, addAfterUserSerializeDeserializeSnapshot: nothing }),
  'internal/source_map/source_map_cache': (host, internals) =>
    but(host, {
      setSourceMapsEnabled: (enabled: unknown) =>
        internals.require('internal/validators').validateBoolean(enabled, 'val'),
      setSourceMapsSupport(enabled: unknown, options: any = {}) {
        const { validateBoolean, validateObject } = internals.require('internal/validators')
        validateBoolean(enabled, 'enabled')
        validateObject(options, 'options')
        const { nodeModules = false, generatedCode = false } = options
        validateBoolean(nodeModules, 'options.nodeModules')
        validateBoolean(generatedCode, 'options.generatedCode')
      },
      getSourceMapsEnabled: () => false,
      getSourceMapsSupport: () => ({
        __proto__: null,
        enabled: false,
        nodeModules: false,
        generatedCode: false,
      }),
      maybeCacheGeneratedSourceMap: nothing,
    }),
  'internal/bootstrap/realm': (host) =>
    but(host, {
      internalBinding: (name: string) => running!.binding(name),
      require: (id: string) => running!.modules.require(id),
    }),
}

const guessHandleType = (fd: number): string => running!.guessHandleType(fd)

/** Functions of a module that a host module has passed on: they are the current process's. */
function dispatched(id: string, names: readonly string[]): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const name of names) {
    const { [name]: fn } = {
      [name]: (...args: unknown[]): unknown => running!.modules.require(id)[name](...args),
    }
    members[name] = fn
  }
  return members
}

/** The view of a host module that our instances get. */
export function viewOf(internals: Internals, id: string): unknown {
  const host: unknown = internals.require(id)
  const override = OVERRIDES[id]
  return override === undefined ? host : override(host, internals)
}
