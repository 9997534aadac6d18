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
import type { Binding, Internals } from '../../library/internals.ts'
import { findAssertions } from './assertion-sites.ts'
import type { AssertionSite } from './assertion-sites.ts'
import { mentionedGlobals } from './bound-globals.ts'
import type { SourceMaps } from './source-maps.ts'
import { pathOf } from '../stack-traces.ts'

/** The specifier under which modules import the globals of their process. */
export const GLOBALS_SPECIFIER = 'wavetank:globals'

/** The facts about a compiled file besides its code. */
export interface CompiledFile {
  /** The process's globals it was compiled with. */
  readonly globals: readonly string[]
  readonly assertions: readonly AssertionSite[]
}

/** A CommonJS file: call `instantiate` with the values of `globals` to get a process's own instance. */
export interface CompiledScript extends CompiledFile {
  readonly instantiate: (...values: unknown[]) => readonly [wrapper: Function, update: UpdateGlobal]
  readonly sourceMapURL: string | undefined
}

export type UpdateGlobal = (name: string, value: unknown) => void

/** An ES module: what to hand to the engine. */
export interface CompiledModule extends CompiledFile {
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
  /** A script of `node:vm` asked for the default loader by its constant, which is experimental. */
  warnOfDefaultLoader(): void
}

/** Rewrites program files before they are compiled. */
export interface SourceTransform {
  /** Distinguishes what was compiled with this transform. */
  readonly id: string
  /** A function of its arguments only; undefined leaves the file as it is. */
  apply(source: string, filename: string): { readonly code: string; readonly map?: string } | undefined
}

export interface ProgramCompilerOptions {
  readonly internals: Internals
  /** The loader of the process that is running. */
  readonly current: () => Referrer
  readonly maps: SourceMaps
}

interface Known<T> {
  readonly source: string
  readonly filename: string
  readonly compiled: T
  readonly map: string | undefined
  /** Keeps the engine's cache from forgetting the code. */
  readonly keptWarm?: unknown
}

export class ProgramCompiler {
  readonly #options: ProgramCompilerOptions
  readonly #scripts = new Map<string, Known<CompiledScript | null>>()
  readonly #modules = new Map<string, Known<CompiledModule>>()
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
  script(source: string, filename: string, transform?: SourceTransform): CompiledScript | null {
    const key = keyOf(filename, transform)
    let known = this.#scripts.get(key)
    if (known?.source !== source) {
      const { code, map, assertions } = this.#prepare(source, filename, transform)
      const script = this.#compileScript(code, filename)
      known = { source, filename, map, compiled: script === null ? null : { ...script, assertions } }
      this.#scripts.set(key, known)
    }
    this.#options.maps.set(filename, 'transform', known.map)
    return known.compiled
  }

  module(source: string, url: string, transform?: SourceTransform): CompiledModule {
    const key = keyOf(url, transform)
    let known = this.#modules.get(key)
    if (known?.source !== source) {
      const filename = pathOf(url) ?? url
      const { code, map, assertions } = this.#prepare(source, filename, transform)
      const { keptWarm, ...module } = this.#compileModule(code, url)
      known = { source, filename, map, compiled: { ...module, assertions }, keptWarm }
      this.#modules.set(key, known)
    }
    this.#options.maps.set(known.filename, 'transform', known.map)
    return known.compiled
  }

  /** The symbol by which the engine names this file when it calls back. */
  referrer(name: string): symbol {
    let symbol = this.#referrers.get(name)
    if (symbol === undefined) this.#referrers.set(name, (symbol = Symbol(name)))
    return symbol
  }

  /** Makes the engine's callbacks for what was compiled with `referrer(name)` reach the running process. */
  register(compiled: object, name: string, isExperimental = false): void {
    const { current } = this.#options
    this.#registerModule(compiled, {
      __proto__: null,
      importModuleDynamically(specifier: string, _: unknown, attributes: unknown, ...phase: unknown[]) {
        if (isExperimental) current().warnOfDefaultLoader()
        return current().importModuleDynamically(specifier, name, attributes, phase)
      },
      initializeImportMeta: (meta: object) => current().initializeImportMeta(meta, name),
    })
  }

  #prepare(source: string, filename: string, transform: SourceTransform | undefined) {
    const assertions = findAssertions(source, filename).map((site) => ({
      ...site,
      ...this.#options.maps.beforeTransform(filename, site),
    }))
    const { code, map } = transform?.apply(source, filename) ?? { code: source }
    return { assertions, code, map }
  }

  #compileScript(source: string, filename: string): Omit<CompiledScript, 'assertions'> | null {
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

  #compileModule(source: string, url: string): Omit<CompiledModule, 'assertions'> & { keptWarm: unknown } {
    const referrer = this.referrer(url)
    let globals = mentionedGlobals(source)
    for (;;) {
      const preamble = globals.length === 0 ? '' : `import{${globals.join(',')}}from"${GLOBALS_SPECIFIER}";\n`
      const code = preamble + (globals.length === 0 ? source : withoutHashbang(source))
      const lineOffset = globals.length === 0 ? 0 : -1
      try {
        const keptWarm = new this.#ModuleWrap(url, undefined, code, lineOffset, 0, referrer)
        this.register(keptWarm, url)
        return { globals, code, lineOffset, referrer, keptWarm }
      } catch (error) {
        // The file declares one of the names itself: leave that one to it. Anything else is the file's own mistake.
        const name = /^Identifier '(.+)' has already been declared$/.exec((error as Error).message)?.[1]
        if (name === undefined || !globals.includes(name)) throw error
        globals = globals.filter((other) => other !== name)
      }
    }
  }
}

function keyOf(name: string, transform: SourceTransform | undefined): string {
  return transform === undefined ? name : `${transform.id}\0${name}`
}

/** A hashbang is a comment only at the very start of a text. */
function withoutHashbang(source: string): string {
  return source.startsWith('#!') ? `//${source.slice(2)}` : source
}
