/**
 * The `module_wrap` binding of a thread. Module records are the engine's own: `ModuleWrap` here only sees to it that
 * program modules are compiled with their process's globals, and hides that one extra import from Node's linker. Programs
 * do not get at the class, so that there is one; a module belongs to the process that was running when it was made.
 *
 * Version differences: `link` takes specifiers and modules on Node 20, modules alone later; `getModuleRequests` is a
 * method on all. The callbacks that Node's loader registers at start are not registered again: the engine has one of each
 * per thread, which reaches the running process through the compiler's referrers.
 */
import type { GlobalScope } from '../../loader/compiling/bound-globals.ts'
import { BOUND_GLOBALS } from '../../loader/compiling/bound-globals.ts'
import { GLOBALS_SPECIFIER } from '../../loader/compiling/program-compiler.ts'
import type {
  CompiledFile,
  CompiledModule,
  ProgramCompiler,
  SourceTransform,
} from '../../loader/compiling/program-compiler.ts'
import type { Binding, Internals } from '../../library/internals.ts'

/** The owner of a process's modules: how they are compiled. */
export interface ModuleOwner {
  readonly globals: GlobalScope
  readonly transform: SourceTransform | undefined
  /** A file is about to be evaluated in the process. */
  loaded(file: CompiledFile): void
}

/** The module records of one process. */
export class ModuleRecords {
  readonly owner: ModuleOwner
  readonly #host: Binding
  readonly #exported = new Set<string>()
  #globals: any
  /**
   * Node 20 holds what a module was linked to in strong handles, until `instantiate` is called on that very module: a
   * cycle of modules would never be freed. Calling it on one that is instantiated already does only that.
   */
  #linked: any[] = []

  constructor(internals: Internals, owner: ModuleOwner) {
    this.owner = owner
    this.#host = internals.internalBinding('module_wrap')
  }

  /** The synthetic module that exports the process's globals; each is read when a module first asks for it. */
  importGlobals(names: readonly string[]): object {
    if (this.#globals === undefined) {
      this.#globals = new this.#host.ModuleWrap(GLOBALS_SPECIFIER, undefined, [...BOUND_GLOBALS], () => {})
      evaluateSynthetic(this.#globals)
    }
    for (const name of names) {
      if (this.#exported.has(name)) continue
      this.#exported.add(name)
      this.#globals.setExport(name, this.owner.globals.get(name))
    }
    return this.#globals
  }

  /** A global of the process was replaced: modules that import it see the new value. */
  globalChanged(name: string, value: unknown): void {
    if (this.#exported.has(name)) this.#globals.setExport(name, value)
  }

  /** The process has ended. What V8 keeps exports in is old from the start: what they lead to is let go. */
  forgetGlobals(): void {
    for (const name of this.#exported) this.#globals.setExport(name, undefined)
  }

  noteLinked(module: object): void {
    this.#linked.push(module)
  }

  releaseLinks(): void {
    const { kInstantiated, ModuleWrap } = this.#host
    for (const module of this.#linked.splice(0)) {
      if (module.getStatus() >= kInstantiated) ModuleWrap.prototype.instantiate.call(module)
      else this.#linked.push(module)
    }
  }
}

export interface ModuleWrapBindingOptions {
  readonly internals: Internals
  readonly compiler: ProgramCompiler
  /** The running process's. */
  readonly current: () => ModuleRecords
}

export function createModuleWrapBinding(options: ModuleWrapBindingOptions): Binding {
  const { internals, compiler, current } = options
  const host = internals.internalBinding('module_wrap')
  const HostModuleWrap: new (...args: any[]) => any = host.ModuleWrap
  const programReferrer: symbol = internals.internalBinding('symbols').source_text_module_default_hdo

  class ModuleWrap extends HostModuleWrap {
    readonly #compiled: CompiledModule | null
    readonly #records: ModuleRecords

    constructor(...args: any[]) {
      const [url, context, source] = args
      const isProgram = context === undefined && typeof source === 'string' && args[5] === programReferrer
      const records = current()
      if (!isProgram) {
        super(...args)
        this.#records = records
        this.#compiled = null
        return
      }
      const { owner } = records
      const compiled = compiler.module(source, url, owner.transform)
      super(url, undefined, compiled.code, compiled.lineOffset, 0, compiled.referrer)
      this.#records = records
      this.#compiled = compiled
      owner.loaded(compiled)
    }

    getModuleRequests(): Array<{ specifier: string }> {
      const requests = super.getModuleRequests()
      return this.#importsGlobals() ? requests.filter((request: any) => !isGlobals(request)) : requests
    }

    link(...args: any[]): unknown {
      if (args.length === 2) this.#records.noteLinked(this)
      if (!this.#importsGlobals()) return super.link(...args)
      const index = super.getModuleRequests().findIndex(isGlobals)
      const inserted = args.length === 2 ? [GLOBALS_SPECIFIER] : []
      const additions = [...inserted, this.#records.importGlobals(this.#compiled!.globals)]
      // Node's arrays may have no prototype.
      return super.link(
        ...args.map((list: unknown[], i) => Array.from(list).toSpliced(index, 0, additions[i])),
      )
    }

    instantiate(): unknown {
      const result = super.instantiate()
      this.#records.releaseLinks()
      return result
    }

    instantiateSync(): unknown {
      const result = super.instantiateSync()
      this.#records.releaseLinks()
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
  return binding
}

/** Everything that is not a function. */
function constantsOf(host: Binding): Binding {
  return Object.fromEntries(Object.entries(host).filter(([, value]) => typeof value !== 'function'))
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
