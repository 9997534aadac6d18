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

  constructor(internals: Internals) {
    this.internals = internals
  }

  compile(id: string): Compiled {
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
  readonly #primordials: object
  /** Primordials of the modules that parse JSON. */
  readonly #parsing: Readonly<Record<string, object>>
  readonly #modules = new Map<string, { exports: any }>()
  readonly #substituted = new Map<string, any>()

  constructor(options: NodeLoadersOptions) {
    this.#options = options
    const { primordials } = options.sources.internals
    // Loaders leave marks on the global object (the entry point's promise), and compile WebAssembly through it; what
    // they see is an object of this process.
    const global = {
      __proto__: primordials.globalThis,
      get WebAssembly(): object {
        return synchronousWebAssembly()
      },
    }
    this.#primordials = { __proto__: primordials, globalThis: global }
    const { parsePackageJson, json } = options.sources
    const modulePrimordials = { __proto__: this.#primordials, JSONParse: json.parse }
    this.#parsing = {
      'internal/modules/package_json_reader': { __proto__: this.#primordials, JSONParse: parsePackageJson },
      'internal/modules/cjs/loader': modulePrimordials,
      'internal/modules/esm/translators': modulePrimordials,
    }
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
      const compiled = sources.compile(id)
      const primordials = this.#parsing[id] ?? this.#primordials
      compiled(module.exports, this.#requireFor, module, process, internalBinding, primordials)
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
    const global = (this.#primordials as Record<string, any>).globalThis as Record<symbol, any>
    return symbol === undefined ? undefined : global[symbol]
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
