/**
 * The part of the program loaders that a thread shares: compiled files, compiled loader sources, source maps. All of it
 * depends on file contents alone, so that a process cannot see what another one left here.
 */
import { createContextifyBinding } from '../bindings/modules/contextify.ts'
import { createModuleWrapBinding } from '../bindings/modules/module-wrap.ts'
import type { Binding, Internals } from '../library/internals.ts'
import { BuiltinNames } from './builtin-modules.ts'
import { ExportNames } from './compiling/export-names.ts'
import { amender } from './loader-amendments.ts'
import { LoaderSources } from './node-loaders.ts'
import { ResolutionMemory } from './remembered.ts'
import { ProgramCompiler } from './compiling/program-compiler.ts'
import type { RunningLoader } from './running-loader.ts'
import { SharedLoaders } from './shared-loaders.ts'
import { SourceMaps } from './compiling/source-maps.ts'
import { installStackTraces } from './stack-traces.ts'
import { TypeScriptCompiler } from './compiling/typescript.ts'

export interface LoaderThreadOptions {
  readonly internals: Internals
  /** The loader of the running process; null between steps. */
  readonly current: () => RunningLoader | null
  /** A module of the host or the thread, as modules of the thread see it. */
  readonly require: (id: string) => any
}

export class LoaderThread {
  readonly internals: Internals
  readonly compiler: ProgramCompiler
  readonly sources: LoaderSources
  readonly shared: SharedLoaders
  /** Changes a loader module after it was evaluated and before another one sees it. */
  readonly amend: (id: string, exports: any) => void
  readonly builtins: BuiltinNames
  readonly contextify: Binding
  readonly moduleWrap: Binding
  readonly exportNames = new ExportNames()
  readonly resolutions = new ResolutionMemory()
  readonly maps = new SourceMaps()
  readonly typescript = new TypeScriptCompiler(this.maps)
  readonly #uninstallStackTraces: () => void

  constructor({ internals, current, require }: LoaderThreadOptions) {
    const running = (): RunningLoader => {
      const loader = current()
      if (loader === null) throw new Error('a module loader was used outside of a running process')
      return loader
    }
    this.internals = internals
    this.sources = new LoaderSources(internals)
    this.amend = amender(internals, running)
    this.shared = new SharedLoaders({
      sources: this.sources,
      require,
      current: () => running().loaders,
      amend: this.amend,
    })
    this.builtins = new BuiltinNames(internals)
    this.compiler = new ProgramCompiler({ internals, maps: this.maps, current: running })
    const { compiler } = this
    this.contextify = createContextifyBinding({ internals, compiler, current: () => running().scripts })
    this.moduleWrap = createModuleWrapBinding({ internals, compiler, current: () => running().records })
    this.#uninstallStackTraces = installStackTraces({
      internals,
      maps: this.maps,
      isProgramRunning: () => current() !== null,
    })
  }

  dispose(): void {
    this.#uninstallStackTraces()
  }
}
