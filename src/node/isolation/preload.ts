/**
 * Before the first simulated process exists, the host loads its own copy of every builtin that we may instantiate:
 * natives that can be registered only once must belong to the host, and a module that the host needs later must find
 * them as it expects.
 */
import { builtinModules } from 'node:module'
import type { Internals } from '../library/internals.ts'

/** Public modules that change the thread (`domain` patches every emitter), print warnings or need flags when loaded. */
const SKIPPED = new Set([
  'domain',
  'trace_events',
  'wasi',
  'sys',
  'punycode',
  'inspector',
  'inspector/promises',
  'repl',
  'test',
  'sqlite',
  'sea',
])

const INTERNAL = [
  'internal/abort_controller',
  'internal/crypto/keys',
  'internal/worker/io',
  'internal/webstreams/compression',
  'internal/deps/undici/undici',
  'internal/perf/observe',
  'internal/http2/core',
  'internal/fs/watchers',
  'internal/blob',
]

export function preloadHost(internals: Internals): void {
  for (const id of builtinModules) {
    // With --expose-internals the list has internal modules too, some of which must not run twice.
    if (/^(_|node:|internal\/)/.test(id) || SKIPPED.has(id)) continue
    internals.require(id)
  }
  for (const id of INTERNAL) if (internals.builtinIds.includes(id)) internals.require(id)
}
