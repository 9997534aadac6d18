/** The place of a process in the world: host, names, options and ways out. A process gets it when it boots. */
import type { Actor } from '../../kernel/actor.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Evidence } from '../../world/evidence.ts'
import type { Host } from '../../world/host.ts'
import type { PortCore } from '../bindings/threads/message-port.ts'
import type { LoaderSettings } from '../loader/loader-settings.ts'
import type { Lateness, NodeProgramOptions, Replacement } from './program-options.ts'
import type { RunningProcess } from './running-process.ts'
import type { Stdio } from './stdio.ts'

/** The facts that a worker thread knows about itself. */
export interface WorkerThread {
  readonly threadId: number
  readonly name: string
  readonly isInternal: boolean
  readonly resourceLimits: Float64Array
  /** The thread's end of the port to its creator. */
  readonly port: PortCore
  /** The creator's `process.env` itself, when the two share it. */
  readonly sharedEnv: Record<string, string> | null
}

export interface ProcessPlacement {
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
  /** The name it was started under; only `process.argv0` shows it. */
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
  /** The settings of its module loaders. */
  readonly loader: LoaderSettings
  /** The options of the program it was started as; its children inherit some of them. */
  readonly program: NodeProgramOptions
  /** Runs the program, inside the process, after Node's bootstrap. */
  run(process: RunningProcess): void
  /** The host's wall clock, in milliseconds. */
  wallMs(): number
  /** Something was written to stdout (1) or stderr (2). */
  output(fd: 1 | 2, bytes: Uint8Array): void
  exited(code: number | null, signal: string | null): void
  /** `execve`: the process is this program from now on. The one that was running has ended, without an exit code. */
  replace(program: Replacement): void
}
