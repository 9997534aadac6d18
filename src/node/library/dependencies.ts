/**
 * The packages that Node bundles (undici above all) are written against globals. They are compiled from their source
 * with the process's globals as parameters of an outer function, so that one compilation serves all processes.
 */
import vm from 'node:vm'
import type { Internals } from './internals.ts'

const PARAMETERS = 'exports, require, module, process, internalBinding, primordials'

/** The globals that bundled packages use and that differ from process to process. */
export const DEPENDENCY_GLOBALS = [
  'globalThis',
  'global',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'structuredClone',
  'AbortController',
  'AbortSignal',
  'WebAssembly',
  'performance',
  'FinalizationRegistry',
  'WeakRef',
  'Date',
  'Math',
  'crypto',
  'fetch',
  'MessageChannel',
  'MessagePort',
  'BroadcastChannel',
  'console',
] as const

/** A function of the globals that returns the module's function. */
export function compileDependency(
  internals: Internals,
  id: string,
): (globals: Record<string, any>) => unknown {
  const source: string = internals.internalBinding('builtins').natives[id]
  const names = DEPENDENCY_GLOBALS.join(', ')
  const script = new vm.Script(`(function (${names}) { return function (${PARAMETERS}) {${source}\n} })`, {
    filename: `node:${id}`,
  })
  const outer = script.runInThisContext() as (...values: unknown[]) => unknown
  return (globals) => outer(...DEPENDENCY_GLOBALS.map((name) => globals[name]))
}
