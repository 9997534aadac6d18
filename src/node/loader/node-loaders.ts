/**
 * Node's own module loaders (`internal/modules/*`, `module`, `vm`), instantiated for one process over its bindings.
 * Resolution, caches, error messages, `require.cache`, hooks and ESM/CommonJS interoperation are therefore the running
 * Node's. The sources are compiled once per thread, with Node's embedded code cache. Modules that programs cannot reach
 * are instantiated once per thread: see shared-loaders.ts.
 */
import type { Binding, Internals } from '../library/internals.ts'
import { isLoaderModule } from '../library/module-table.ts'
import { JsonTexts } from './compiling/json-texts.ts'
import { isSubstituted, substituteFor } from './loader-substitutes.ts'
import type { RunningLoader } from './running-loader.ts'
import type { LoadersOwner, SharedLoaders } from './shared-loaders.ts'

const COMMON_JS = 'internal/modules/cjs/loader'

type Compiled = (...args: unknown[]) => void

/** The compiled sources of a thread. */
export class LoaderSources {
  readonly internals: Internals
  /** Parses a package.json once per thread: the loaders only read the result. */
  readonly parsePackageJson = memoizedJsonParse()
  /** JSON modules, of which every process has its own. */
  readonly json = new JsonTexts()
  /** The part of the global object that is the same for all loaders. */
  readonly global: object
  readonly #compiled = new Map<string, Compiled>()
  readonly #primordials: { globalThis: object }
  /** Primordials of the modules that parse JSON. */
  readonly #parsing: Readonly<Record<string, object>>

  constructor(internals: Internals) {
    this.internals = internals
    const { primordials } = internals
    this.global = {
      __proto__: primordials.globalThis,
      get WebAssembly(): object {
        return synchronousWebAssembly()
      },
    }
    this.#primordials = { __proto__: primordials, globalThis: primordials.globalThis } as {
      globalThis: object
    }
    const modulePrimordials = { __proto__: this.#primordials, JSONParse: this.json.parse }
    this.#parsing = {
      'internal/modules/package_json_reader': {
        __proto__: this.#primordials,
        JSONParse: this.parsePackageJson,
      },
      'internal/modules/cjs/loader': modulePrimordials,
      'internal/modules/esm/translators': modulePrimordials,
    }
  }

  /**
   * Evaluates a module with these globals. One object of primordials serves all instances of a module, which take what
   * they need at their top level: V8 sees one hidden class.
   */
  evaluate(id: string, global: object, run: (primordials: object) => void): void {
    const primordials = this.#primordials
    const outer = primordials.globalThis
    primordials.globalThis = global
    try {
      run(this.#parsing[id] ?? primordials)
    } finally {
      primordials.globalThis = outer
    }
  }

  /** A module's function, as Node compiles it. */
  compiled(id: string): Compiled {
    let compiled = this.#compiled.get(id)
    if (compiled === undefined) this.#compiled.set(id, (compiled = this.internals.compileFunction(id)))
    return compiled
  }
}

export interface NodeLoadersOptions {
  readonly loader: RunningLoader
  /** Modules other than the loaders: the process's, the thread's or the host's instance. */
  readonly require: (id: string) => any
  readonly internalBinding: (name: string) => Binding
}

/** Node's loaders as one process has them: instances of its own, and its part of those that it shares. */
export class NodeLoaders implements LoadersOwner {
  readonly parts: Record<string, unknown>[] = []
  readonly process: object
  /** The global object of the loaders: they leave marks on it, and compile WebAssembly through it. */
  readonly global: Record<symbol, any>
  readonly internalBinding: (name: string) => Binding
  readonly #loader: RunningLoader
  readonly #requireOther: (id: string) => any
  readonly #shared: SharedLoaders
  readonly #modules = new Map<string, { exports: any }>()
  readonly #substituted = new Map<string, any>()

  constructor({ loader, require, internalBinding }: NodeLoadersOptions) {
    const { thread, process } = loader
    this.#loader = loader
    this.#requireOther = require
    this.internalBinding = internalBinding
    this.process = process.object
    this.global = Object.create(thread.sources.global) as Record<symbol, any>
    this.#shared = thread.shared
  }

  /** Whether the process has its instance of a loader module, or has used the thread's. */
  has(id: string): boolean {
    return this.#modules.has(id) || this.#shared.isUsed(id, this)
  }

  /** The process's instance of a loader module. */
  require(id: string): any {
    if (this.#shared.has(id)) return this.#shared.require(id)
    return (this.#modules.get(id) ?? this.#load(id)).exports
  }

  /** A module as loaders see it. */
  readonly requireFor = (id: string): any => {
    if (isSubstituted(id)) {
      let exports = this.#substituted.get(id)
      if (exports === undefined) this.#substituted.set(id, (exports = substituteFor(id, this.#loader)))
      return exports
    }
    return isLoaderModule(id) ? this.require(id) : this.#requireOther(id)
  }

  /** Runs something of the loaders while another process is running, or none. */
  whileOthersRun(run: () => void): void {
    this.#shared.as(this, run)
  }

  /** The promise of an entry point that is an ES module, where Node keeps one (22 and later). */
  entryPointPromise(): Promise<unknown> | undefined {
    const { privateSymbols } = this.internalBinding('util')
    const symbol = privateSymbols.entry_point_promise_private_symbol
    return symbol === undefined ? undefined : this.global[symbol]
  }

  #load(id: string): { exports: any } {
    const { sources, amend } = this.#loader.thread
    const module = { exports: {} as any }
    this.#modules.set(id, module)
    try {
      const compiled = id === COMMON_JS ? this.#shared.detached(id) : sources.compiled(id)
      const { requireFor, process, internalBinding } = this
      const evaluate = (primordials: object): void =>
        compiled(module.exports, requireFor, module, process, internalBinding, primordials)
      this.#shared.as(this, () => sources.evaluate(id, this.global, evaluate))
    } catch (error) {
      this.#modules.delete(id)
      throw error
    }
    amend(id, module.exports)
    return module
  }
}

function memoizedJsonParse(): (text: string) => unknown {
  const results = new Map<string, unknown>()
  return (text) => {
    let result = results.get(text)
    if (result === undefined) results.set(text, (result = JSON.parse(text)))
    return result
  }
}

/** `WebAssembly.compile` finishes in a turn of the host's loop, which a step does not have. */
function synchronousWebAssembly(): object {
  const real = (globalThis as Record<string, any>).WebAssembly
  if (real === undefined) return {}
  return { __proto__: real, compile: async (bytes: ArrayBuffer) => new real.Module(bytes) }
}
