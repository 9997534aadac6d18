/**
 * A process for the loader's own tests: the real file system and library of the host under the loader's bindings, so
 * that loading can be compared with plain Node without the rest of the tank. Not simulated at all.
 */
import { EventEmitter } from 'node:events'
import { inspect } from 'node:util'
import { takeInternals } from '../internals.ts'
import { LoaderThread } from './loader-thread.ts'
import type { LoaderThreadOptions } from './loader-thread.ts'
import { parseCliOptions } from './cli-options.ts'
import { ProgramLoader } from './program-loader.ts'
import type { ProgramLoaderOptions } from './program-loader.ts'

let running: ProgramLoader | null = null

export function createThread(options: Partial<LoaderThreadOptions> = {}): LoaderThread {
  return new LoaderThread({ internals: takeInternals(), current: () => running, ...options })
}

export interface StandInOptions extends Omit<ProgramLoaderOptions, 'thread' | 'process' | 'cliOptions'> {
  readonly execArgv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
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
      exitCode: { value: undefined, writable: true },
      execArgv: { value: options.execArgv ?? [] },
      env: { value: options.env ?? {} },
      on: { value: EventEmitter.prototype.on },
      off: { value: EventEmitter.prototype.off },
      emitWarning: { value: (warning: any) => this.warnings.push(String(warning?.message ?? warning)) },
      _fatalException: { value: (error: unknown) => this.uncaught.push(error) },
    })
    this.object = object
    const print = (...values: unknown[]) =>
      this.lines.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '))
    this.global = Object.create(globalThis) as Record<string, any>
    Object.assign(this.global, { process: object, console: { ...console, log: print }, ...options.globals })
    Object.defineProperty(this.global, 'globalThis', { value: this.global, writable: true })
    Object.defineProperty(this.global, 'global', { value: this.global, writable: true })
    const errors = {
      __proto__: internals.internalBinding('errors'),
      triggerUncaughtException: (error: unknown) => this.uncaught.push(error),
    }
    this.loader = new ProgramLoader({
      ...options,
      thread,
      cliOptions: parseCliOptions(internals, options.execArgv ?? []),
      process: {
        object,
        globals: { has: (name) => name in this.global, get: (name) => this.global[name] },
        require: internals.require,
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
