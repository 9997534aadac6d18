/** Where a process runs: what the node layer is told about its place in the world when it boots. */
import type { Actor } from '../kernel/actor.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Host } from '../world/host.ts'
import type { ProgramLoaderOptions } from './loader/index.ts'
import type { Stdio } from './stdio.ts'
import type { NodeProcess } from './process.ts'

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
  readonly argv: readonly string[]
  readonly execArgv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** The descriptors it is born with. */
  readonly stdio: readonly (Stdio | undefined)[]
  readonly execPath: string
  /** Changes the process's directory; throws what `process.chdir` throws. */
  chdir(process: NodeProcess, directory: string): void
  /** Sends a signal; null when it was sent, else the error's code. */
  kill(process: NodeProcess, pid: number, signal: number): string | null
  /** What its module loaders are told. */
  readonly loader: Omit<ProgramLoaderOptions, 'thread' | 'process'>
  /** Runs the program, inside the process, after Node's bootstrap. */
  run(process: NodeProcess): void
  /** The host's wall clock, in milliseconds. */
  wallMs(): number
  /** Something was written to stdout (1) or stderr (2). */
  output(fd: 1 | 2, bytes: Uint8Array): void
  exited(code: number | null, signal: string | null): void
}
