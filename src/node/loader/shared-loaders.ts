/**
 * Node's loader modules that programs cannot reach: one instance serves all processes of a thread, with variables of each
 * process's own (see library/parting/rewriting.ts). Booting a process then makes none of their classes, and V8 sees one
 * hidden class of module jobs, not one per process. These modules look up in each process what is its own, such as the
 * CommonJS loader, whose class programs change.
 *
 * Nothing of a process may be taken while such a module is loaded: it would be every process's. That is an error.
 *
 * The functions of the CommonJS loader are each process's own, but find its variables with the running process, too: what
 * they leave behind does not keep a dead process alive.
 */
import { InternalError } from '../../kernel/errors.ts'
import type { Binding } from '../library/internals.ts'
import { withoutCopies } from '../library/module-copies.ts'
import { isParted, scopeOf } from '../library/module-table.ts'
import {
  compileDetached,
  compilePartedCode,
  type Filling,
  type Variables,
} from '../library/parting/parted-modules.ts'
import { partedSourceOf, variablesOfSource } from '../library/parting/rewritten-library.ts'
import { isSubstituted } from './loader-substitutes.ts'
import type { LoaderSources } from './node-loaders.ts'

/** Not every version of Node has them all. */
const SHARED: ReadonlySet<string> = new Set([
  'internal/modules/esm/assert',
  'internal/modules/esm/formats',
  'internal/modules/esm/get_format',
  'internal/modules/esm/load',
  'internal/modules/esm/loader',
  'internal/modules/esm/module_job',
  'internal/modules/esm/module_map',
  'internal/modules/esm/package_config',
  'internal/modules/esm/resolve',
  'internal/modules/esm/translators',
  'internal/modules/esm/utils',
  'internal/modules/helpers',
  'internal/modules/package_json_reader',
  'internal/modules/package_map',
  'internal/modules/run_main',
  'internal/vm',
])

/** Of modules that need each other, the one that must be loaded first: it needs the other one whole (Node 20 and 22). */
const LED_BY: Readonly<Record<string, string>> = {
  'internal/modules/esm/get_format': 'internal/modules/esm/resolve',
}

/** The parameters of a module of Node's, besides `primordials`. */
const PARAMETERS = ['exports', 'require', 'module', 'process', 'internalBinding']

/** Objects of their top levels that are filled once: a translator is a function. */
const TABLES = ['translators']

// Taken when this module loads: during a burst, `process` is a simulated one.
const hostProcess = process

/** The members of the running process that these modules use. */
export interface LoadersOwner {
  /** Its records of variables, by the number of the module. */
  readonly parts: Variables[]
  readonly process: object
  readonly global: object
  requireFor(id: string): any
  internalBinding(name: string): Binding
}

function refuse(): never {
  throw new InternalError('a loader module of the thread took something of a process while it was loaded')
}

/** Stands for the running process while a module of the thread is loaded: it refuses everything. */
const NO_PROCESS: LoadersOwner = {
  get parts() {
    return refuse()
  },
  process: hostProcess,
  global: {},
  requireFor: refuse,
  internalBinding: refuse,
}

interface SharedModule {
  readonly number: number
  exports: any
}

export interface SharedLoadersOptions {
  readonly sources: LoaderSources
  /** A module of the host or the thread, as modules of the thread see it. */
  readonly require: (id: string) => any
  /** The loaders of the running process. */
  readonly current: () => LoadersOwner
  /** Changes a module after it was evaluated and before another one sees it. */
  readonly amend: (id: string, exports: any) => void
}

export class SharedLoaders {
  readonly #options: SharedLoadersOptions
  readonly #modules = new Map<string, SharedModule>()
  readonly #variables = new Map<string, readonly string[]>()
  readonly #detached = new Map<string, (...args: unknown[]) => void>()
  #numbers = 0
  /** The owner of what is asked for now, if it is not the running process. */
  #instead: LoadersOwner | null = null

  constructor(options: SharedLoadersOptions) {
    this.#options = options
  }

  has(id: string): boolean {
    return SHARED.has(id)
  }

  /** Whether a process has used a module. */
  isUsed(id: string, { parts }: LoadersOwner): boolean {
    const module = this.#modules.get(id)
    return module !== undefined && parts[module.number] !== undefined
  }

  require(id: string): any {
    return (this.#modules.get(id) ?? this.#load(id)).exports
  }

  /** Runs something of these modules for a process that is not the running one. */
  as<T>(owner: LoadersOwner | null, run: () => T): T {
    const outer = this.#instead
    this.#instead = owner
    try {
      return run()
    } finally {
      this.#instead = outer
    }
  }

  /** The function of a module of which every process has its own instance. */
  detached(id: string): (...args: unknown[]) => void {
    let compiled = this.#detached.get(id)
    if (compiled === undefined) {
      const { internals } = this.#options.sources
      const { fresh, run } = compileDetached(internals, id, PARAMETERS)
      const number = this.#numbers++
      const own = (): Variables => this.#owner().parts[number]
      compiled = (...args) => {
        this.#owner().parts[number] = fresh()
        run(own, ...args)
      }
      this.#detached.set(id, compiled)
    }
    return compiled
  }

  #owner(): LoadersOwner {
    return this.#instead ?? this.#options.current()
  }

  #load(id: string): SharedModule {
    const leader = LED_BY[id]
    if (leader !== undefined && !this.#modules.has(leader)) {
      this.require(leader)
      return this.#modules.get(id) ?? this.#load(id)
    }
    const module: SharedModule = { number: this.#numbers++, exports: {} }
    this.#modules.set(id, module)
    try {
      this.as(NO_PROCESS, () => withoutCopies(() => this.#evaluate(id, module)))
    } catch (error) {
      this.#modules.delete(id)
      throw error
    }
    this.#options.amend(id, module.exports)
    return module
  }

  #evaluate(id: string, module: SharedModule): void {
    const { sources } = this.#options
    const { number } = module
    const compiled = compilePartedCode(id, this.#part(id))
    const owner = (): LoadersOwner => this.#owner()
    let filling: Filling | undefined
    const first = (parts: Variables[]): Variables => {
      const variables = filling!.fresh()
      parts[number] = variables
      filling!.begin()
      return variables
    }
    const own = (): Variables => {
      const { parts } = owner()
      return parts[number] ?? first(parts)
    }
    const require = (name: string): any =>
      filling === undefined ? this.#requireWhileLoading(name) : owner().requireFor(name)
    const internalBinding = (name: string): Binding =>
      filling === undefined ? sources.internals.internalBinding(name) : owner().internalBinding(name)
    sources.evaluate(id, NO_PROCESS.global, (primordials) => {
      filling = compiled(
        own,
        () => owner().process,
        () => owner().global,
        module.exports,
        require,
        module,
        hostProcess,
        internalBinding,
        primordials,
      )
    })
  }

  #requireWhileLoading(id: string): any {
    if (this.has(id)) return this.require(id)
    if (isOfProcess(id))
      throw new InternalError(`a loader module of the thread took ${id} while it was loaded`)
    return this.#options.require(id)
  }

  #part(id: string): string {
    const variablesOf = (other: string): readonly string[] | 'all' =>
      this.has(other) ? this.#variablesIn(other) : ownModules(other)
    const { code, variables } = partedSourceOf(this.#sourceOf(id), { variablesOf, tables: TABLES })
    this.#variables.set(id, variables)
    return code
  }

  #variablesIn(id: string): readonly string[] {
    let variables = this.#variables.get(id)
    if (variables === undefined) {
      variables = variablesOfSource(this.#sourceOf(id), { variablesOf: ownModules, tables: TABLES })
      this.#variables.set(id, variables)
    }
    return variables
  }

  /** The policies of Node 20, by which a resolver is put together when it is loaded, are not supported. */
  #sourceOf(id: string): string {
    const source: string = this.#options.sources.internals.internalBinding('builtins').natives[id]
    return source.replaceAll("getOptionValue('--experimental-policy')", 'false')
  }
}

function ownModules(id: string): 'all' | [] {
  return isOfProcess(id) && !SHARED.has(id) ? 'all' : []
}

/** Whether every process has its own instance of a module, or of what it holds. */
function isOfProcess(id: string): boolean {
  return isSubstituted(id) || scopeOf(id) === 'process' || isParted(id)
}
