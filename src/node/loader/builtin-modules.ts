/**
 * Builtin modules as one process sees them: the counterpart of `BuiltinModule` in Node's `internal/bootstrap/realm`,
 * which Node's module loaders ask for everything that is not a file. Which names are builtin is the host's knowledge;
 * what they export is the process's own instance.
 *
 * Host modules stand beside them: names that a program imports and that must be the *host's* instance (wavetank itself,
 * the test runner of an exploration). To Node's loaders they are builtins with odd names.
 */
import { evaluateSynthetic } from '../bindings/module-wrap.ts'
import type { Internals } from '../internals.ts'

/** Finds a process's instance of a public builtin; throws when the tank does not support it. */
export type RequirePublic = (id: string) => any

/** Specifier → the exports, made when first asked for. */
export type HostModules = ReadonlyMap<string, () => any>

/** The class, with the static members that Node's loaders use. */
export interface BuiltinModuleClass {
  new (id: string): object
  readonly map: Pick<ReadonlyMap<string, any>, 'get' | 'values'>
}

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

export function createBuiltinModules(options: BuiltinModulesOptions): BuiltinModuleClass {
  const { names, ModuleWrap, requirePublic, hostModules } = options
  const internals: ReadonlySet<string> = new Set(options.exposeInternals ? names.internal : [])
  const isAdded = (id: string): boolean => hostModules.has(id) || internals.has(id)
  const byUsers = (id: string): boolean => names.public.has(id) || isAdded(id)
  const withoutScheme = (id: string): boolean => names.publicWithoutScheme.has(id) || isAdded(id)

  const made = new Map<string, BuiltinModule>()

  class BuiltinModule {
    readonly id: string
    readonly filename: string
    exports: any = {}
    loaded = false
    loading = false
    module: any
    exportKeys: string[] | undefined
    canBeRequiredByUsers = true
    canBeRequiredWithoutScheme: boolean

    constructor(id: string) {
      this.id = id
      this.filename = `${id}.js`
      this.canBeRequiredWithoutScheme = withoutScheme(id)
    }

    /** Each is made when it is asked for; who goes through them all wants those that were. */
    static readonly map = {
      get(id: string): BuiltinModule | undefined {
        let module = made.get(id)
        if (module === undefined && byUsers(id)) made.set(id, (module = new BuiltinModule(id)))
        return module
      },
      values: () => made.values(),
    }

    static exists(id: string): boolean {
      return byUsers(id) || id.startsWith('internal/')
    }
    static canBeRequiredByUsers(id: string): boolean {
      return byUsers(id)
    }
    static canBeRequiredWithoutScheme(id: string): boolean {
      return withoutScheme(id)
    }
    static normalizeRequirableId(id: string): string | undefined {
      if (id.startsWith('node:')) {
        const bare = id.slice(5)
        return byUsers(bare) ? bare : undefined
      }
      return withoutScheme(id) ? id : undefined
    }
    static isBuiltin(id: unknown): boolean {
      if (typeof id !== 'string') return false
      return withoutScheme(id) || (id.startsWith('node:') && byUsers(id.slice(5)))
    }
    static getCanBeRequiredByUsersWithoutSchemeList(): string[] {
      return [...names.withoutScheme]
    }
    static getSchemeOnlyModuleNames(): string[] {
      return [...names.schemeOnly]
    }
    static getAllBuiltinModuleIds(): string[] {
      return [...names.withoutScheme, ...names.schemeOnly.map((id) => `node:${id}`)]
    }
    static exposeInternals(): void {}

    compileForPublicLoader(): any {
      if (!this.loaded) {
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

  return BuiltinModule
}
