/** What Node's loaders get in the place of some modules that they ask for, by the names they ask for. */
import type { BuiltinModules } from './builtin-modules.ts'
import type { LoaderFiles } from './loader-files.ts'
import { loaderOption, type LoaderProcess } from './loader-process.ts'
import type { LoaderThread } from './loader-thread.ts'

interface SubstitutesOptions {
  readonly thread: LoaderThread
  readonly process: LoaderProcess
  readonly files: LoaderFiles
  readonly builtins: BuiltinModules
}

/** As JavaScript and as WebAssembly; newer versions have neither. */
const LEXERS = ['internal/deps/cjs-module-lexer/lexer', 'internal/deps/cjs-module-lexer/dist/lexer'] as const

export function loaderSubstitutes(options: SubstitutesOptions): ReadonlyMap<string, () => any> {
  const { thread, process, files, builtins } = options
  return new Map<string, () => any>([
    ['fs', () => files.fs()],
    ['internal/fs/promises', () => files.fsPromises()],
    ['internal/options', () => cliOptions(process)],
    ['internal/bootstrap/realm', () => ({ BuiltinModule: builtins })],
    ['internal/process/pre_execution', preExecution],
    ...LEXERS.map((id) => [id, () => thread.exportNames.remember(process.require(id))] as const),
  ])
}

function cliOptions(process: LoaderProcess): any {
  return {
    __proto__: process.require('internal/options'),
    getOptionValue: (name: string) => loaderOption(process, name),
  }
}

/** What the loaders ask of Node's start-up code: `ProgramLoader.initialize` has done it, or there is nothing to do. */
function preExecution(): object {
  return { loadPreloadModules() {}, initializeFrozenIntrinsics() {}, finishVfsMounts() {} }
}
