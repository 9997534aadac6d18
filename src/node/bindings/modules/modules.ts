/**
 * The `modules` binding (Node 22 and later; src/node_modules.cc): reads `package.json` files for Node's own resolver,
 * here from the simulated disk. Node 20 has no such binding: its reader sits on `fs.internalModuleReadJSON`.
 *
 * Results are cached per process for its lifetime, as in Node: a `package.json` changed while a program runs is not
 * seen. The compile cache of Node is always off here: the tank keeps its own per thread.
 */
import { fileURLToPath } from 'node:url'
import { dirname, toNamespacedPath } from 'node:path'
import type { Binding } from '../../library/internals.ts'

/** name, main, type, imports and exports (strings, or JSON text of what is not a string), path. */
type PackageConfig = readonly [string?, string?, string?, string?, string?, string?]

interface ErrorContext {
  readonly base: string | undefined
  readonly specifier: string
}

export interface ModulesBindingOptions {
  /** The text of a file on the process's disk, undefined when it cannot be read. */
  readonly readText: (path: string) => string | undefined
  /** Parses JSON; may return the same object again. */
  readonly parse: (text: string) => unknown
  /** The host's binding, for its constants; undefined on Node 20. */
  readonly host: Binding | undefined
}

export function createModulesBinding({ readText, parse, host }: ModulesBindingOptions): Binding {
  const configs = new Map<string, PackageConfig | undefined>()

  function read(path: string, context?: ErrorContext): PackageConfig | undefined {
    const known = configs.get(path)
    if (known !== undefined || configs.has(path)) return known
    const text = readText(path)
    if (text === undefined) return undefined // absence is not cached, as in Node
    const config = configOf(text, path, context)
    configs.set(path, config)
    return config
  }

  function configOf(text: string, path: string, context?: ErrorContext): PackageConfig {
    let json: any
    try {
      json = parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
    } catch {
      throw invalid(path, context)
    }
    if (json === null || typeof json !== 'object' || Array.isArray(json)) throw invalid(path, context)
    if (json.name !== undefined && typeof json.name !== 'string') throw invalid(path, context)
    if (json.type !== undefined && typeof json.type !== 'string') throw invalid(path, context)
    return [
      json.name,
      typeof json.main === 'string' ? json.main : undefined,
      json.type === 'module' || json.type === 'commonjs' ? json.type : 'none',
      serialize(json.imports),
      serialize(json.exports),
      path,
    ]
  }

  function nearest(checkPath: string): PackageConfig | undefined {
    for (let folder = dirname(checkPath); ; folder = dirname(folder)) {
      if (dirname(folder) === folder || folder.endsWith('/node_modules')) return undefined
      const config = read(`${folder}/package.json`)
      if (config !== undefined) return config
    }
  }

  function scope(resolved: string): PackageConfig | string {
    let url = new URL('./package.json', resolved)
    for (;;) {
      if (url.pathname.endsWith('/node_modules/package.json')) break
      const config = read(fileURLToPath(url), { base: undefined, specifier: resolved })
      if (config !== undefined) return config
      const parent = new URL('../package.json', url)
      if (parent.pathname === url.pathname) break
      url = parent
    }
    return fileURLToPath(url)
  }

  return {
    readPackageJSON(path: string, isEsm?: boolean, base?: string, specifier?: string) {
      return read(toNamespacedPath(path), isEsm === true ? { base, specifier: specifier ?? '' } : undefined)
    },
    getNearestParentPackageJSON: nearest,
    getNearestParentPackageJSONType(path: string) {
      return nearest(path)?.[2]
    },
    getPackageScopeConfig: scope,
    getPackageType(resolved: string) {
      const found = scope(resolved)
      return typeof found === 'string' ? undefined : found[2]
    },
    setLazyPathHelpers(meta: object, url: string) {
      const filename = fileURLToPath(url)
      define(meta, 'dirname', dirname(filename))
      define(meta, 'filename', filename)
    },
    enableCompileCache: () => [host?.compileCacheStatus.indexOf('DISABLED') ?? 3],
    getCompileCacheDir: () => '',
    flushCompileCache() {},
    getCompileCacheEntry() {},
    saveCompileCacheEntry() {},
    compileCacheStatus: host?.compileCacheStatus,
    cachedCodeTypes: host?.cachedCodeTypes,
  }
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Node hands over the raw text of an object or array, a string as it is, and nothing for other kinds. */
function serialize(field: unknown): string | undefined {
  if (typeof field === 'string') return field
  return typeof field === 'object' && field !== null ? JSON.stringify(field) : undefined
}

function invalid(path: string, context?: ErrorContext): Error {
  const from =
    context?.base === undefined
      ? ''
      : ` while importing "${context.specifier}" from ${fileURLToPath(context.base)}`
  const error = new Error(`Invalid package config ${path}${from}.`)
  return Object.assign(error, { code: 'ERR_INVALID_PACKAGE_CONFIG' })
}
