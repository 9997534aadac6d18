/**
 * The module loaders of one boot of one process, and the entry into its program.
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InternalError } from '../../kernel/errors.ts'
import { createContextifyBinding } from '../bindings/contextify.ts'
import type { ContextifyBinding } from '../bindings/contextify.ts'
import { createModuleWrapBinding } from '../bindings/module-wrap.ts'
import type { ModuleWrapBinding } from '../bindings/module-wrap.ts'
import { createModulesBinding } from '../bindings/modules.ts'
import type { LoadingFiles } from '../bindings/fs-loading.ts'
import { hostGlobals } from '../host-globals.ts'
import type { Binding } from '../internals.ts'
import type { AssertionSite } from './assertion-sites.ts'
import type { GlobalScope } from './bound-globals.ts'
import { createBuiltinModules } from './builtin-modules.ts'
import type { BuiltinModuleClass } from './builtin-modules.ts'
import type { LoaderThread } from './loader-thread.ts'
import { rememberScopes } from './package-scopes.ts'
import { isLoaderModule, NodeLoaders } from './node-loaders.ts'
import type { CompiledFile, Referrer, SourceTransform } from './program-compiler.ts'
import { Remembered } from './remembered.ts'
import { rememberRequires } from './remembered-requires.ts'
import { amendCommonJs, amendFormats, amendResolve, formatOf } from './resolution.ts'
import type { ProgramFiles } from './resolution.ts'
import { observeGlobal } from './program-global.ts'
import { TypeScriptProjects } from './tsconfig.ts'
import { isTypeScript } from './typescript.ts'
import {
  callingFile,
  packageOf,
  unsupportedAddon,
  unsupportedBuiltin,
  unsupportedHooks,
  UNSUPPORTED_BUILTINS,
} from './unsupported.ts'

/** The process, as far as its loader needs it. */
export interface LoaderProcess {
  /** The process object of the program. */
  readonly object: any
  readonly globals: GlobalScope
  /** The global object, to be observed: programs replace globals and then use them by their bare names. */
  readonly global?: Record<string | symbol, any>
  /** An internal or public module other than the loaders, as Node's library inside the process sees it. */
  require(id: string): any
  /** A public module, as programs see it. */
  requirePublic(id: string): any
  binding(name: string): Binding
  /** Its disk; none for a process that has no disk, or not a simulated one. */
  readonly files?: LoadingFiles | undefined
}

export interface ProgramLoaderOptions {
  readonly thread: LoaderThread
  readonly process: LoaderProcess
  /** Specifier → namespace of a module of the host, such as wavetank's own. */
  readonly hostModules?: Readonly<Record<string, unknown>>
  /** Specifier → path of a module to load instead, or 'host' for the host's own instance of a pure package. */
  readonly externals?: Readonly<Record<string, string>>
  /** Where `externals` are resolved from. */
  readonly root?: string
  /** Packages whose native addons may be loaded. */
  readonly addons?: readonly string[]
  /** Rewrites the program's files, such as the one that makes every `await` a scheduling point. */
  readonly transform?: SourceTransform | undefined
  /** Told of the assertions in a file each time the process loads it. */
  readonly onAssertions?: ((sites: readonly AssertionSite[]) => void) | undefined
}

/** Node's own TypeScript support is off: the tank's covers more, on all versions. */
const FIXED_OPTIONS: ReadonlyMap<string, unknown> = new Map([
  ['--experimental-strip-types', false],
  ['--strip-types', false],
  ['--experimental-transform-types', false],
])

/** As JavaScript and as WebAssembly; newer versions have neither. */
const LEXERS = ['internal/deps/cjs-module-lexer/lexer', 'internal/deps/cjs-module-lexer/dist/lexer'] as const

export class ProgramLoader implements Referrer {
  readonly #options: ProgramLoaderOptions
  readonly #loaders: NodeLoaders
  readonly #contextify: ContextifyBinding
  readonly #moduleWrap: ModuleWrapBinding
  readonly #builtins: BuiltinModuleClass
  readonly #files: ProgramFiles
  readonly #remembered: Remembered | null
  readonly #importers = new Map<string, string>()
  #modules: Binding | undefined
  #mainUrl: string | undefined

  constructor(options: ProgramLoaderOptions) {
    this.#options = options
    const { thread, process } = options
    const { internals, compiler } = thread
    const { globals } = process
    const { transform, onAssertions } = options
    const loaded = (file: CompiledFile): void => {
      if (file.assertions.length > 0) onAssertions?.(file.assertions)
    }
    const warn = (message: string): void =>
      process.require('internal/process/warning').emitWarningSync(message)
    const printsResult = (): boolean => Boolean(this.#option('--print'))
    const given = { internals, compiler, globals, transform, loaded, warn, printsResult }
    this.#contextify = createContextifyBinding(given)
    this.#moduleWrap = createModuleWrapBinding({ internals, compiler, globals, transform, loaded })
    this.#builtins = createBuiltinModules({
      names: thread.builtins,
      ModuleWrap: this.#moduleWrap.binding.ModuleWrap,
      requirePublic: (id) => this.#requirePublic(id),
      hostModules: this.#substituteModules(),
      exposeInternals: this.#option('--expose-internals') === true,
    })
    const { files } = process
    this.#remembered =
      files === undefined ? null : new Remembered(thread.resolutions, files, process.object as object)
    this.#files = {
      isBuiltin: (specifier) => (this.#builtins as any).isBuiltin(specifier),
      readSource: (filename) => this.#fs().readFileSync(filename, 'utf8'),
      packageType: (filename) => this.#packageType(filename),
      projects: new TypeScriptProjects((path) => this.#readText(path)),
    }
    this.#loaders = new NodeLoaders({
      sources: thread.sources,
      process: process.object,
      require: (id) => process.require(id),
      internalBinding: (name) => this.binding(name) ?? process.binding(name),
      substitutes: new Map<string, () => any>([
        ['fs', () => this.#fs()],
        ['internal/fs/promises', () => this.#fsPromises()],
        ['internal/options', () => this.#cliOptions()],
        ['internal/bootstrap/realm', () => ({ BuiltinModule: this.#builtins })],
        ['internal/process/pre_execution', preExecution],
        ...LEXERS.map((id) => [id, () => thread.exportNames.remember(process.require(id))] as const),
      ]),
      amend: new Map<string, (exports: any) => void>([
        ['internal/modules/cjs/loader', (exports) => this.#amendCommonJs(exports.Module)],
        ['internal/modules/esm/get_format', amendFormats],
        ['internal/modules/package_json_reader', rememberScopes],
        ['internal/modules/esm/resolve', (exports) => this.#amendResolve(exports)],
        ['internal/modules/esm/loader', amendRegister],
        ['internal/modules/esm/utils', (exports) => this.#amendRegistry(exports)],
        ['internal/modules/helpers', (exports) => this.#amendGetBuiltin(exports)],
      ]),
    })
  }

  /** The bindings this loader provides to its process. */
  binding(name: string): Binding | undefined {
    if (name === 'contextify') return this.#contextify.binding
    if (name === 'module_wrap') return this.#moduleWrap.binding
    const { thread } = this.#options
    if (name === 'cjs_lexer') return thread.internals.internalBinding(name) // parses, nothing else
    if (name !== 'modules') return undefined
    this.#modules ??= createModulesBinding({
      readText: (path) => this.#readText(path),
      parse: thread.sources.parsePackageJson,
      host: thread.internals.internalBinding('modules'),
    })
    return this.#modules
  }

  /** The process's instance of a module for which {@link isLoaderModule} holds. */
  require(id: string): any {
    return this.#loaders.require(id)
  }

  /** Whether the process has made its instance of a loader module yet. */
  has(id: string): boolean {
    return this.#loaders.has(id)
  }

  /** Prepares the loaders as Node does before the program starts, and loads what `--require` names. */
  initialize(): void {
    if ((this.#option('--experimental-loader') as string[]).length > 0)
      throw unsupportedHooks('--experimental-loader')
    this.require('internal/modules/cjs/loader').initializeCJS()
    this.require('internal/modules/esm/resolve') // before get_format, which it needs whole on Node 20 and 22
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
    const promise = this.#loaders.entryPointPromise()
    if (promise === undefined) return false
    const { getPromiseDetails, constants } = this.#options.thread.internals.internalBinding('util')
    return getPromiseDetails(promise)[0] === constants.kPending
  }

  /** To be called when the program replaces one of its globals. */
  globalChanged(name: string, value: unknown): void {
    this.#contextify.globalChanged(name, value)
    this.#moduleWrap.globalChanged(name, value)
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
    // Node 26 does this natively; keys in alphabetical order.
    if (url.startsWith('file:')) {
      meta.dirname = fileURLToPath(new URL('.', url)).replace(/(.)\/$/, '$1')
      meta.filename = fileURLToPath(url)
    }
    meta.main = isMain
    meta.resolve = (specifier: string) => this.#resolveFrom(specifier, url)
    meta.url = url
  }

  #resolveFrom(specifier: string, parentUrl: string): string {
    try {
      return this.#esm().resolveSync(parentUrl, { specifier, __proto__: null }).url
    } catch (error: any) {
      const isMissing = error?.code === 'ERR_UNSUPPORTED_DIR_IMPORT' || error?.code === 'ERR_MODULE_NOT_FOUND'
      if (isMissing && error.url) return error.url
      throw error
    }
  }

  #observeGlobal(): void {
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

  #requirePublic(id: string): any {
    const reason = UNSUPPORTED_BUILTINS.get(id)
    if (reason !== undefined) {
      throw unsupportedBuiltin(id, reason, this.#importers.get(`node:${id}`) ?? callingFile())
    }
    if (isLoaderModule(id)) return this.require(id)
    const { process } = this.#options
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

  /** Node's `fs`, whose program files are JavaScript already. Only the loaders see it. */
  #fs(): any {
    const { process } = this.#options
    const { files } = process
    const fs = process.require('fs')
    const { readFileSync, realpathSync } = fs
    /** Straight from the disk, unless the program has put something in between. */
    const readText = (path: string): string => {
      const isPlain = files !== undefined && fs.readFileSync === readFileSync
      return (isPlain ? files.imageText(path) : null) ?? fs.readFileSync(path, 'utf8')
    }
    return {
      __proto__: fs,
      readFileSync: (file: string | URL, options: unknown): string | Buffer => {
        const filename = typeof file === 'string' ? file : fileURLToPath(file)
        if (isTypeScript(filename)) return this.#compileTypeScript(readText(filename), filename)
        return options === 'utf8' ? readText(filename) : fs.readFileSync(file, options)
      },
      realpathSync: (path: string, options: unknown): string => {
        if (files === undefined || fs.realpathSync !== realpathSync) return fs.realpathSync(path, options)
        return files.realPath(path)
      },
    }
  }

  /** As {@link #fs}. Node reads modules with promises; callbacks do the same without a further library. */
  #fsPromises(): any {
    const fs = this.#options.process.require('fs')
    const read = (file: string | URL, options: unknown): Promise<any> =>
      new Promise((done, failed) => {
        fs.readFile(file, options, (error: Error | null, data: unknown) =>
          error ? failed(error) : done(data),
        )
      })
    return {
      exports: {
        readFile: (file: string | URL, options: unknown): Promise<string | Buffer> => {
          const filename = typeof file === 'string' ? file : fileURLToPath(file)
          if (!isTypeScript(filename)) return read(file, options)
          return read(filename, 'utf8').then((source: string) => this.#compileTypeScript(source, filename))
        },
      },
    }
  }

  #compileTypeScript(source: string, filename: string): string {
    return this.#options.thread.typescript.compile(source, filename, {
      settings: this.#files.projects.settingsOf(filename),
      isCommonJs: formatOf(filename, this.#files) === 'commonjs',
    })
  }

  #cliOptions(): any {
    return {
      __proto__: this.#options.process.require('internal/options'),
      getOptionValue: (name: string) => this.#option(name),
    }
  }

  #option(name: string): unknown {
    if (FIXED_OPTIONS.has(name)) return FIXED_OPTIONS.get(name)
    return this.#options.process.require('internal/options').getOptionValue(name)
  }

  #readText(path: string): string | undefined {
    const { files } = this.#options.process
    if (files !== undefined) return files.text(path) ?? undefined
    const fs = this.#options.process.require('fs')
    try {
      return fs.readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  }

  #packageType(filename: string): string | undefined {
    const reader = this.require('internal/modules/package_json_reader')
    // Node 20 calls it readPackageScope.
    const nearest = reader.getNearestParentPackageJSON ?? reader.readPackageScope
    return nearest(filename)?.data?.type
  }

  #amendCommonJs(Module: any): void {
    this.#observeGlobal() // Node's bootstrap is over when the loaders are first asked for
    amendCommonJs(Module, this.#files)
    this.#rememberRequires(Module)
    const { addons = [] } = this.#options
    Module._extensions['.node'] = (module: any, filename: string): void => {
      if (!addons.includes(packageOf(filename))) throw unsupportedAddon(filename, callingFile())
      module.exports = createRequire(filename)(filename)
    }
  }

  #rememberRequires(Module: any): void {
    const remembered = this.#remembered
    if (remembered === null) return
    const { execArgv, env } = this.#options.process.object
    const { NODE_OPTIONS, NODE_PRESERVE_SYMLINKS, NODE_PRESERVE_SYMLINKS_MAIN } = env
    const flags = JSON.stringify([
      execArgv,
      NODE_OPTIONS,
      NODE_PRESERVE_SYMLINKS,
      NODE_PRESERVE_SYMLINKS_MAIN,
    ])
    const { isBuiltin } = this.#files
    rememberRequires(Module, { remembered, memory: this.#options.thread.resolutions, isBuiltin, flags })
  }

  #amendResolve(exports: any): void {
    amendResolve(exports, { files: this.#files, seen: this.#noteImporter, remembered: this.#remembered })
  }

  readonly #noteImporter = (url: string, importer: string | undefined): void => {
    if (importer === undefined) this.#mainUrl ??= url
    else if (url.startsWith('node:') && !this.#importers.has(url)) this.#importers.set(url, importer)
  }

  /** The engine calls the host's registry. */
  #amendRegistry(exports: any): void {
    exports.registerModule = this.#options.thread.internals.require(
      'internal/modules/esm/utils',
    ).registerModule
  }

  #amendGetBuiltin(exports: any): void {
    const builtins = this.#builtins as any
    const { validateString } = this.#options.thread.internals.require('internal/validators')
    exports.getBuiltinModule = function getBuiltinModule(id: string): any {
      validateString(id, 'id')
      const name = builtins.normalizeRequirableId(id)
      return name === undefined ? undefined : builtins.map.get(name).compileForPublicLoader()
    }
  }
}

/** What the loaders ask of Node's start-up code: `initialize` has done it, or there is nothing to do. */
function preExecution(): object {
  return { loadPreloadModules() {}, initializeFrozenIntrinsics() {}, finishVfsMounts() {} }
}

/** `module.register()` runs its hooks on another thread and waits for it. */
function amendRegister(exports: any): void {
  exports.register = function register(): never {
    throw unsupportedHooks('module.register()')
  }
}

function bare(name: string): string {
  return name.startsWith('node:') ? name.slice(5) : name
}
