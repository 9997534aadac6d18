/** The options of a Node program, as its users and its parents give them. */
import type { LoaderSettings } from '../loader/loader-settings.ts'

/** The argument of a process function: its own Node. */
export interface ProcessContext {
  readonly require: (id: string) => any
  readonly process: NodeJS.Process
  readonly globalThis: typeof globalThis
}

export type ProcessFunction = (context: ProcessContext) => unknown

/** A file, a function, or one of Node's own main scripts (`node -e` and the like). */
export type Entry = string | ProcessFunction | { readonly main: string }

export interface Output {
  readonly process: string
  readonly fd: 1 | 2
  readonly bytes: Uint8Array
  readonly timeUs: number
}

/** How late a strategy may let things happen; by time everything is punctual. */
export interface Lateness {
  readonly timerUs: number
  /** Completions of the thread pool: files, look-ups, crypto. */
  readonly poolUs: number
}

export interface NodeProgramOptions {
  readonly entry: Entry
  readonly argv?: readonly string[]
  readonly execArgv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly loader?: LoaderSettings
  /** For explorations: how late timers and completions may be. */
  readonly lateness?: Partial<Lateness>
  readonly onOutput?: (output: Output) => void
}

/** The program that a process becomes by `execve`. */
export interface Replacement extends Pick<NodeProgramOptions, 'entry' | 'argv' | 'execArgv' | 'env' | 'cwd'> {
  readonly argv0: string
}
