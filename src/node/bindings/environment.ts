/**
 * Bindings that a Node environment registers itself with: once per thread, by the host. For simulated processes their
 * setters do nothing, and what they would report comes from the process.
 */
import { current, running } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import type { SharedThread } from '../process/running-process.ts'
import { closed, refusing } from './binding.ts'

const nothing = (): void => {}

/** A copy of a real binding whose members are pure, with some replaced. */
function copied(name: string, replaced: Binding): Binding {
  return { ...takeInternals().internalBinding(name), ...replaced }
}

export const errors = (): Binding =>
  copied('errors', {
    setPrepareStackTraceCallback: nothing,
    setGetSourceMapErrorSource: nothing,
    setSourceMapsEnabled: nothing,
    setMaybeCacheGeneratedSourceMap: nothing,
    setEnhanceStackForFatalException: nothing,
    triggerUncaughtException(error: unknown, fromPromise: boolean) {
      current().uncaught(error, fromPromise)
    },
  })

export const asyncWrap = (): Binding =>
  copied('async_wrap', { setupHooks: nothing, setCallbackTrampoline: nothing })

/**
 * The build's configuration is large and bootstrap parses it: it gets the part it looks at, and the process object shares
 * the host's parsed one afterwards.
 */
export const builtins = (): Binding => {
  const script: string = takeInternals().internalBinding('builtins').natives['internal/bootstrap/node']
  const variables = hostVariables.filter(([name]) => script.includes(`.${name}`))
  return copied('builtins', { config: JSON.stringify({ variables: Object.fromEntries(variables) }) })
}

// Taken when this module loads: during a burst, `process` is a simulated one.
const hostVariables = Object.entries(process.config.variables)

let pureBuffer: Binding | undefined

/** Bootstrap deletes the setter that it has used, so every process gets it anew. */
export const buffer = (): Binding => {
  pureBuffer ??= copied('buffer', {})
  return Object.create(pureBuffer, { setBufferPrototype: { value: nothing, configurable: true } }) as Binding
}

export const diagnosticsChannel = (): Binding =>
  closed('diagnostics_channel', { linkNativeChannel: nothing, subscribers: new Uint32Array(64) })

export const util = (thread: SharedThread): Binding => {
  const real = thread.internals.internalBinding('util')
  const kinds = ['TCP', 'TTY', 'UDP', 'FILE', 'PIPE', 'UNKNOWN', 'INVALID']
  return copied('util', {
    guessHandleType: (fd: number) => {
      const kind = running!.guessHandleType(fd)
      return typeof real.guessHandleType(0) === 'number' ? kinds.indexOf(kind) : kind
    },
    sleep: refusing('util', 'sleep'),
    shouldAbortOnUncaughtToggle: new Uint32Array(1),
    defineLazyProperties: (target: object, id: string, keys: readonly string[], enumerable?: boolean) =>
      thread.library.hostModule('internal/util').defineLazyProperties(target, id, keys, enumerable),
  })
}

export const traceEvents = (): Binding =>
  closed('trace_events', {
    getCategoryEnabledBuffer: () => new Uint8Array(1),
    getEnabledCategories: () => undefined,
    isTraceCategoryEnabled: () => false,
    setTraceCategoryStateUpdateHandler: nothing,
    trace: nothing,
    available: false,
  })

export const inspector = (): Binding =>
  closed('inspector', {
    setConsoleExtensionInstaller: nothing,
    registerAsyncHook: nothing,
    isEnabled: () => false,
    console: {},
    setupNetworkTracking: nothing,
    emitProtocolEvent: nothing,
  })

export const mksnapshot = (): Binding =>
  closed('mksnapshot', {
    isBuildingSnapshotBuffer: new Uint8Array(1),
    setSerializeCallback: nothing,
    setDeserializeCallback: nothing,
    setDeserializeMainFunction: nothing,
  })

export const wasmWebApi = (): Binding => closed('wasm_web_api', { setImplementation: nothing })

export const permission = (): Binding => closed('permission', { has: () => true })
