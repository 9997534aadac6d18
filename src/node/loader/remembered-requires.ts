/**
 * `require` with remembered answers: `Module._resolveFilename` asks {@link Remembered} first, as long as the program has
 * left Node's resolver as it is. Tools replace its parts, add extensions, and put folders into `module.paths` and
 * entries into `Module._pathCache`: each of them is then asked as ever.
 */
import type { ResolutionMemory } from './remembered.ts'
import type { CurrentLoader } from './running-loader.ts'

export interface RememberedRequiresOptions {
  /** Has something to remember with. */
  readonly current: CurrentLoader
  readonly memory: ResolutionMemory
  /** The process's flags and variables that resolvers look at, as text. */
  readonly flags: string
}

interface Answer {
  readonly filename: string
  /** Where Node's own cache of this process has it, if anywhere. */
  readonly cacheKey: string | null
}

const MISSING: unique symbol = Symbol('missing')

export function rememberRequires(Module: any, options: RememberedRequiresOptions): void {
  const { current, memory, flags } = options
  const fail = failSwiftly(Module)
  const isUntouched = watchParts(Module)
  rememberFolders(Module, memory.folders)

  const initPaths = Module._initPaths
  Module._initPaths = function _initPaths(): void {
    initPaths()
    current().remembered!.use(`${flags}\0${Module.globalPaths.join('\0')}`)
  }

  const resolveFilename = Module._resolveFilename
  Module._resolveFilename = function _resolveFilename(
    request: string,
    parent: any,
    isMain: boolean,
    choice?: object,
  ): string {
    const slowly = (): string => resolveFilename.call(this, request, parent, isMain, choice)
    if (isMain || choice !== undefined || !isOrdinary(request, parent, memory.folders) || !isUntouched())
      return slowly()
    const { files, remembered } = current()
    if (files.isBuiltin(request)) return request
    const answer = remembered!.answer(parent.filename, request, (): Answer | typeof MISSING => {
      try {
        return answerOf(Module, { request, parent, slowly })
      } catch (error) {
        if (!isMiss(error)) throw error
        return MISSING // its stack has frames that a remembered miss has not
      }
    })
    if (answer === MISSING) return fail(slowly)
    if (answer.cacheKey === null) return answer.filename
    const cached = Module._pathCache[answer.cacheKey]
    if (cached === undefined) Module._pathCache[answer.cacheKey] = answer.filename
    return cached ?? answer.filename
  }
}

/** Tells whether the program has replaced a part of Node's resolver, or changed the extensions it tries. */
function watchParts(Module: any): () => boolean {
  const { _findPath, _resolveLookupPaths, _stat, _readPackage } = Module
  const extensions = Object.keys(Module._extensions)
  return () =>
    Module._findPath === _findPath &&
    Module._resolveLookupPaths === _resolveLookupPaths &&
    Module._stat === _stat &&
    Module._readPackage === _readPackage &&
    isSame(Object.keys(Module._extensions), extensions)
}

/** The `node_modules` folders of a directory: the same texts for every process, so that they are quickly compared. */
function rememberFolders(Module: any, folders: Map<string, readonly string[]>): void {
  const nodeModulePaths = Module._nodeModulePaths
  Module._nodeModulePaths = function _nodeModulePaths(from: string): string[] {
    if (typeof from !== 'string' || !from.startsWith('/')) return nodeModulePaths(from)
    let known = folders.get(from)
    if (known === undefined) folders.set(from, (known = nodeModulePaths(from) as string[]))
    return known.slice()
  }
}

function isOrdinary(request: unknown, parent: any, folders: ReadonlyMap<string, readonly string[]>): boolean {
  if (typeof request !== 'string' || !parent || typeof parent.filename !== 'string' || !parent.id)
    return false
  const { filename, paths } = parent
  const usual = folders.get(filename.slice(0, filename.lastIndexOf('/')) || '/')
  return usual !== undefined && Array.isArray(paths) && isSame(paths, usual)
}

/**
 * Requests for what is not there: programs try packages that may be installed, and catch the error. Node makes it every
 * time, but need not search: gives what runs a resolution that is known to find nothing.
 */
function failSwiftly(Module: any): (resolve: () => string) => string {
  const findPath = Module._findPath
  let isMissing = false
  Module._findPath = function _findPath(request: string, paths: unknown, isMain: boolean): string | false {
    return isMissing ? false : findPath(request, paths, isMain)
  }
  return (resolve) => {
    isMissing = true
    try {
      return resolve()
    } finally {
      isMissing = false
    }
  }
}

/** Whether nothing was found at all; other errors name what should have been there. */
function isMiss(error: any): boolean {
  return error?.code === 'MODULE_NOT_FOUND' && Array.isArray(error.requireStack)
}

/** Resolves for real, past what the program may have put into Node's cache. */
function answerOf(
  Module: any,
  { request, parent, slowly }: { request: string; parent: any; slowly: () => string },
): Answer {
  const folders = request.startsWith('/') ? [''] : (Module._resolveLookupPaths(request, parent) ?? [])
  const cacheKey = `${request}\0${folders.join('\0')}`
  const before = Module._pathCache[cacheKey]
  delete Module._pathCache[cacheKey]
  try {
    const filename = slowly()
    return { filename, cacheKey: Module._pathCache[cacheKey] === filename ? cacheKey : null }
  } finally {
    if (before !== undefined) Module._pathCache[cacheKey] = before
  }
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false
  return true
}
