/** What is changed in Node's own loader modules as soon as the process has them, by their names. */
import { createRequire } from 'node:module'
import type { BuiltinModules } from './builtin-modules.ts'
import type { LoaderProcess } from './loader-process.ts'
import type { LoaderThread } from './loader-thread.ts'
import { rememberScopes } from './package-scopes.ts'
import type { Remembered } from './remembered.ts'
import { rememberRequires } from './remembered-requires.ts'
import { amendCommonJs, amendFormats, amendResolve, type ProgramFiles } from './resolution.ts'
import { callingFile, packageOf, unsupportedAddon, unsupportedHooks } from './unsupported.ts'

interface AmendmentsOptions {
  readonly thread: LoaderThread
  readonly process: LoaderProcess
  readonly files: ProgramFiles
  readonly builtins: BuiltinModules
  readonly remembered: Remembered | null
  /** Packages whose native addons may be loaded. */
  readonly addons: readonly string[]
  /** Called when the CommonJS loader is first asked for: Node's bootstrap is over then. */
  readonly started: () => void
  /** Learns who imports what. */
  readonly imported: (url: string, importer: string | undefined) => void
}

export function loaderAmendments(options: AmendmentsOptions): ReadonlyMap<string, (exports: any) => void> {
  const { files, remembered, imported: seen } = options
  return new Map<string, (exports: any) => void>([
    ['internal/modules/cjs/loader', ({ Module }) => amendModule(Module, options)],
    ['internal/modules/esm/get_format', amendFormats],
    ['internal/modules/package_json_reader', rememberScopes],
    ['internal/modules/esm/resolve', (exports) => amendResolve(exports, { files, seen, remembered })],
    ['internal/modules/esm/loader', amendRegister],
    ['internal/modules/esm/utils', (exports) => amendRegistry(exports, options.thread)],
    ['internal/modules/helpers', (exports) => amendGetBuiltin(exports, options)],
  ])
}

function amendModule(Module: any, options: AmendmentsOptions): void {
  options.started()
  amendCommonJs(Module, options.files)
  amendRequires(Module, options)
  Module._extensions['.node'] = (module: any, filename: string): void => {
    if (!options.addons.includes(packageOf(filename))) throw unsupportedAddon(filename, callingFile())
    module.exports = createRequire(filename)(filename)
  }
}

function amendRequires(Module: any, { remembered, process, files, thread }: AmendmentsOptions): void {
  if (remembered === null) return
  const { execArgv, env } = process.object
  const { NODE_OPTIONS, NODE_PRESERVE_SYMLINKS, NODE_PRESERVE_SYMLINKS_MAIN } = env
  const flags = JSON.stringify([execArgv, NODE_OPTIONS, NODE_PRESERVE_SYMLINKS, NODE_PRESERVE_SYMLINKS_MAIN])
  const isBuiltin = (request: string): boolean => files.isBuiltin(request)
  rememberRequires(Module, { remembered, memory: thread.resolutions, isBuiltin, flags })
}

/** `module.register()` runs its hooks on another thread and waits for it. */
function amendRegister(exports: any): void {
  exports.register = function register(): never {
    throw unsupportedHooks('module.register()')
  }
}

/** The engine calls the host's registry. */
function amendRegistry(exports: any, { internals }: LoaderThread): void {
  exports.registerModule = internals.require('internal/modules/esm/utils').registerModule
}

function amendGetBuiltin(exports: any, options: AmendmentsOptions): void {
  const { builtins } = options
  const { validateString } = options.thread.internals.require('internal/validators')
  exports.getBuiltinModule = function getBuiltinModule(id: string): any {
    validateString(id, 'id')
    const name = builtins.normalizeRequirableId(id)
    return name === undefined ? undefined : builtins.map.get(name)!.compileForPublicLoader()
  }
}
