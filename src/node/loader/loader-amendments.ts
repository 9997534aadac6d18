/** Changes to Node's own loader modules, by name, made as soon as the process has them. */
import type { Internals } from '../library/internals.ts'
import { permitAddon } from './addon-permission.ts'
import { loadAddon } from './native-addons.ts'
import { rememberScopes } from './package-scopes.ts'
import { rememberRequires } from './remembered-requires.ts'
import { amendCommonJs, amendFormats, amendResolve } from './resolution.ts'
import type { CurrentLoader } from './running-loader.ts'
import { unsupportedHooks } from './unsupported.ts'

/**
 * Changes a module of the thread, or of the running process, after it was evaluated and before another one sees it. What
 * belongs to a process is asked from the running one.
 */
export function amender(internals: Internals, current: CurrentLoader): (id: string, exports: any) => void {
  const amendments = new Map<string, (exports: any) => void>([
    ['internal/modules/cjs/loader', ({ Module }) => amendModule(Module, current)],
    ['internal/modules/esm/get_format', amendFormats],
    ['internal/modules/package_json_reader', (exports) => rememberScopes(exports, () => current().scopes)],
    ['internal/modules/esm/resolve', (exports) => amendResolve(exports, current)],
    ['internal/modules/esm/loader', amendRegister],
    ['internal/modules/esm/utils', (exports) => amendRegistry(exports, internals)],
    ['internal/modules/helpers', (exports) => amendGetBuiltin(exports, internals, current)],
  ])
  return (id, exports) => amendments.get(id)?.(exports)
}

function amendModule(Module: any, current: CurrentLoader): void {
  current().started()
  amendCommonJs(Module, current)
  amendRequires(Module, current)
  const isBuiltin = (id: unknown): boolean => current().builtins.isBuiltin(id)
  Module.isBuiltin = isBuiltin
  Module._extensions['.node'] = (module: any, filename: string): void => {
    permitAddon(module, filename, current())
    module.exports = loadAddon(filename)
  }
}

function amendRequires(Module: any, current: CurrentLoader): void {
  const { remembered, process, thread } = current()
  if (remembered === null) return
  const { execArgv, env } = process.object
  const { NODE_OPTIONS, NODE_PRESERVE_SYMLINKS, NODE_PRESERVE_SYMLINKS_MAIN } = env
  const flags = JSON.stringify([execArgv, NODE_OPTIONS, NODE_PRESERVE_SYMLINKS, NODE_PRESERVE_SYMLINKS_MAIN])
  rememberRequires(Module, { current, memory: thread.resolutions, flags })
}

/** `module.register()` runs its hooks on another thread and waits for it. */
function amendRegister(exports: any): void {
  exports.register = function register(): never {
    throw unsupportedHooks('module.register()')
  }
}

/** The engine calls the host's registry. */
function amendRegistry(exports: any, internals: Internals): void {
  exports.registerModule = internals.require('internal/modules/esm/utils').registerModule
}

function amendGetBuiltin(exports: any, internals: Internals, current: CurrentLoader): void {
  const { validateString } = internals.require('internal/validators')
  exports.getBuiltinModule = function getBuiltinModule(id: string): any {
    validateString(id, 'id')
    const { builtins } = current()
    const name = builtins.normalizeRequirableId(id)
    return name === undefined ? undefined : builtins.map.get(name)!.compileForPublicLoader()
  }
}
