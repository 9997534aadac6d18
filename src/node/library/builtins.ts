/**
 * Node's own library, instantiated. Every module is compiled once per thread with Node's embedded code cache and then
 * evaluated as often as {@link scopeOf} says. Modules of `internal/deps/` use globals rather than primordials, so they
 * are compiled from source with the process's globals bound around them.
 */
import type { Internals, Require } from './internals.ts'
import { running } from '../process/current.ts'
import { compileBootstrapScript, isBootstrapScript } from './bootstrap-scripts.ts'
import { dispatchedCluster } from './cluster-facade.ts'
import { dispatchedDiagnostics } from './diagnostics-channels.ts'
import { dispatchedDns } from './dns-facade.ts'
import { facade } from './facade.ts'
import { newConsole } from '../globals/console.ts'
import { hostSymbols } from '../isolation/host-symbols.ts'
import { beginCopy, completeCopy, noteCopy, readThroughCopies, withoutCopies } from './module-copies.ts'
import { fixModule } from './module-fixes.ts'
import { ModulePrimordials } from './module-primordials.ts'
import { viewOf } from './module-overrides.ts'
import { isLoaderModule, isParted, scopeOf } from './module-table.ts'
import { compileParted } from './parting/parted-modules.ts'
import { performanceObservers } from './performance-observers.ts'
import { ModuleSlot } from './slots.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { compileDependency } from './dependencies.ts'

interface ModuleRecord {
  readonly id: string
  exports: any
}

/** The arguments of a module instance. */
export interface Surroundings {
  readonly require: Require
  readonly process: unknown
  readonly internalBinding: (name: string) => unknown
  /** The process's global object; null for modules that belong to none. */
  readonly globals: Record<string, any> | null
}

/** Modules of a process that answer its other modules without being loaded. */
const LAZY: Readonly<Record<string, unknown>> = { 'internal/perf/observe': performanceObservers }

/** Modules of a process that are made otherwise than by evaluating them. */
const MADE: Readonly<Record<string, (library: Library) => unknown>> = {
  'internal/console/global': newConsole,
}

/** Modules of a process that answer modules of the thread without being loaded. */
const FACADES: Readonly<Record<string, () => unknown>> = {
  cluster: dispatchedCluster,
  diagnostics_channel: dispatchedDiagnostics,
  dns: dispatchedDns,
  'internal/http': untraced,
}

/** Programs replace members of public modules. */
function ordinaryFacade(id: string): any {
  return facade(() => running!.modules.require(id), id.startsWith('internal/') ? 'for good' : 'for a call')
}

/** HTTP asks at every turn whether trace events are collected: in the tank they never are. */
function untraced(): any {
  return { __proto__: ordinaryFacade('internal/http'), isTraceHTTPEnabled: () => false }
}

/** The compiled library of a thread, with the modules that exist once in it. */
export class Library {
  readonly internals: Internals
  private readonly primordials: Record<string, any>
  private readonly surroundings: Surroundings
  private readonly ids: ReadonlySet<string>
  private readonly compiled = new Map<string, (...args: any[]) => unknown>()
  private readonly memos = new Map<string, ModulePrimordials>()
  private readonly modules = new Map<string, ModuleRecord>()
  private readonly facades = new Map<string, unknown>()
  private readonly views = new Map<string, unknown>()
  /** Called with every module of this thread once it is loaded. */
  loaded: (id: string, exports: any) => void = () => {}
  /** Called with every module of the host's when a process first needs it. */
  viewed: (id: string, exports: any) => void = () => {}
  /** Called with every process's own instance of a public module when its program asks for it. */
  given: (id: string, exports: any) => void = () => {}

  constructor(
    internals: Internals,
    primordials: Record<string, any>,
    hostProcess: unknown,
    internalBinding: (name: string) => unknown,
  ) {
    this.internals = internals
    this.ids = new Set(internals.builtinIds)
    this.primordials = primordials
    this.surroundings = { require: this.require, process: hostProcess, internalBinding, globals: null }
  }

  /** Whether Node has a module of this name. */
  has(id: string): boolean {
    return this.ids.has(id)
  }

  /** A module as a module of this thread sees it. */
  readonly require: Require = (id) => {
    const scope = scopeOf(id)
    if (scope === 'host') return this.hostModule(id)
    if (scope === 'thread') return this.threadModule(id)
    // A process's own modules, its module loaders included, are seen through a facade.
    let facade = this.facades.get(id)
    if (facade === undefined)
      this.facades.set(id, (facade = FACADES[id]?.() ?? LAZY[id] ?? ordinaryFacade(id)))
    return facade
  }

  /** The host's instance of a module, as our instances see it. */
  hostModule(id: string): any {
    let view = this.views.get(id)
    if (view === undefined) {
      this.views.set(id, (view = viewOf(this.internals, id)))
      this.viewed(id, view)
    }
    return view
  }

  /** A binding of the current process, for modules of this thread. */
  bindingFacade(name: string): any {
    return facade(() => running!.binding(name), 'for good')
  }

  /** An instance of a module for this thread, besides the one that the table says; made anew with every call. */
  another(id: string): any {
    const record: ModuleRecord = { id, exports: {} }
    this.instantiate(record, this.surroundings)
    return record.exports
  }

  /** Evaluates one of Node's bootstrap scripts for all processes, with something in place of their global objects. */
  bootstrap(id: string, globals: object): void {
    const internalBinding = (name: string): unknown => running!.binding(name)
    this.instantiate({ id, exports: {} }, { ...this.surroundings, internalBinding, globals })
  }

  threadModule(id: string): any {
    const known = this.modules.get(id)
    if (known !== undefined) return known.exports
    const record: ModuleRecord = { id, exports: {} }
    this.modules.set(id, record)
    try {
      withoutCopies(() => this.instantiate(record, this.surroundings))
    } catch (error) {
      this.modules.delete(id)
      throw error
    }
    this.loaded(id, record.exports)
    return record.exports
  }

  instantiate(record: ModuleRecord, around: Surroundings): void {
    const { id } = record
    const dependency = id.startsWith('internal/deps/')
    const memo = this.memoOf(id)
    const compiled = dependency ? this.dependency(id, around) : this.compile(id)
    let { require } = around
    if (dependency) require = withFallback(require, this)
    const { primordials } = memo
    memo.evaluate(around.globals, () => {
      if (id.startsWith('internal/bootstrap/') || id.startsWith('internal/main/')) {
        compiled(around.process, require, around.internalBinding, primordials)
      } else {
        compiled(record.exports, require, record, around.process, around.internalBinding, primordials)
      }
    })
    fixModule(id, record.exports)
    if (scopeOf(id) === 'thread' && !id.startsWith('internal/')) readThroughCopies(record.exports)
  }

  private compile(id: string): (...args: any[]) => unknown {
    let compiled = this.compiled.get(id)
    if (compiled === undefined) {
      if (isParted(id)) compiled = compileParted(this.internals, id)
      else if (isBootstrapScript(id)) compiled = compileBootstrapScript(this.internals, id)
      else compiled = this.internals.compileFunction(id)
      this.compiled.set(id, compiled)
    }
    return compiled
  }

  private dependency(id: string, around: Surroundings): (...args: any[]) => unknown {
    let outer = this.compiled.get(id)
    if (outer === undefined) this.compiled.set(id, (outer = compileDependency(this.internals, id)))
    return outer(around.globals ?? globalThis) as (...args: any[]) => unknown
  }

  private memoOf(id: string): ModulePrimordials {
    let memo = this.memos.get(id)
    if (memo === undefined)
      this.memos.set(id, (memo = new ModulePrimordials(this.primordials, hostSymbols(this.internals, id))))
    return memo
  }
}

/** The arguments of a process's own instances. */
class ProcessSurroundings implements Surroundings {
  readonly require: Require
  private readonly owner: RunningProcess

  constructor(owner: RunningProcess, require: Require) {
    this.owner = owner
    this.require = require
  }

  get process(): unknown {
    return this.owner.object
  }

  get globals(): Record<string, any> {
    return this.owner.global
  }

  readonly internalBinding = (name: string): unknown => this.owner.binding(name)
}

/** A process's view of the library, with the modules that are its own. */
export class ProcessModules {
  private readonly library: Library
  private readonly process: RunningProcess
  private readonly around: Surroundings
  private readonly modules = new Map<string, ModuleRecord>()
  /** Copies of shared modules by the original, and all of them. */
  private readonly copies = new Map<object, Record<string, unknown>>()
  private readonly copied = new WeakSet<object>()

  constructor(library: Library, process: RunningProcess) {
    this.library = library
    this.process = process
    this.around = new ProcessSurroundings(process, this.require)
  }

  /** A module as the process's own instances of the library see it. */
  readonly require: Require = (id) => {
    const known = this.modules.get(id)
    if (known !== undefined) return known.exports
    if (isLoaderModule(id)) return this.process.loader!.require(id)
    const scope = scopeOf(id)
    if (scope === 'process') return LAZY[id] ?? this.instantiate(id).exports
    const shared = scope === 'host' ? this.library.hostModule(id) : this.library.threadModule(id)
    // The process's own modules see the changes of the program's copy, too.
    return this.copies.get(shared as object) ?? shared
  }

  /** While something runs, another object stands for a module that the process has not made yet. */
  withStandIn(id: string, exports: unknown, run: () => void): void {
    this.modules.set(id, { id, exports })
    try {
      run()
    } finally {
      this.modules.delete(id)
    }
  }

  /** Whether the process has made its instance of a module yet. */
  has(id: string): boolean {
    return this.modules.has(id)
  }

  /** The process's instance of a module of its own; made now if there is none. */
  instance(id: string): any {
    return (this.modules.get(id) ?? this.instantiate(id)).exports
  }

  /** An instance of a module for this process alone, whatever the table says; made anew with every call. */
  own(id: string): any {
    const record: ModuleRecord = { id, exports: {} }
    this.library.instantiate(record, this.around)
    return record.exports
  }

  /** Evaluates one of Node's bootstrap scripts for this process, with its `require` narrowed. */
  bootstrap(id: string, require: Require): void {
    this.library.instantiate({ id, exports: {} }, new ProcessSurroundings(this.process, require))
  }

  /**
   * A public module as programs see it. Modules that are shared with other processes are copied one level deep, so that
   * a program that replaces `http.request` replaces its own.
   */
  readonly requirePublic: Require = (id) => {
    const exports = this.require(id)
    const isOwn = isLoaderModule(id) || scopeOf(id) === 'process'
    if (isOwn) this.library.given(id, exports)
    if (isOwn || typeof exports !== 'object' || exports === null) return exports
    if (this.copied.has(exports) || PART_OF_A_FUNCTION.has(id)) return exports
    let copy = this.copies.get(exports)
    if (copy === undefined) {
      copy = beginCopy(exports as object)
      this.copies.set(exports, copy)
      this.copied.add(copy)
      completeCopy(copy, exports as object, (member, name) =>
        this.copyOf(member, `${id.split('/')[0]}/${name}`),
      )
      noteCopy(this.process, exports as object, copy)
    }
    return copy
  }

  /** A member that is itself a public module (`util.types`) is the program's copy of that module. */
  private copyOf(member: any, id: string): unknown {
    const known = this.copies.get(member as object)
    if (known !== undefined || !this.library.has(id)) return known ?? member
    return this.require(id) === member ? this.requirePublic(id) : member
  }

  private instantiate(id: string): ModuleRecord {
    if (!this.library.has(id)) throw new TypeError(`Missing internal module '${id}'`)
    const record: ModuleRecord = { id, exports: {} }
    this.modules.set(id, record)
    try {
      const make = MADE[id]
      if (make === undefined) this.library.instantiate(record, this.around)
      else record.exports = make(this.library)
    } catch (error) {
      this.modules.delete(id)
      throw error
    }
    ModuleSlot.note(this.process, id, record.exports)
    return record
  }
}

/** `stream.promises` belongs to `stream`, which is a function and therefore not copied. */
const PART_OF_A_FUNCTION: ReadonlySet<string> = new Set(['stream/promises'])

/** Dependencies may name each other without their folder, and builtins with `node:`. */
function withFallback(require: Require, library: Library): Require {
  return (request) => {
    if (request.startsWith('node:')) return require(request.slice(5))
    return require(library.has(request) ? request : `internal/deps/${request}`)
  }
}
