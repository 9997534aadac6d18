/**
 * The `process` object as C++ hands it to Node's bootstrap: an empty emitter with the facts of the binary on it. The
 * bootstrap scripts and `process_methods.patchProcessObject` do the rest.
 */
import { UnsupportedError } from './bindings/binding.ts'
import { environmentVariables } from './environment-variables.ts'
import { takeInternals } from './internals.ts'
import type { NodeProcess } from './process.ts'

// The name is taken here: during a burst, the global `process` is a simulated one.
const host = process as unknown as Record<string, any>

const FACTS = ['version', 'versions', 'arch', 'platform', 'release'] as const

/** Shared by the processes of the thread, as their emitters' prototype is: their objects then have one shape. */
export const { prototype: processPrototype } = { process: function () {} }.process

export function nakedProcess(owner: NodeProcess): Record<string | symbol, any> {
  const { internalBinding } = takeInternals()
  const { exit_info_private_symbol: exitInfo } = internalBinding('util').privateSymbols
  const object = Object.create(processPrototype as object) as Record<string | symbol, any>
  for (const fact of FACTS) Object.defineProperty(object, fact, Object.getOwnPropertyDescriptor(host, fact)!)
  object[exitInfo] = new Int32Array(3)
  return Object.assign(object, {
    _rawDebug: (...args: unknown[]) => owner.binding('process_methods')._rawDebug(args.join(' ')),
    moduleLoadList: [],
    binding: (name: string) => legacyBinding(owner, name),
    _linkedBinding(name: string) {
      throw new UnsupportedError(
        `process._linkedBinding('${name}'): native bindings are not available in the tank`,
      )
    },
    env: owner.site.thread?.sharedEnv ?? environmentVariables(owner, owner.site.env),
  })
}

/** What `process.binding` still gives out. */
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

function legacyBinding(owner: NodeProcess, module: unknown): unknown {
  const name = String(module)
  if (!LEGACY_BINDINGS.has(name)) {
    const error: Error & { code?: string } = new Error(`No such module: ${name}`)
    error.code = 'ERR_INVALID_MODULE'
    throw error
  }
  if (name === 'natives') return takeInternals().internalBinding('builtins').natives
  const wrapper = owner.modules.require('internal/legacy/processbinding')[name]
  return typeof wrapper === 'function' ? wrapper() : owner.binding(name)
}
