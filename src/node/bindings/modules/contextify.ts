/**
 * The `contextify` binding of a thread (src/node_contextify.cc), which dispatches to the running process. Scripts and contexts are the engine's own, so
 * `node:vm` works as ever; the clock, random numbers and the like of a context are the process's (globals/context-realm.ts). Ours is what the module loader compiles with, and the meaning of "the default loader" for
 * `import()` in scripts: the process's, not the host's.
 */
import type { GlobalScope } from '../../loader/compiling/bound-globals.ts'
import type {
  CompiledFile,
  CompiledScript,
  ProgramCompiler,
  SourceTransform,
  UpdateGlobal,
} from '../../loader/compiling/program-compiler.ts'
import type { Binding, Internals } from '../../library/internals.ts'
import { simulateContext } from '../../globals/context-realm.ts'
import { ownScope } from './eval-scope.ts'
import { withRevocableDeclarations } from './realm-declarations.ts'

/** The owner of a process's scripts: how they are compiled. */
export interface ScriptOwner {
  readonly globals: GlobalScope
  readonly transform: SourceTransform | undefined
  /** A file is about to be evaluated in the process. */
  loaded(file: CompiledFile): void
  /** Emits a warning in the process. */
  warn(message: string): void
  /** Whether the value of an evaluated program is wanted (`node -p`). */
  printsResult(): boolean
}

/** The scripts of one process. */
export class ScriptInstances {
  readonly owner: ScriptOwner
  /** Programs get at it through `vm.Script`: each process has its own, made when it is asked for. */
  ContextifyScript: unknown
  warnedOfModule = false
  readonly #instances: { readonly globals: readonly string[]; readonly update: UpdateGlobal }[] = []

  constructor(owner: ScriptOwner) {
    this.owner = owner
  }

  instantiate(compiled: CompiledScript): Function {
    const { owner } = this
    owner.loaded(compiled)
    const values = compiled.globals.map((name) => owner.globals.get(name))
    const instance = Reflect.apply(compiled.instantiate, undefined, values) // without iterators: programs delete them
    if (values.length > 0) this.#instances.push({ globals: compiled.globals, update: instance[1] })
    return instance[0]
  }

  /** A global of the process was replaced: files that were compiled with it see the new value. */
  globalChanged(name: string, value: unknown): void {
    for (const { globals, update } of this.#instances) if (globals.includes(name)) update(name, value)
  }
}

export interface ContextifyBindingOptions {
  readonly internals: Internals
  readonly compiler: ProgramCompiler
  /** The running process's. */
  readonly current: () => ScriptInstances
}

/** Members that touch nothing but the engine. */
const SHARED = [
  'containsModuleSyntax',
  'shouldRetryAsESM',
  'startSigintWatchdog',
  'stopSigintWatchdog',
  'watchdogHasPendingSigint',
  'measureMemory',
  'constants',
]

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname']

const MODULE_WARNING =
  'To load an ES module, set "type": "module" in the package.json or use the .mjs extension.'

export function createContextifyBinding(options: ContextifyBindingOptions): Binding {
  const { internals, compiler, current } = options
  const host = internals.internalBinding('contextify')
  const { vm_dynamic_import_default_internal, vm_dynamic_import_main_context_default } =
    internals.internalBinding('symbols')

  /** Scripts that ask for the default loader get this process's: they are compiled under a referrer of our own. */
  function meansDefaultLoader(option: unknown): boolean {
    return option === vm_dynamic_import_default_internal || option === vm_dynamic_import_main_context_default
  }

  function isExperimental(option: unknown): boolean {
    return option === vm_dynamic_import_main_context_default
  }

  /** The two ways of asking are two referrers, since one of them warns. */
  function referrerOf(filename: string, option: unknown): symbol {
    return compiler.referrer(isExperimental(option) ? `vm ${filename}` : filename)
  }

  /** Arguments of a script of the process's own context: what Node evaluates gets a scope of its own. */
  function scopedArguments(args: any[]): any[] {
    const scope = ownScope(args[0], args[1], args[2] ?? 0, current().owner.printsResult())
    return scope === null ? args : args.with(0, scope.source).with(2, scope.lineOffset)
  }

  function makeContextifyScript(): unknown {
    return class ContextifyScript extends (host.ContextifyScript as new (...args: any[]) => any) {
      readonly #args: any[]
      /** The script as it runs in this context, if that differs. */
      #revocable: any

      constructor(...args: any[]) {
        const isDefault = meansDefaultLoader(args[7])
        const scoped = args[6] === undefined ? scopedArguments(args) : args
        const compiled = isDefault ? scoped.with(7, referrerOf(args[1], args[7])) : scoped
        super(...compiled)
        this.#args = compiled
        if (isDefault) compiler.register(this, args[1], isExperimental(args[7]))
      }

      /** Without a context it is this one. */
      runInContext(context: object | null, ...options: unknown[]): unknown {
        if (context !== null) return super.runInContext(context, ...options)
        this.#revocable ??= this.#withRevocableDeclarations()
        return this.#revocable === this
          ? super.runInContext(null, ...options)
          : this.#revocable.runInContext(null, ...options)
      }

      #withRevocableDeclarations(): unknown {
        const source = withRevocableDeclarations(this.#args[0] as string)
        if (source === null) return this
        return new host.ContextifyScript(...this.#args.with(0, source)) // its imports: those of the same referrer
      }
    }
  }

  function compileFunction(...args: any[]): any {
    if (!meansDefaultLoader(args[9])) return host.compileFunction(...args)
    const result = host.compileFunction(...args.with(9, referrerOf(args[1], args[9])))
    compiler.register(result.function, args[1], isExperimental(args[9]))
    return result
  }

  function makeContext(...args: any[]): any {
    const given = typeof args[0] === 'object' ? (args[0] as object) : null
    const index = args.findIndex(meansDefaultLoader)
    if (index < 0) {
      const made = host.makeContext(...args)
      simulateContext(made ?? given, given)
      return made
    }
    const context = host.makeContext(...args.with(index, referrerOf('', args[index]))) ?? args[0]
    simulateContext(context as object, given)
    compiler.register(context, '', isExperimental(args[index]))
    return context
  }

  function compileFunctionForCJSLoader(
    source: string,
    filename: string,
    isSeaMain: boolean,
    detect: boolean,
  ) {
    const scripts = current()
    const compiled = compiler.script(source, filename, scripts.owner.transform)
    if (compiled === null) return explain(source, filename, isSeaMain, detect)
    return {
      __proto__: null,
      cachedDataRejected: false,
      sourceMapURL: compiled.sourceMapURL,
      function: scripts.instantiate(compiled),
      canParseAsESM: false,
    }
  }

  /** Node's compiler throws the decorated syntax error, or finds that this is an ES module. */
  function explain(source: string, filename: string, isSeaMain: boolean, detect: boolean): any {
    const found = host.compileFunctionForCJSLoader(source, filename, isSeaMain, true)
    if (detect || !found.canParseAsESM) return found
    // Asked not to detect, Node warns once per environment, which would make one process's output depend on another's.
    const scripts = current()
    if (!scripts.warnedOfModule) scripts.owner.warn(MODULE_WARNING)
    scripts.warnedOfModule = true
    const referrer = compiler.referrer(filename)
    return host.compileFunction(source, filename, 0, 0, undefined, false, undefined, [], PARAMETERS, referrer)
  }

  const binding: Binding = {
    get ContextifyScript(): unknown {
      return (current().ContextifyScript ??= makeContextifyScript())
    },
    makeContext,
    compileFunction,
    compileFunctionForCJSLoader,
  }
  for (const name of SHARED) if (name in host) binding[name] = host[name]
  return binding
}
