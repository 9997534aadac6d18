/**
 * The settings of `tsconfig.json` that matter for running a TypeScript file: the module format of its imports, how to
 * read decorators, class fields and JSX, and the meaning of `paths` and `baseUrl`. The nearest file above the source
 * counts, as for the compiler. Settings for type checking and emitting are ignored. None applies to files in
 * `node_modules`.
 */
import { dirname, join, resolve } from 'node:path'

export interface TypeScriptSettings {
  /** As esbuild takes them. */
  readonly compilerOptions: Readonly<Record<string, unknown>>
  /** Whether `module` says CommonJS; a package's `type` goes before. */
  readonly isCommonJs: boolean
  readonly paths: readonly PathPattern[]
}

interface PathPattern {
  readonly before: string
  /** Undefined for a pattern without a star. */
  readonly after: string | undefined
  /** Absolute, each with at most one star. */
  readonly targets: readonly string[]
}

/** The compiler options that change what a file does when it runs. */
const RUNNING_OPTIONS = [
  'experimentalDecorators',
  'useDefineForClassFields',
  'target',
  'jsx',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'verbatimModuleSyntax',
] as const

const NOTHING: TypeScriptSettings = { compilerOptions: {}, isCommonJs: false, paths: [] }

/** The TypeScript projects of a process, read through its own files, each folder once. */
export class TypeScriptProjects {
  readonly #readText: (path: string) => string | undefined
  readonly #byFolder = new Map<string, TypeScriptSettings>()

  constructor(readText: (path: string) => string | undefined) {
    this.#readText = readText
  }

  settingsOf(filename: string): TypeScriptSettings {
    return filename.includes('/node_modules/') ? NOTHING : this.#ofFolder(dirname(filename))
  }

  /** The files that an import of `specifier` in `filename` may mean by `paths` and `baseUrl`, in the order to be tried. */
  aliasesOf(specifier: string, filename: string): string[] {
    const found: string[] = []
    for (const { before, after, targets } of this.settingsOf(filename).paths) {
      if (after === undefined ? specifier !== before : !isBetween(specifier, before, after)) continue
      const star = after === undefined ? '' : specifier.slice(before.length, specifier.length - after.length)
      for (const target of targets) found.push(target.replace('*', () => star))
    }
    return found
  }

  #ofFolder(folder: string): TypeScriptSettings {
    let settings = this.#byFolder.get(folder)
    if (settings === undefined) {
      const file = join(folder, 'tsconfig.json')
      const config = this.#read(file, [])
      if (config !== undefined) settings = settingsFrom(config)
      else settings = dirname(folder) === folder ? NOTHING : this.#ofFolder(dirname(folder))
      this.#byFolder.set(folder, settings)
    }
    return settings
  }

  /** The compiler options of a file with those it extends. `path` values are made absolute where they are written. */
  #read(file: string, through: readonly string[]): Record<string, unknown> | undefined {
    const text = through.includes(file) ? undefined : this.#readText(file)
    if (text === undefined) return undefined
    const { extends: bases = [], compilerOptions: own = {} } = parse(text, file)
    const options: Record<string, unknown> = {}
    for (const base of [bases].flat()) Object.assign(options, this.#readBase(base, file, [...through, file]))
    Object.assign(options, own)
    const folder = dirname(file)
    if (own.baseUrl !== undefined) options.baseUrl = resolve(folder, own.baseUrl)
    if (own.paths !== undefined) options.pathsFrom = folder
    return options
  }

  #readBase(base: string, file: string, through: readonly string[]): Record<string, unknown> | undefined {
    if (/^\.{0,2}\//.test(base)) {
      const path = resolve(dirname(file), base)
      return this.#read(path, through) ?? this.#read(`${path}.json`, through)
    }
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      const path = join(folder, 'node_modules', base)
      for (const candidate of [path, `${path}.json`, join(path, 'tsconfig.json')]) {
        const found = candidate.endsWith('.json') ? this.#read(candidate, through) : undefined
        if (found !== undefined) return found
      }
      if (dirname(folder) === folder) return undefined
    }
  }
}

function settingsFrom(options: Record<string, unknown>): TypeScriptSettings {
  const compilerOptions: Record<string, unknown> = {}
  for (const name of RUNNING_OPTIONS) if (name in options) compilerOptions[name] = options[name]
  const isCommonJs = String(options.module).toLowerCase() === 'commonjs'
  const paths = Object.entries((options.paths ?? {}) as Record<string, readonly string[]>)
  const from = (options.baseUrl ?? options.pathsFrom ?? '/') as string
  const patterns = paths.map(([pattern, targets]) => patternOf(pattern, targets, from))
  // The longest prefix wins; everything else is looked for below `baseUrl`.
  patterns.sort((a, b) => Number(a.after !== undefined) - Number(b.after !== undefined) || longer(a, b))
  if (options.baseUrl !== undefined) patterns.push(patternOf('*', ['*'], from))
  return { compilerOptions, isCommonJs, paths: patterns }
}

const longer = (a: PathPattern, b: PathPattern): number => b.before.length - a.before.length

function patternOf(pattern: string, targets: readonly string[], from: string): PathPattern {
  const [before, after] = pattern.split('*')
  return { before, after, targets: targets.map((target) => resolve(from, target)) }
}

function isBetween(text: string, before: string, after: string): boolean {
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after)
}

const COMMENTS = /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//g
const TRAILING_COMMAS = /("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g

const parsed = new Map<string, unknown>()

/** JSON with comments and trailing commas; parsed once per thread, and only read. */
function parse(text: string, file: string): any {
  const known = parsed.get(text)
  if (known !== undefined) return known
  try {
    const config: unknown = JSON.parse(
      text
        .replace(/^\uFEFF/, '')
        .replace(COMMENTS, '$1')
        .replace(TRAILING_COMMAS, '$1'),
    )
    parsed.set(text, config)
    return config
  } catch (error) {
    throw new SyntaxError(`${file}: ${(error as Error).message}`)
  }
}
