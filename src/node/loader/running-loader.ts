/** The loader of one process, as it is seen by what the loaders of a thread share. */
import type { ScriptInstances } from '../bindings/modules/contextify.ts'
import type { ModuleRecords } from '../bindings/modules/module-wrap.ts'
import type { BuiltinModules } from './builtin-modules.ts'
import type { LoaderFiles } from './loader-files.ts'
import type { LoaderProcess } from './loader-process.ts'
import type { LoaderThread } from './loader-thread.ts'
import type { NodeLoaders } from './node-loaders.ts'
import type { PackageScopes } from './package-scopes.ts'
import type { Referrer } from './compiling/program-compiler.ts'
import type { Remembered } from './remembered.ts'

export interface RunningLoader extends Referrer {
  readonly thread: LoaderThread
  readonly process: LoaderProcess
  readonly loaders: NodeLoaders
  readonly records: ModuleRecords
  readonly scripts: ScriptInstances
  readonly files: LoaderFiles
  readonly builtins: BuiltinModules
  readonly remembered: Remembered | null
  readonly scopes: PackageScopes
  /** Packages whose native addons may be loaded. */
  readonly addons: readonly string[]
  /** The CommonJS loader is first asked for: Node's bootstrap is over then. */
  started(): void
  /** Learns who imports what. */
  imported(url: string, importer: string | undefined): void
}

/** Finds the one of the running process. */
export type CurrentLoader = () => RunningLoader
