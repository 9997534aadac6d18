/**
 * TypeScript and JSX files of a program, made JavaScript with esbuild. The loaders below see only the result, with the
 * format (ESM or CommonJS) that a `.js`, `.mjs` or `.cjs` file in its place would have: imports of a file that is
 * CommonJS become calls of `require`, as the TypeScript compiler makes them. Types are erased, imports that are only
 * types too. Metadata of decorated types (`emitDecoratorMetadata`) needs a type checker and is not emitted.
 */
import { createRequire } from 'node:module'
import type * as Esbuild from 'esbuild'
import { asHost } from '../../process/current.ts'
import { KeptResults } from '../../library/kept-results.ts'
import type { SourceMaps } from './source-maps.ts'
import type { TypeScriptSettings } from './tsconfig.ts'

/** TypeScript's extensions with the JavaScript extension each stands for. */
const JAVASCRIPT_OF: Readonly<Record<string, string>> = {
  '.ts': '.js',
  '.tsx': '.js',
  '.jsx': '.js',
  '.mts': '.mjs',
  '.cts': '.cjs',
}

/** The extensions that a JavaScript extension may stand for in TypeScript's convention. */
const TYPESCRIPT_OF: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
}

/** The extensions that only TypeScript programs have, in the order in which they are tried. */
export const TYPESCRIPT_EXTENSIONS: readonly string[] = Object.keys(JAVASCRIPT_OF)

const EXTENSION = /\.[^./\\]+$/

export function extensionOf(path: string): string {
  return EXTENSION.exec(path)?.[0] ?? ''
}

export function isTypeScript(path: string): boolean {
  return extensionOf(path) in JAVASCRIPT_OF
}

/** The name the file would have if it were written in JavaScript. */
export function asJavaScript(path: string): string {
  return path.replace(EXTENSION, (extension) => JAVASCRIPT_OF[extension] ?? extension)
}

/** Files to try when `path` does not exist: `./x.js` may be written as `./x.ts`. */
export function typeScriptCandidates(path: string): string[] {
  const extension = extensionOf(path)
  return (TYPESCRIPT_OF[extension] ?? []).map((other) => path.slice(0, -extension.length) + other)
}

/** As {@link typeScriptCandidates}, for an import in a TypeScript file: it may leave out the extension, as for bundlers. */
export function extensionlessCandidates(path: string): string[] {
  if (extensionOf(path) in JAVASCRIPT_OF) return []
  return ['.ts', '.tsx', '.js', '/index.ts', '/index.js'].map((ending) => path + ending)
}

/** How a file is to be compiled: what its project says, and whether it is CommonJS by its package or its name. */
export interface TypeScriptForm {
  readonly settings: TypeScriptSettings
  readonly isCommonJs: boolean
}

const require = createRequire(import.meta.url)

interface CompiledText {
  readonly code: string
  readonly map: string
}

function isCompiledText(value: any): boolean {
  return typeof value?.code === 'string' && typeof value.map === 'string'
}

/** Compiles TypeScript, once per thread, content and form. */
export class TypeScriptCompiler {
  readonly #maps: SourceMaps
  readonly #texts = new KeptResults<CompiledText>('typescript', isCompiledText)
  readonly #results = new Map<string, { source: string; form: string; code: string }>()
  #esbuild: typeof Esbuild | undefined

  constructor(maps: SourceMaps) {
    this.#maps = maps
  }

  compile(source: string, filename: string, { settings, isCommonJs }: TypeScriptForm): string {
    const tsconfig = JSON.stringify({ compilerOptions: settings.compilerOptions })
    const form = isCommonJs ? `cjs ${tsconfig}` : tsconfig
    const known = this.#results.get(filename)
    if (known?.source === source && known.form === form) return known.code
    const { code, map } = asHost(() => {
      const { version } = require('esbuild/package.json') as { version: string }
      return this.#texts.get([version, process.version, filename, form, source], () => {
        this.#esbuild ??= require('esbuild') as typeof Esbuild
        const { code, map } = this.#transform(this.#esbuild, source, filename, { tsconfig, isCommonJs })
        return { code, map }
      })
    })
    this.#maps.set(filename, 'typescript', map)
    this.#results.set(filename, { source, form, code })
    return code
  }

  #transform(
    esbuild: typeof Esbuild,
    source: string,
    filename: string,
    { tsconfig, isCommonJs }: { tsconfig: string; isCommonJs: boolean },
  ): Esbuild.TransformResult {
    const extension = extensionOf(filename)
    try {
      return esbuild.transformSync(source, {
        loader: extension === '.tsx' ? 'tsx' : extension === '.jsx' ? 'jsx' : 'ts',
        sourcefile: filename,
        sourcemap: 'external',
        sourcesContent: false,
        target: `node${process.versions.node}`,
        logLevel: 'silent',
        tsconfigRaw: tsconfig,
        ...(isCommonJs ? { format: 'cjs', platform: 'node' } : {}),
      })
    } catch (error) {
      const failure = (error as Esbuild.TransformFailure).errors?.[0]
      if (failure === undefined) throw error
      const { line = 1, column = 0, lineText = '' } = failure.location ?? {}
      const syntaxError = new SyntaxError(failure.text)
      syntaxError.stack = `${filename}:${line}\n${lineText}\n${' '.repeat(column)}^\n\n${syntaxError.stack}`
      throw syntaxError
    }
  }
}
