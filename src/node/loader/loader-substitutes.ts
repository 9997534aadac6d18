/** Substitutes for some modules that Node's loaders ask for, by name. */
import { loaderOption, type LoaderProcess } from './loader-process.ts'
import type { RunningLoader } from './running-loader.ts'

/** As JavaScript and as WebAssembly; newer versions have neither. */
const LEXERS = ['internal/deps/cjs-module-lexer/lexer', 'internal/deps/cjs-module-lexer/dist/lexer'] as const

const SUBSTITUTES: ReadonlyMap<string, (loader: RunningLoader) => any> = new Map([
  ['fs', ({ files }) => files.fs()],
  ['internal/fs/promises', ({ files }) => files.fsPromises()],
  ['internal/options', ({ process }) => cliOptions(process)],
  ['internal/bootstrap/realm', ({ builtins }) => ({ BuiltinModule: builtins })],
  ['internal/process/pre_execution', preExecution],
  ...LEXERS.map((id) => [id, (loader: RunningLoader) => lexer(loader, id)] as const),
])

export function isSubstituted(id: string): boolean {
  return SUBSTITUTES.has(id)
}

/** The substitute for a module for which {@link isSubstituted} holds. */
export function substituteFor(id: string, loader: RunningLoader): any {
  return SUBSTITUTES.get(id)!(loader)
}

function cliOptions(process: LoaderProcess): any {
  return {
    __proto__: process.require('internal/options'),
    getOptionValue: (name: string) => loaderOption(process, name),
  }
}

/** Node's start-up code, as the loaders use it: `ProgramLoader.initialize` has done it, or there is nothing to do. */
function preExecution(): object {
  return { loadPreloadModules() {}, initializeFrozenIntrinsics() {}, finishVfsMounts() {} }
}

function lexer({ thread, process }: RunningLoader, id: string): any {
  return thread.exportNames.remember(process.require(id))
}
