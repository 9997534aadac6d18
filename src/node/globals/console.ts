/**
 * The `console` of a process is made when it is first asked for: Node has it in its snapshot, where it costs nothing, and
 * many processes never use theirs. Until then it is an accessor that all processes share; a program that looks at its
 * global object finds the plain property that Node has there.
 */
import { running } from '../current.ts'
import type { ProcessModules, Require } from '../builtins.ts'

const GLOBAL_CONSOLE = 'internal/console/global'
const CONSTRUCTOR = 'internal/console/constructor'

/** Boots a process without a console: the bootstrap gets a stand-in. */
export function withoutConsole(modules: ProcessModules, boot: () => void): void {
  const { kBindStreamsLazy } = modules.require(CONSTRUCTOR)
  modules.withStandIn(GLOBAL_CONSOLE, { [kBindStreamsLazy]() {} }, boot)
}

/** A console was made: Node's bootstrap is over, so it gets its streams now. Main scripts of Node see to that themselves. */
export function bindConsole(console: object, require: Require): void {
  if (running!.site.mainScript === null) require(CONSTRUCTOR).initializeGlobalConsole(console)
}

const lazy: PropertyDescriptor = {
  configurable: true,
  enumerable: false,
  get: () => makeConsole(running!.global),
  set: (value: unknown) => define(running!.global, value),
}

/** In place of the stand-in that the bootstrap has put on the global object. */
export function deferConsole(global: object): void {
  Object.defineProperty(global, 'console', lazy)
}

/** Makes the running process's console, unless it has one. */
export function settleConsole(global: object): void {
  if (Reflect.getOwnPropertyDescriptor(global, 'console')?.get === lazy.get) makeConsole(global)
}

function makeConsole(global: object): unknown {
  const console: unknown = running!.modules.require(GLOBAL_CONSOLE)
  define(global, console)
  return console
}

function define(global: object, value: unknown): void {
  Object.defineProperty(global, 'console', { value, configurable: true, enumerable: false, writable: true })
}
