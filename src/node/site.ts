/** Where a process runs: what the node layer is told about its place in the world when it boots. */
import type { Actor } from '../kernel/actor.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Evidence } from '../world/evidence.ts'
import type { Host } from '../world/host.ts'
import type { ProgramLoaderOptions } from './loader/index.ts'
import type { NodeProcess } from './process.ts'
import type { NodeProgram, NodeProgramOptions } from './program.ts'
import type { Stdio } from './stdio.ts'
import type { WorkerThread } from './worker-thread.ts'

/** How late a strategy may let things happen; by time everything is punctual. */
export interface Lateness {
  readonly timerUs: number
  /** Completions of the thread pool: files, look-ups, crypto. */
  readonly poolUs: number
}

/** What a process becomes. */
export interface Replacement extends Pick<NodeProgramOptions, 'entry' | 'argv' | 'execArgv' | 'env' | 'cwd'> {
  readonly argv0: string
}

export interface ProcessSite {
  readonly kernel: Kernel
  /** The actor of this boot. */
  readonly actor: Actor
  readonly name: string
  readonly pid: number
  readonly ppid: number
  /** Which boot this is, from 1. */
  readonly boot: number
  readonly host: Host
  readonly evidence: Evidence
  /** Without the executable: the script, then its arguments. */
  readonly argv: readonly string[]
  /** The name it was started under, which nothing but `process.argv0` tells. */
  readonly argv0: string
  readonly execArgv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** The descriptors it is born with. */
  readonly stdio: readonly (Stdio | undefined)[]
  readonly execPath: string
  readonly lateness: Lateness
  /** One of Node's own main scripts, which prepares the process itself. */
  readonly mainScript: string | null
  /** Set in a worker thread. */
  readonly thread: WorkerThread | null
  /** What its module loaders are told. */
  readonly loader: Omit<ProgramLoaderOptions, 'thread' | 'process'>
  /** What it was started as; its children inherit some of it. */
  readonly program: NodeProgram
  /** Runs the program, inside the process, after Node's bootstrap. */
  run(process: NodeProcess): void
  /** The host's wall clock, in milliseconds. */
  wallMs(): number
  /** Something was written to stdout (1) or stderr (2). */
  output(fd: 1 | 2, bytes: Uint8Array): void
  exited(code: number | null, signal: string | null): void
  /** `execve`: the process is this program from now on. What was running has ended, without a word. */
  replace(program: Replacement): void
}
