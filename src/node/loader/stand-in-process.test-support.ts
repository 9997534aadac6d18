/**
 * A process for the loader's own tests: the real file system and library of the host under the loader's bindings, so
 * that loading can be compared with plain Node without the rest of the tank. Not simulated at all.
 */
import { EventEmitter } from 'node:events'
import { inspect } from 'node:util'
import { takeInternals } from '../library/internals.ts'
import type { Internals } from '../library/internals.ts'
import { LoaderThread } from './loader-thread.ts'
import type { LoaderThreadOptions } from './loader-thread.ts'
import { ProgramLoader } from './program-loader.ts'
import type { ProgramLoaderOptions } from './program-loader.ts'

let running: ProgramLoader | null = null

export function createThread(options: Partial<LoaderThreadOptions> = {}): LoaderThread {
  const internals = takeInternals()
  return new LoaderThread({ internals, require: internals.require, current: () => running, ...options })
}

export interface StandInOptions extends Omit<ProgramLoaderOptions, 'thread' | 'process'> {
  /** Options of Node's command line by full name. */
  readonly cliOptions?: Readonly<Record<string, unknown>>
  readonly name?: string
  readonly globals?: Readonly<Record<string, unknown>>
}

/** A process that collects what the program prints and how it fails. */
export class StandInProcess {
  readonly lines: string[] = []
  readonly warnings: string[] = []
  readonly uncaught: unknown[] = []
  readonly object: any
  readonly global: Record<string, any>
  readonly loader: ProgramLoader

  constructor(thread: LoaderThread, options: StandInOptions = {}) {
    const { internals } = thread
    const object: any = Object.create(process)
    EventEmitter.call(object)
    Object.defineProperties(object, {
      mainModule: { value: undefined, writable: true, configurable: true, enumerable: true },
      exitCode: { value: undefined, writable: true, configurable: true },
      env: { value: {}, configurable: true },
      name: { value: options.name },
      on: { value: EventEmitter.prototype.on, configurable: true },
      off: { value: EventEmitter.prototype.off, configurable: true },
      emitWarning: {
        value: (warning: any) => this.warnings.push(String(warning?.message ?? warning)),
        configurable: true,
      },
      _fatalException: { value: (error: unknown) => this.uncaught.push(error) },
    })
    this.object = object
    const print = (...values: unknown[]) =>
      this.lines.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '))
    this.global = copyOfGlobal()
    const own = { process: object, console: { ...console, log: print }, ...options.globals }
    for (const [name, value] of Object.entries(own)) {
      Object.defineProperty(this.global, name, {
        value,
        writable: true,
        configurable: true,
        enumerable: true,
      })
    }
    const errors = {
      __proto__: internals.internalBinding('errors'),
      triggerUncaughtException: (error: unknown) => this.uncaught.push(error),
    }
    const cliOptions = {
      __proto__: internals.require('internal/options'),
      getOptionValue: (name: string) => options.cliOptions?.[name] ?? defaultOption(internals, name),
    }
    const warning = { emitWarningSync: (message: string) => this.warnings.push(message) }
    const substitutes = new Map<string, object>([
      ['internal/options', cliOptions],
      ['internal/process/warning', warning],
    ])
    this.loader = new ProgramLoader({
      ...options,
      thread,
      process: {
        object,
        global: this.global,
        globals: { has: (name) => name in this.global, get: (name) => this.global[name] },
        require: (id) => substitutes.get(id) ?? internals.require(id),
        requirePublic: internals.require,
        binding: (name) => (name === 'errors' ? errors : internals.internalBinding(name)),
      },
    })
  }

  /** Runs a program until it has printed `end` or failed. */
  async run(entry: string): Promise<this> {
    this.enter()
    try {
      this.loader.initialize()
      this.loader.runMain(entry)
    } catch (error) {
      this.uncaught.push(error)
    }
    for (let turn = 0; turn < 2000 && this.uncaught.length === 0 && this.lines.at(-1) !== 'end'; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    running = null
    return this
  }

  /** Makes this the running process. */
  enter(): void {
    running = this.loader
  }
}

/** The host's globals, on an object of their own. */
function copyOfGlobal(): Record<string, any> {
  const descriptors = Object.getOwnPropertyDescriptors(globalThis) as unknown as PropertyDescriptorMap
  for (const descriptor of Object.values(descriptors)) {
    if (descriptor.get !== undefined) descriptor.get = descriptor.get.bind(globalThis)
  }
  return Object.create(Object.getPrototypeOf(globalThis) as object, descriptors) as Record<string, any>
}

let optionsInfo: Map<string, { type: number; defaultIsTrue: boolean }> | undefined

/** Node's default rather than the host's own value: a test runner starts its workers with options. */
function defaultOption(internals: Internals, name: string): unknown {
  const { getCLIOptionsInfo, types } = internals.internalBinding('options')
  optionsInfo ??= getCLIOptionsInfo().options as Map<string, { type: number; defaultIsTrue: boolean }>
  const info = optionsInfo.get(name)
  if (info !== undefined && info.type === types.kBoolean) return info.defaultIsTrue
  if (info?.type === types.kStringList) return []
  return internals.require('internal/options').getOptionValue(name)
}
