/**
 * Compiles program files, once per thread. A CommonJS file becomes two nested functions: the outer one binds the
 * process's globals, the inner one is Node's usual wrapper, so that a file may redeclare any of those names. An ES module
 * stays a module of the engine: the globals are the imports of one extra line before its first. Live bindings, cycles,
 * top-level await, namespace objects and error messages are therefore the engine's own.
 *
 * The added text always sits on a line of its own, numbered 0: positions in errors are those of the file.
 *
 * Every process instantiates what was compiled here. For modules that is the engine's compilation cache, which is kept
 * warm by holding on to one compiled module per file; it is keyed by the source, the name and the referrer symbol, so the
 * symbol has to be the same for all processes: what a symbol means (which loader answers `import()`) is asked from the
 * process that is running.
 */
import type { Binding, Internals } from '../internals.ts'
import { mentionedGlobals } from './bound-globals.ts'

/** The specifier under which modules import the globals of their process. */
export const GLOBALS_SPECIFIER = 'wavetank:globals'

/** A CommonJS file: call `instantiate` with the values of `globals` to get a process's own instance. */
export interface CompiledScript {
  readonly globals: readonly string[]
  readonly instantiate: (...values: unknown[]) => readonly [wrapper: Function, update: UpdateGlobal]
  readonly sourceMapURL: string | undefined
}

export type UpdateGlobal = (name: string, value: unknown) => void

/** An ES module: what to hand to the engine. */
export interface CompiledModule {
  readonly globals: readonly string[]
  readonly code: string
  readonly lineOffset: number
  readonly referrer: symbol
}

/** Answers what the engine asks on behalf of the file that is running. */
export interface Referrer {
  importModuleDynamically(
    specifier: string,
    referrer: string,
    attributes: unknown,
    phase: unknown[],
  ): Promise<unknown>
  initializeImportMeta(meta: object, url: string): void
}

/** Rewrites a program file before it is compiled; undefined leaves it as it is. Must be a function of its arguments. */
export type SourceTransform = (source: string, filename: string) => string | undefined

export interface ProgramCompilerOptions {
  readonly internals: Internals
  /** The loader of the process that is running. */
  readonly current: () => Referrer
  readonly transform?: SourceTransform | undefined
}

export class ProgramCompiler {
  readonly #options: ProgramCompilerOptions
  readonly #scripts = new Map<string, { source: string; compiled: CompiledScript | null }>()
  readonly #modules = new Map<string, { source: string; compiled: CompiledModule; keptWarm: unknown }>()
  readonly #referrers = new Map<string, symbol>()
  readonly #ModuleWrap: Binding['ModuleWrap']
  readonly #vm: Binding
  readonly #registerModule: (wrap: unknown, registry: object) => void

  constructor(options: ProgramCompilerOptions) {
    this.#options = options
    const { internals } = options
    this.#ModuleWrap = internals.internalBinding('module_wrap').ModuleWrap
    this.#vm = internals.require('internal/vm')
    this.#registerModule = internals.require('internal/modules/esm/utils').registerModule
  }

  /** The file as nested functions; null when it does not parse, which Node's own compiler then explains. */
  script(source: string, filename: string): CompiledScript | null {
    const known = this.#scripts.get(filename)
    if (known?.source === source) return known.compiled
    const compiled = this.#compileScript(this.#transformed(source, filename), filename)
    this.#scripts.set(filename, { source, compiled })
    return compiled
  }

  module(source: string, url: string): CompiledModule {
    const known = this.#modules.get(url)
    if (known?.source === source) return known.compiled
    const entry = this.#compileModule(this.#transformed(source, url), url)
    this.#modules.set(url, { source, ...entry })
    return entry.compiled
  }

  /** The symbol by which the engine names this file when it calls back. */
  referrer(name: string): symbol {
    let symbol = this.#referrers.get(name)
    if (symbol === undefined) this.#referrers.set(name, (symbol = Symbol(name)))
    return symbol
  }

  /** Makes the engine's callbacks for what was compiled with `referrer(name)` reach the running process. */
  register(compiled: object, name: string): void {
    const { current } = this.#options
    this.#registerModule(compiled, {
      __proto__: null,
      importModuleDynamically: (specifier: string, _: unknown, attributes: unknown, ...phase: unknown[]) =>
        current().importModuleDynamically(specifier, name, attributes, phase),
      initializeImportMeta: (meta: object) => current().initializeImportMeta(meta, name),
    })
  }

  #transformed(source: string, filename: string): string {
    return this.#options.transform?.(source, filename) ?? source
  }

  #compileScript(source: string, filename: string): CompiledScript | null {
    const globals = mentionedGlobals(source)
    const updates = globals.map((name) => `case"${name}":${name}=$value;break;`).join('')
    const code =
      `(function(${globals.join(',')}){return[(function (exports, require, module, __filename, __dirname) {\n` +
      `${withoutHashbang(source)}\n}),($name,$value)=>{switch($name){${updates}}}]})`
    let script: any
    try {
      const referrer = this.referrer(filename)
      script = this.#vm.makeContextifyScript(code, filename, -1, 0, undefined, false, undefined, referrer)
    } catch {
      return null
    }
    this.register(script, filename)
    const instantiate = this.#vm.runScriptInThisContext(script, true, false)
    return { globals, instantiate, sourceMapURL: script.sourceMapURL }
  }

  #compileModule(source: string, url: string): { compiled: CompiledModule; keptWarm: unknown } {
    const referrer = this.referrer(url)
    let globals = mentionedGlobals(source)
    for (;;) {
      const preamble = globals.length === 0 ? '' : `import{${globals.join(',')}}from"${GLOBALS_SPECIFIER}";\n`
      const code = preamble + (globals.length === 0 ? source : withoutHashbang(source))
      const compiled = { globals, code, lineOffset: globals.length === 0 ? 0 : -1, referrer }
      try {
        const keptWarm = new this.#ModuleWrap(url, undefined, code, compiled.lineOffset, 0, referrer)
        this.register(keptWarm, url)
        return { compiled, keptWarm }
      } catch (error) {
        // The file declares one of the names itself: leave that one to it. Anything else is the file's own mistake.
        const name = /^Identifier '(.+)' has already been declared$/.exec((error as Error).message)?.[1]
        if (name === undefined || !globals.includes(name)) throw error
        globals = globals.filter((other) => other !== name)
      }
    }
  }
}

/** A hashbang is a comment only at the very start of a text. */
function withoutHashbang(source: string): string {
  return source.startsWith('#!') ? `//${source.slice(2)}` : source
}
