/** Modules and scripts of Node whose variables are found with the running process: rewriting.ts says how. */
import vm from 'node:vm'
import { running } from '../../process/current.ts'
import type { Binding, Internals, Require } from '../internals.ts'
import { isParted } from '../module-table.ts'
import type { PartedSource } from './rewriting.ts'
import { detachedSourceOf, partedSourceOf } from './rewritten-library.ts'
import { newSlot } from '../slots.ts'

export type Variables = Record<string, unknown>

/** The functions by which a parted module fills a process's record. */
export interface Filling {
  fresh(): Variables
  begin(): void
}

const PARAMETERS = 'exports, require, module, process, internalBinding, primordials'

const sources = new Map<string, PartedSource>()

function partedSource(internals: Internals, id: string): PartedSource {
  let parted = sources.get(id)
  if (parted === undefined) {
    const source: string = internals.internalBinding('builtins').natives[id]
    const variablesOf = (other: string) => (isParted(other) ? partedSource(internals, other).variables : [])
    sources.set(id, (parted = partedSourceOf(source, { variablesOf })))
  }
  return parted
}

/** The function of a module whose source is parted. */
export function compilePartedCode(id: string, code: string): (...args: any[]) => Filling {
  const script = new vm.Script(`(function ($own, $process, $global, ${PARAMETERS}) {${code}\n})`, {
    filename: `node:${id}`,
  })
  return script.runInThisContext() as (...args: unknown[]) => Filling
}

/** A source that every process executes, with a new record, which the first argument returns. */
export interface Detached {
  fresh(): Variables
  run(own: () => Variables, ...args: unknown[]): void
}

/** A module or script that every process executes. It gets the parameters named, and `primordials`. */
export function compileDetached(internals: Internals, id: string, parameters: readonly string[]): Detached {
  const source: string = internals.internalBinding('builtins').natives[id]
  const { code, variables } = detachedSourceOf(source, parameters)
  const record = variables.map((name) => `${name}: undefined`).join(', ')
  const script = new vm.Script(
    `[() => ({ ${record} }), function ($own, ${parameters.join(', ')}, primordials) {${code}\n}]`,
    { filename: `node:${id}` },
  )
  const [fresh, run] = script.runInThisContext() as [Detached['fresh'], Detached['run']]
  return { fresh, run }
}

/**
 * A module's function, as Node compiles it. While it is evaluated it gets modules and bindings of the thread; what it
 * asks for later, and what it fills a process's record with, is that process's.
 */
export function compileParted(internals: Internals, id: string): (...args: any[]) => unknown {
  const compiled = compilePartedCode(id, partedSource(internals, id).code)
  return (
    exports,
    requireOfThread: Require,
    module,
    process,
    bindingOfThread: (name: string) => Binding,
    primordials,
  ) => {
    const slot = newSlot()
    let filling: Filling | undefined
    const first = (): Variables => {
      const variables = filling!.fresh()
      running!.slots[slot] = variables
      filling!.begin()
      return variables
    }
    const own = (): Variables => (running!.slots[slot] as Variables | undefined) ?? first()
    const require: Require = (name) =>
      filling === undefined ? requireOfThread(name) : running!.modules.require(name)
    const internalBinding = (name: string): Binding =>
      filling === undefined ? bindingOfThread(name) : running!.binding(name)
    filling = compiled(
      own,
      () => running!.object,
      () => running!.global,
      exports,
      require,
      module,
      process,
      internalBinding,
      primordials,
    )
  }
}
