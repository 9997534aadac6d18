/**
 * Builtin modules as one process sees them: the counterpart of `BuiltinModule` in Node's `internal/bootstrap/realm`,
 * which Node's module loaders ask for everything that is not a file. The host knows the names of builtins; their
 * exports are the process's own instances.
 *
 * Host modules stand beside them: names that a program imports and that must be the *host's* instance (wavetank itself,
 * the test runner of an exploration). To Node's loaders they are builtins with odd names.
 */
import { evaluateSynthetic } from '../bindings/modules/module-wrap.ts'
import type { Internals } from '../library/internals.ts'

/** Finds a process's instance of a public builtin; throws when the tank does not support it. */
export type RequirePublic = (id: string) => any

/** Specifier → the exports, made when first asked for. */
export type HostModules = ReadonlyMap<string, () => any>

/** The names of public builtins; the same for all processes of a thread. */
export class BuiltinNames {
  readonly all: readonly string[]
  readonly public: ReadonlySet<string>
  readonly publicWithoutScheme: ReadonlySet<string>
  readonly withoutScheme: readonly string[]
  readonly schemeOnly: readonly string[]
  /** For `--expose-internals`. */
  readonly internal: readonly string[]

  constructor(internals: Internals) {
    const { BuiltinModule } = internals.require('internal/bootstrap/realm')
    this.all = internals.builtinIds.filter(
      (id) => !id.startsWith('internal/') && BuiltinModule.canBeRequiredByUsers(id),
    )
    const isInternal = (id: string): boolean =>
      id.startsWith('internal/') && id !== 'internal/bootstrap/realm'
    this.internal = internals.builtinIds.filter(isInternal)
    this.withoutScheme = this.all.filter((id) => BuiltinModule.canBeRequiredWithoutScheme(id))
    this.schemeOnly = this.all.filter((id) => !BuiltinModule.canBeRequiredWithoutScheme(id))
    this.public = new Set(this.all)
    this.publicWithoutScheme = new Set(this.withoutScheme)
  }
}

export interface BuiltinModulesOptions {
  readonly names: BuiltinNames
  /** The process's class of module records. */
  readonly ModuleWrap: new (...args: any[]) => any
  readonly requirePublic: RequirePublic
  readonly hostModules: HostModules
  readonly exposeInternals: boolean
}

/** One of them. The class is the same for all processes, so that V8 sees one hidden class. */
class BuiltinModule {
  readonly id: string
  readonly filename: string
  exports: any = {}
  loaded = false
  loading = false
  module: any = undefined
  exportKeys: string[] | undefined = undefined
  canBeRequiredByUsers = true
  canBeRequiredWithoutScheme: boolean
  readonly #of: BuiltinModulesOptions

  constructor(of: BuiltinModulesOptions, id: string, canBeRequiredWithoutScheme: boolean) {
    this.#of = of
    this.id = id
    this.filename = `${id}.js`
    this.canBeRequiredWithoutScheme = canBeRequiredWithoutScheme
  }

  compileForPublicLoader(): any {
    if (!this.loaded) {
      const { hostModules, requirePublic } = this.#of
      const hostModule = hostModules.get(this.id)
      this.exports = hostModule === undefined ? requirePublic(this.id) : hostModule()
      this.loaded = true
      // Listing an internal module's exports may trigger its getters.
      this.exportKeys = this.id.startsWith('internal/') ? [] : Object.keys(this.exports)
    }
    return this.exports
  }

  getESMFacade(): any {
    if (this.module !== undefined) return this.module
    const { hostModules, ModuleWrap } = this.#of
    const keys = this.exportKeys!.includes('default') ? this.exportKeys! : [...this.exportKeys!, 'default']
    const isNamespace = hostModules.has(this.id) && 'default' in Object(this.exports)
    this.module = new ModuleWrap(`node:${this.id}`, undefined, keys, () => {
      this.syncExports()
      this.module.setExport('default', isNamespace ? this.exports.default : this.exports)
    })
    evaluateSynthetic(this.module)
    return this.module
  }

  syncExports(): void {
    if (this.module === undefined) return
    for (const name of this.exportKeys!) {
      if (name === 'default') continue
      this.module.setExport(name, Object.hasOwn(this.exports, name) ? this.exports[name] : undefined)
    }
  }
}

/** The part of the class `BuiltinModule` that Node's loaders use, for one process. */
export class BuiltinModules {
  readonly #options: BuiltinModulesOptions
  readonly #internals: ReadonlySet<string>
  readonly #made = new Map<string, BuiltinModule>()

  constructor(options: BuiltinModulesOptions) {
    this.#options = options
    this.#internals = new Set(options.exposeInternals ? options.names.internal : [])
  }

  /** Each is made when it is asked for; who goes through them all wants those that were. */
  readonly map = {
    get: (id: string): BuiltinModule | undefined => {
      let module = this.#made.get(id)
      if (module === undefined && this.canBeRequiredByUsers(id))
        this.#made.set(
          id,
          (module = new BuiltinModule(this.#options, id, this.canBeRequiredWithoutScheme(id))),
        )
      return module
    },
    values: (): Iterable<BuiltinModule> => this.#made.values(),
  }

  // Node takes them out of the class: they are bound.
  readonly exists = (id: string): boolean => this.canBeRequiredByUsers(id) || id.startsWith('internal/')

  readonly canBeRequiredByUsers = (id: string): boolean =>
    this.#options.names.public.has(id) || this.#isAdded(id)

  readonly canBeRequiredWithoutScheme = (id: string): boolean =>
    this.#options.names.publicWithoutScheme.has(id) || this.#isAdded(id)

  readonly normalizeRequirableId = (id: string): string | undefined => {
    if (id.startsWith('node:')) {
      const bare = id.slice(5)
      return this.canBeRequiredByUsers(bare) ? bare : undefined
    }
    return this.canBeRequiredWithoutScheme(id) ? id : undefined
  }

  readonly isBuiltin = (id: unknown): boolean => {
    if (typeof id !== 'string') return false
    return (
      this.canBeRequiredWithoutScheme(id) ||
      (id.startsWith('node:') && this.canBeRequiredByUsers(id.slice(5)))
    )
  }

  readonly getCanBeRequiredByUsersWithoutSchemeList = (): string[] => [...this.#options.names.withoutScheme]

  readonly getSchemeOnlyModuleNames = (): string[] => [...this.#options.names.schemeOnly]

  readonly getAllBuiltinModuleIds = (): string[] => {
    const { withoutScheme, schemeOnly } = this.#options.names
    return [...withoutScheme, ...schemeOnly.map((id) => `node:${id}`)]
  }

  readonly exposeInternals = (): void => {}

  /** Node gives it `isPreloading`, which no program asks a builtin for. */
  readonly prototype = {}

  #isAdded(id: string): boolean {
    return this.#options.hostModules.has(id) || this.#internals.has(id)
  }
}
