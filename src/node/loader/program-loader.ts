/**
 * The module loaders of one boot of one process, and the entry into its program.
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { InternalError } from '../../kernel/errors.ts'
import { ScriptInstances, type ScriptOwner } from '../bindings/modules/contextify.ts'
import { type ModuleOwner, ModuleRecords } from '../bindings/modules/module-wrap.ts'
import { createModulesBinding } from '../bindings/modules/modules.ts'
import { hostGlobals } from '../isolation/host-globals.ts'
import type { Binding } from '../library/internals.ts'
import { isLoaderModule } from '../library/module-table.ts'
import type { GlobalScope } from './compiling/bound-globals.ts'
import { BuiltinModules } from './builtin-modules.ts'
import { fillImportMeta } from './import-meta.ts'
import { LoaderFiles } from './loader-files.ts'
import { loaderOption } from './loader-process.ts'
import type { LoaderProcess } from './loader-process.ts'
import type { LoaderSettings } from './loader-settings.ts'
import type { LoaderThread } from './loader-thread.ts'
import { NodeLoaders } from './node-loaders.ts'
import type { PackageScopes } from './package-scopes.ts'
import type { CompiledFile, SourceTransform } from './compiling/program-compiler.ts'
import { observeGlobal } from './program-global.ts'
import { Remembered } from './remembered.ts'
import type { RunningLoader } from './running-loader.ts'
import { inspectorStandIn, isInspector } from './inspector-stand-in.ts'
import { callingFile, unsupportedBuiltin, unsupportedHooks, UNSUPPORTED_BUILTINS } from './unsupported.ts'

export interface ProgramLoaderOptions extends LoaderSettings {
  readonly thread: LoaderThread
  readonly process: LoaderProcess
}

export class ProgramLoader implements RunningLoader, ModuleOwner, ScriptOwner {
  readonly thread: LoaderThread
  readonly process: LoaderProcess
  readonly loaders: NodeLoaders
  readonly files: LoaderFiles
  readonly builtins: BuiltinModules
  readonly remembered: Remembered | null
  readonly scopes: PackageScopes = new Map()
  readonly addons: readonly string[]
  readonly globals: GlobalScope
  readonly transform: SourceTransform | undefined
  readonly records: ModuleRecords
  readonly scripts: ScriptInstances
  readonly #options: ProgramLoaderOptions
  readonly #importers = new Map<string, string>()
  #modules: Binding | undefined
  #mainUrl: string | undefined

  constructor(options: ProgramLoaderOptions) {
    this.#options = options
    const { thread, process } = options
    this.thread = thread
    this.process = process
    this.addons = options.addons ?? []
    this.globals = process.globals
    this.transform = options.transform
    this.records = new ModuleRecords(thread.internals, this)
    this.scripts = new ScriptInstances(this)
    this.builtins = new BuiltinModules({
      names: thread.builtins,
      ModuleWrap: thread.moduleWrap.ModuleWrap,
      requirePublic: (id) => this.#requirePublic(id),
      hostModules: this.#substituteModules(),
      exposeInternals: this.#option('--expose-internals') === true,
    })
    this.files = new LoaderFiles({
      thread,
      process,
      require: (id) => this.require(id),
      isBuiltin: this.builtins.isBuiltin,
    })
    this.remembered =
      process.files === undefined
        ? null
        : new Remembered(thread.resolutions, process.files, process.object as object)
    this.loaders = new NodeLoaders({
      loader: this,
      require: process.require,
      internalBinding: (name) => this.binding(name) ?? process.binding(name),
    })
  }

  /** The bindings this loader provides to its process. */
  binding(name: string): Binding | undefined {
    const { thread } = this
    if (name === 'contextify') return thread.contextify
    if (name === 'module_wrap') return thread.moduleWrap
    if (name === 'cjs_lexer') return thread.internals.internalBinding(name) // parses, nothing else
    if (name !== 'modules') return undefined
    this.#modules ??= createModulesBinding({
      readText: (path) => this.files.text(path),
      parse: thread.sources.parsePackageJson,
      host: thread.internals.internalBinding('modules'),
    })
    return this.#modules
  }

  /** The process's instance of a module for which {@link isLoaderModule} holds. */
  require(id: string): any {
    return this.loaders.require(id)
  }

  /**
   * The process has ended. The native half of an ES module holds the modules it imports for good, and what those reach
   * leads back to it through the loader's cache: a cycle that no collector sees. Without the cache there is none. The
   * class of CommonJS modules is old for V8 from the start: what it leads to is let go.
   */
  forgetModules(): void {
    if (this.loaders.has('internal/modules/esm/loader'))
      this.loaders.whileOthersRun(() => this.#esm()?.loadCache?.clear())
    if (this.loaders.has('internal/modules/cjs/loader')) {
      const { Module } = this.require('internal/modules/cjs/loader')
      Object.defineProperty(Module, '_cache', { value: null })
    }
    this.records.forgetGlobals()
  }

  /** Prepares the loaders as Node does before the program starts, and loads what `--require` names. */
  initialize(): void {
    if ((this.#option('--experimental-loader') as string[]).length > 0)
      throw unsupportedHooks('--experimental-loader')
    this.require('internal/modules/cjs/loader').initializeCJS()
    this.require('internal/modules/esm/get_format').initializeExtensionFormatMap?.()
    this.require('internal/modules/esm/utils').initializeESM()
    if (this.#option('--experimental-vm-modules')) {
      const { Module, SourceTextModule, SyntheticModule } = this.require('internal/vm/module')
      Object.assign(this.require('vm'), { Module, SourceTextModule, SyntheticModule })
    }
    const preloads = this.#option('--require') as string[] | undefined
    if (preloads?.length) this.require('internal/modules/cjs/loader').Module._preloadModules(preloads)
  }

  /**
   * Runs the program. What a CommonJS entry throws is thrown here; failures of an ES module go to the process's
   * `errors.triggerUncaughtException`, as in Node.
   */
  runMain(entry: string): void {
    const { Module } = this.require('internal/modules/cjs/loader')
    Module.runMain(resolve(this.#options.process.object.cwd(), entry))
  }

  /** Imports into the process: for processes that are functions, and for test files. */
  import(specifier: string, parentUrl?: string): Promise<any> {
    return this.#esm().import(specifier, parentUrl, { __proto__: null })
  }

  /** Whether the entry point is an ES module that waits for something that never came: Node then exits with 13. */
  hasUnsettledEntryPoint(): boolean {
    const promise = this.loaders.entryPointPromise()
    if (promise === undefined) return false
    const { getPromiseDetails, constants } = this.#options.thread.internals.internalBinding('util')
    return getPromiseDetails(promise)[0] === constants.kPending
  }

  /** To be called when the program replaces one of its globals. */
  globalChanged(name: string, value: unknown): void {
    this.scripts.globalChanged(name, value)
    this.records.globalChanged(name, value)
  }

  loaded({ assertions }: CompiledFile): void {
    if (assertions.length > 0) this.#options.onAssertions?.(assertions)
  }

  warn(message: string): void {
    this.process.require('internal/process/warning').emitWarningSync(message)
  }

  printsResult(): boolean {
    return Boolean(this.#option('--print'))
  }

  importModuleDynamically(specifier: string, referrer: string, attributes: unknown, phase: unknown[]) {
    const parentUrl = this.require('internal/modules/helpers').normalizeReferrerURL(referrer)
    return this.#esm().import(specifier, parentUrl, attributes, ...phase)
  }

  warnOfDefaultLoader(): void {
    const { emitExperimentalWarning } = this.#options.process.require('internal/util')
    emitExperimentalWarning('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER')
  }

  initializeImportMeta(meta: any, url: string): void {
    const loader = this.#esm()
    const isMain = url === this.#mainUrl
    if (typeof loader.importMetaInitialize === 'function') {
      loader.importMetaInitialize(meta, { url, isMain })
      return
    }
    fillImportMeta(meta, { url, isMain }, loader)
  }

  started(): void {
    const { global } = this.#options.process
    if (global === undefined) return
    const observed = observeGlobal(global, (name, value) => {
      this.globalChanged(name, value)
      hostGlobals.add(name)
    })
    for (const name of ['globalThis', 'global']) {
      Object.defineProperty(global, name, { value: observed, writable: true, configurable: true })
    }
  }

  #esm(): any {
    return this.require('internal/modules/esm/loader').getOrInitializeCascadedLoader()
  }

  #inspector: object | null = null

  #requirePublic(id: string): any {
    const reason = UNSUPPORTED_BUILTINS.get(id)
    if (reason !== undefined) {
      throw unsupportedBuiltin(id, reason, this.#importers.get(`node:${id}`) ?? callingFile())
    }
    if (isLoaderModule(id)) return this.require(id)
    const { process } = this.#options
    if (isInspector(id)) {
      const EventEmitter = process.requirePublic('events')
      return (this.#inspector ??= inspectorStandIn(EventEmitter, process.requirePublic('console')))
    }
    return id.startsWith('internal/') ? process.require(id) : process.requirePublic(id)
  }

  /** Host modules and externals: names that mean something else than Node would make of them. */
  #substituteModules(): ReadonlyMap<string, () => any> {
    const { hostModules = {}, externals = {}, root } = this.#options
    const modules = new Map<string, () => any>()
    for (const [name, namespace] of Object.entries(hostModules)) modules.set(bare(name), () => namespace)
    for (const [name, target] of Object.entries(externals)) {
      if (root === undefined) throw new InternalError('externals need a root to be resolved from')
      const base = `${root}/package.json`
      modules.set(bare(name), () => {
        if (target === 'host') return createRequire(base)(name)
        return this.require('internal/modules/cjs/loader').Module.createRequire(base)(target)
      })
    }
    return modules
  }

  #option(name: string): unknown {
    return loaderOption(this.#options.process, name)
  }

  imported(url: string, importer: string | undefined): void {
    if (importer === undefined) this.#mainUrl ??= url
    else if (url.startsWith('node:') && !this.#importers.has(url)) this.#importers.set(url, importer)
  }
}

function bare(name: string): string {
  return name.startsWith('node:') ? name.slice(5) : name
}
