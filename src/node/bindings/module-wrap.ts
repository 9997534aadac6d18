/**
 * The `module_wrap` binding of one process. Module records are the engine's own: `ModuleWrap` here only sees to it that
 * program modules are compiled with their process's globals, and hides that one extra import from Node's linker.
 *
 * Version differences: `link` takes specifiers and modules on Node 20, modules alone later; `getModuleRequests` is a
 * method on all. The callbacks that Node's loader registers at start are not registered again: the engine has one of each
 * per thread, which reaches the running process through the compiler's referrers.
 */
import type { GlobalScope } from '../loader/bound-globals.ts'
import { BOUND_GLOBALS } from '../loader/bound-globals.ts'
import { GLOBALS_SPECIFIER } from '../loader/program-compiler.ts'
import type {
  CompiledFile,
  CompiledModule,
  ProgramCompiler,
  SourceTransform,
} from '../loader/program-compiler.ts'
import type { Binding, Internals } from '../internals.ts'

export interface ModuleWrapBinding {
  readonly binding: Binding
  /** A global of the process was replaced: modules that import it see the new value. */
  globalChanged(name: string, value: unknown): void
}

export interface ModuleWrapBindingOptions {
  readonly internals: Internals
  readonly compiler: ProgramCompiler
  readonly globals: GlobalScope
  readonly transform?: SourceTransform | undefined
  /** A file is about to be evaluated in the process. */
  readonly loaded?: ((file: CompiledFile) => void) | undefined
}

export function createModuleWrapBinding(options: ModuleWrapBindingOptions): ModuleWrapBinding {
  const { internals, compiler, globals, transform, loaded } = options
  const host = internals.internalBinding('module_wrap')
  const HostModuleWrap: new (...args: any[]) => any = host.ModuleWrap
  const programReferrer: symbol = internals.internalBinding('symbols').source_text_module_default_hdo

  let globalsModule: any
  const exported = new Set<string>()

  /** The synthetic module that exports the process's globals; each is read when a module first asks for it. */
  function importGlobals(names: readonly string[]): object {
    if (globalsModule === undefined) {
      globalsModule = new HostModuleWrap(GLOBALS_SPECIFIER, undefined, [...BOUND_GLOBALS], () => {})
      evaluateSynthetic(globalsModule)
    }
    for (const name of names) {
      if (exported.has(name)) continue
      exported.add(name)
      globalsModule.setExport(name, globals.get(name))
    }
    return globalsModule
  }

  // Node 20 holds what a module was linked to in strong handles, until `instantiate` is called on that very module: a
  // cycle of modules would never be freed. Calling it on one that is instantiated already does only that.
  const linked: ModuleWrap[] = []

  function releaseLinks(): void {
    for (const module of linked.splice(0)) {
      if (module.getStatus() >= host.kInstantiated) HostModuleWrap.prototype.instantiate.call(module)
      else linked.push(module)
    }
  }

  class ModuleWrap extends HostModuleWrap {
    readonly #compiled: CompiledModule | null

    constructor(...args: any[]) {
      const [url, context, source] = args
      const isProgram = context === undefined && typeof source === 'string' && args[5] === programReferrer
      if (!isProgram) {
        super(...args)
        this.#compiled = null
        return
      }
      const compiled = compiler.module(source, url, transform)
      super(url, undefined, compiled.code, compiled.lineOffset, 0, compiled.referrer)
      this.#compiled = compiled
      loaded?.(compiled)
    }

    getModuleRequests(): Array<{ specifier: string }> {
      const requests = super.getModuleRequests()
      return this.#importsGlobals() ? requests.filter((request: any) => !isGlobals(request)) : requests
    }

    link(...args: any[]): unknown {
      if (args.length === 2) linked.push(this)
      if (!this.#importsGlobals()) return super.link(...args)
      const index = super.getModuleRequests().findIndex(isGlobals)
      const inserted = args.length === 2 ? [GLOBALS_SPECIFIER] : []
      const additions = [...inserted, importGlobals(this.#compiled!.globals)]
      // Node's arrays may have no prototype.
      return super.link(
        ...args.map((list: unknown[], i) => Array.from(list).toSpliced(index, 0, additions[i])),
      )
    }

    instantiate(): unknown {
      const result = super.instantiate()
      releaseLinks()
      return result
    }

    instantiateSync(): unknown {
      const result = super.instantiateSync()
      releaseLinks()
      return result
    }

    #importsGlobals(): boolean {
      return this.#compiled !== null && this.#compiled.globals.length > 0
    }
  }

  const binding: Binding = { ModuleWrap, ...constantsOf(host) }
  binding.createRequiredModuleFacade = host.createRequiredModuleFacade
  binding.throwIfPromiseRejected = host.throwIfPromiseRejected
  binding.setImportModuleDynamicallyCallback = () => {}
  binding.setInitializeImportMetaObjectCallback = () => {}
  binding.setImportMetaResolveInitializer = () => {}

  return {
    binding,
    globalChanged(name, value) {
      if (exported.has(name)) globalsModule.setExport(name, value)
    },
  }
}

let constants: Binding | undefined

/** Everything that is not a function. */
function constantsOf(host: Binding): Binding {
  constants ??= Object.fromEntries(Object.entries(host).filter(([, value]) => typeof value !== 'function'))
  return constants
}

/** Evaluates a synthetic module at once; Node 22 wants even those linked. */
export function evaluateSynthetic(module: any): void {
  try {
    module.instantiate()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_VM_MODULE_LINK_FAILURE') throw error
    module.link([])
    module.instantiate()
  }
  module.evaluate(-1, false)
}

function isGlobals(request: { specifier: string }): boolean {
  return request.specifier === GLOBALS_SPECIFIER
}
