/**
 * Node's own module loaders (`internal/modules/*`, `module`, `vm`), instantiated for one process over its bindings.
 * Resolution, caches, error messages, `require.cache`, hooks and ESM/CommonJS interoperation are therefore the running
 * Node's. The sources are compiled once per thread, with Node's embedded code cache.
 */
import type { Binding, Internals } from '../internals.ts'
import { JsonTexts } from './json-texts.ts'

/** The modules made here; everything else they require comes from the process. */
export function isLoaderModule(id: string): boolean {
  return (
    id.startsWith('internal/modules/') ||
    id === 'module' ||
    id === 'vm' ||
    id === 'internal/vm' ||
    id.startsWith('internal/vm/')
  )
}

type Compiled = (...args: unknown[]) => void

/** The compiled sources of a thread. */
export class LoaderSources {
  readonly internals: Internals
  /** Parses a package.json once per thread: the loaders only read the result. */
  readonly parsePackageJson = memoizedJsonParse()
  /** JSON modules, of which every process has its own. */
  readonly json = new JsonTexts()
  readonly #compiled = new Map<string, Compiled>()
  readonly #primordials: { globalThis: object }
  /** Primordials of the modules that parse JSON. */
  readonly #parsing: Readonly<Record<string, object>>

  constructor(internals: Internals) {
    this.internals = internals
    const { primordials } = internals
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
  evaluate(id: string, global: object, run: (compiled: Compiled, primordials: object) => void): void {
    const primordials = this.#primordials
    const outer = primordials.globalThis
    primordials.globalThis = global
    try {
      run(this.#compile(id), this.#parsing[id] ?? primordials)
    } finally {
      primordials.globalThis = outer
    }
  }

  #compile(id: string): Compiled {
    let compiled = this.#compiled.get(id)
    if (compiled === undefined) this.#compiled.set(id, (compiled = this.internals.compileFunction(id)))
    return compiled
  }
}

export interface NodeLoadersOptions {
  readonly sources: LoaderSources
  readonly process: object
  /** Modules other than the loaders: the process's, the thread's or the host's instance. */
  readonly require: (id: string) => any
  readonly internalBinding: (name: string) => Binding
  /** Stand-ins for single modules, as only the loaders see them. */
  readonly substitutes: ReadonlyMap<string, () => any>
  /** Changes a loader module after it was evaluated and before another one sees it. */
  readonly amend: ReadonlyMap<string, (exports: any) => void>
}

export class NodeLoaders {
  readonly #options: NodeLoadersOptions
  /** What the loaders see as the global object: they leave marks on it, and compile WebAssembly through it. */
  readonly #global: Record<symbol, any>
  readonly #modules = new Map<string, { exports: any }>()
  readonly #substituted = new Map<string, any>()

  constructor(options: NodeLoadersOptions) {
    this.#options = options
    this.#global = {
      __proto__: options.sources.internals.primordials.globalThis,
      get WebAssembly(): object {
        return synchronousWebAssembly()
      },
    } as Record<symbol, any>
  }

  has(id: string): boolean {
    return this.#modules.has(id)
  }

  /** The process's instance of a loader module. */
  readonly require = (id: string): any => {
    const known = this.#modules.get(id)
    if (known !== undefined) return known.exports
    const { sources, process, internalBinding, amend } = this.#options
    const module = { exports: {} as any }
    this.#modules.set(id, module)
    try {
      sources.evaluate(id, this.#global, (compiled, primordials) =>
        compiled(module.exports, this.#requireFor, module, process, internalBinding, primordials),
      )
    } catch (error) {
      this.#modules.delete(id)
      throw error
    }
    amend.get(id)?.(module.exports)
    return module.exports
  }

  readonly #requireFor = (id: string): any => {
    const substitute = this.#options.substitutes.get(id)
    if (substitute !== undefined) {
      let exports = this.#substituted.get(id)
      if (exports === undefined) this.#substituted.set(id, (exports = substitute()))
      return exports
    }
    return isLoaderModule(id) ? this.require(id) : this.#options.require(id)
  }

  /** The promise of an entry point that is an ES module, where Node keeps one (22 and later). */
  entryPointPromise(): Promise<unknown> | undefined {
    const { privateSymbols } = this.#options.internalBinding('util')
    const symbol = privateSymbols.entry_point_promise_private_symbol
    return symbol === undefined ? undefined : this.#global[symbol]
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
