/**
 * The tank's addition to Node's resolution: files of TypeScript programs are found under the names their imports use,
 * and have the format that their JavaScript would have. It only ever acts where Node finds nothing.
 */
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CurrentLoader } from './running-loader.ts'
import type { TypeScriptProjects } from './compiling/tsconfig.ts'
import {
  asJavaScript,
  extensionlessCandidates,
  isTypeScript,
  TYPESCRIPT_EXTENSIONS,
  typeScriptCandidates,
} from './compiling/typescript.ts'

/** The files of a program, as its process sees them. */
export interface ProgramFiles {
  /** The JavaScript of a program file. */
  readSource(filename: string): string
  /** The `type` of the nearest `package.json`. */
  packageType(filename: string): string | undefined
  readonly projects: TypeScriptProjects
  isBuiltin(specifier: string): boolean
}

/** Whether a specifier names a file, rather than a package or a builtin. */
function isFileLike(specifier: string): boolean {
  return /^(?:\.{0,2}\/|file:|#)/.test(specifier)
}

/** `internal/modules/cjs/loader`: `Module._findPath` and the extensions. */
export function amendCommonJs(Module: any, current: CurrentLoader): void {
  const findPath = Module._findPath
  Module._findPath = function _findPath(request: string, paths: unknown, isMain: boolean): string | false {
    const found = findPath(request, paths, isMain)
    if (found !== false || !isFileLike(request)) return found
    return firstFound(typeScriptCandidates(request), (candidate) => findPath(candidate, paths, isMain))
  }

  const resolveFilename = Module._resolveFilename
  Module._resolveFilename = function _resolveFilename(
    request: string,
    parent: any,
    isMain: boolean,
    options: unknown,
  ) {
    try {
      return resolveFilename.call(this, request, parent, isMain, options)
    } catch (error: any) {
      const candidates =
        error?.code === 'MODULE_NOT_FOUND' ? aliases(request, parent?.filename, current().files) : []
      const found = firstFound(candidates, (candidate) => Module._findPath(candidate, [''], false))
      if (found === false) throw error
      return found
    }
  }

  for (const extension of TYPESCRIPT_EXTENSIONS) {
    Module._extensions[extension] = function load(module: any, filename: string): void {
      const { files } = current()
      module._compile(files.readSource(filename), filename, formatOf(filename, files))
    }
  }
}

/** Without iterators, which programs delete. */
function firstFound(
  candidates: readonly string[],
  find: (candidate: string) => string | false,
): string | false {
  for (let i = 0; i < candidates.length; i++) {
    const found = find(candidates[i])
    if (found !== false) return found
  }
  return false
}

/** The format that the extension, the package or `tsconfig.json` says; undefined leaves it to the syntax. */
export function formatOf(
  filename: string,
  files: Pick<ProgramFiles, 'packageType' | 'projects'>,
): string | undefined {
  const name = asJavaScript(filename)
  if (name.endsWith('.mjs')) return 'module'
  if (name.endsWith('.cjs')) return 'commonjs'
  const type = files.packageType(filename)
  if (type === 'module' || type === 'commonjs') return type
  return files.projects.settingsOf(filename).isCommonJs ? 'commonjs' : undefined
}

/** Files that a bare specifier in a TypeScript file may stand for by its project's `paths`. */
function aliases(specifier: string, importer: string | undefined, files: ProgramFiles): string[] {
  if (importer === undefined || !isTypeScript(importer) || isFileLike(specifier)) return []
  return files.projects
    .aliasesOf(specifier, importer)
    .flatMap((path) => [path, ...typeScriptCandidates(path), ...extensionlessCandidates(path)])
}

/** `internal/modules/esm/get_format`. */
export function amendFormats(exports: any): void {
  for (const name of ['defaultGetFormat', 'defaultGetFormatWithoutErrors']) {
    const original = exports[name]
    exports[name] = (url: URL, context: unknown) => {
      const isProgram = url.protocol === 'file:' && isTypeScript(url.pathname)
      return original(isProgram ? new URL(asJavaScript(url.pathname), url) : url, context)
    }
  }
}

/** `internal/modules/esm/resolve`. */
export function amendResolve(exports: any, current: CurrentLoader): void {
  const original = exports.defaultResolve
  const resolve = (specifier: string, context: any, files: ProgramFiles): any => {
    try {
      return original(specifier, context)
    } catch (error) {
      const resolved = insteadOf(error, specifier, context, files, original)
      if (resolved === undefined) throw error
      return resolved
    }
  }
  exports.defaultResolve = function defaultResolve(specifier: string, context: any): any {
    const loader = current()
    const { files, remembered } = loader
    let resolved: any
    if (remembered !== null && isMemorable(specifier, context)) {
      const { parentURL = '', conditions, importAttributes } = context
      // A name may be a module of the host to one process and a package to another.
      const kind = files.isBuiltin(specifier) ? 'builtin' : 'file'
      const request = `${specifier}\0${conditions}\0${importAttributes?.type}\0${kind}`
      const answer = remembered.answer(parentURL, request, () => resolve(specifier, context, files))
      resolved = { __proto__: null, ...answer }
    } else resolved = resolve(specifier, context, files)
    loader.imported(resolved.url, context?.parentURL)
    return resolved
  }
}

/** Whether an import by a file, which means the same in whatever directory a process runs. */
function isMemorable(specifier: unknown, context: any): boolean {
  if (typeof specifier !== 'string' || context == null) return false
  const { parentURL } = context
  if (parentURL === undefined) return specifier.startsWith('file:')
  return typeof parentURL === 'string' && parentURL.startsWith('file:')
}

function insteadOf(
  error: any,
  specifier: string,
  context: any,
  files: ProgramFiles,
  resolve: (specifier: string, context: unknown) => unknown,
): unknown {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' && error?.code !== 'ERR_UNSUPPORTED_DIR_IMPORT') return undefined
  for (const candidate of candidatesOf(error, specifier, context?.parentURL, files)) {
    try {
      return resolve(pathToFileURL(candidate).href, context)
    } catch {
      // The next candidate; the first error is the one to report.
    }
  }
  return undefined
}

function candidatesOf(error: any, specifier: string, parentUrl = '', files: ProgramFiles): string[] {
  try {
    if (!isFileLike(specifier)) return aliases(specifier, fileURLToPath(parentUrl), files)
    const path = fileURLToPath(error.url ?? new URL(specifier, parentUrl))
    return isTypeScript(parentUrl)
      ? [...typeScriptCandidates(path), ...extensionlessCandidates(path)]
      : typeScriptCandidates(path)
  } catch {
    return [] // not a file URL
  }
}
