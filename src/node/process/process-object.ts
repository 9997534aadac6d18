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

/** The bindings that `process.binding` still gives out. */
const LEGACY_BINDINGS = new Set([
  'async_wrap',
  'buffer',
  'cares_wrap',
  'config',
  'constants',
  'contextify',
  'crypto',
  'fs',
  'fs_event_wrap',
  'http_parser',
  'icu',
  'inspector',
  'js_stream',
  'natives',
  'os',
  'pipe_wrap',
  'process_wrap',
  'signal_wrap',
  'spawn_sync',
  'stream_wrap',
  'tcp_wrap',
  'tls_wrap',
  'tty_wrap',
  'udp_wrap',
  'url',
  'util',
  'uv',
  'v8',
  'zlib',
])

/** Functions of the running process, the same for all. */
const NATIVES = {
  _rawDebug(...args: unknown[]): void {
    running!.binding('process_methods')._rawDebug(args.join(' '))
  },
  binding(module: unknown): unknown {
    const name = String(module)
    if (!LEGACY_BINDINGS.has(name)) throw new Error(`No such module: ${name}`)
    if (name === 'natives') return takeInternals().internalBinding('builtins').natives
    const wrapper = running!.modules.require('internal/legacy/processbinding')[name]
    return typeof wrapper === 'function' ? wrapper() : running!.binding(name)
  },
  _linkedBinding(name: string): never {
    throw new UnsupportedError(
      `process._linkedBinding('${name}'): native bindings are not available in the tank`,
    )
  },
}
