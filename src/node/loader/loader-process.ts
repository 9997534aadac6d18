/** The process, as far as its loader needs it. */
import type { LoadingFiles } from '../bindings/fs/loading.ts'
import type { Binding } from '../library/internals.ts'
import type { GlobalScope } from './compiling/bound-globals.ts'

export interface LoaderProcess {
  /** The process object of the program. */
  readonly object: any
  readonly globals: GlobalScope
  /** The global object, to be observed: programs replace globals and then use them by their bare names. */
  readonly global?: Record<string | symbol, any>
  /** An internal or public module other than the loaders, as Node's library inside the process sees it. */
  require(id: string): any
  /** A public module, as programs see it. */
  requirePublic(id: string): any
  binding(name: string): Binding
  /** Its disk; none for a process that has no disk, or not a simulated one. */
  readonly files?: LoadingFiles | undefined
}

/** Node's own TypeScript support is off: the tank's covers more, on all versions. */
const FIXED_OPTIONS: ReadonlyMap<string, unknown> = new Map([
  ['--experimental-strip-types', false],
  ['--strip-types', false],
  ['--experimental-transform-types', false],
])

/** An option of Node's command line, as the loaders see it. */
export function loaderOption(process: LoaderProcess, name: string): unknown {
  if (FIXED_OPTIONS.has(name)) return FIXED_OPTIONS.get(name)
  return process.require('internal/options').getOptionValue(name)
}
