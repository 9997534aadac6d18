/**
 * The operating system's side of one node: its process, from start to start. The process leads a session of its own, so
 * that signals reach all it has started, and the terminal's Ctrl-C does not. What it writes goes to files.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { asUser } from './user.ts'
import { apartFrom, processesOf, processId, threadStates, type ProcessId } from './process-state.ts'

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The user to run as, where the tool runs as root. */
  readonly user?: string
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class NodeProcess {
  readonly stdout: string
  readonly stderr: string
  #child: ChildProcess | null = null
  #id: ProcessId | null = null
  #exits: ((exit: Exit) => void)[] = []

  readonly #prefix: readonly string[]

  /** Both files are appended to at every start. `prefix` is a command that becomes the program, such as `nsenter …`. */
  constructor(stdout: string, stderr: string, prefix: readonly string[] = []) {
    this.stdout = stdout
    this.stderr = stderr
    this.#prefix = prefix
  }

  get alive(): boolean {
    return this.#child !== null
  }

  /** The process that runs now. */
  get id(): ProcessId | null {
    return this.#id
  }

  /** All processes of the node. */
  get pids(): number[] {
    return this.#id === null ? [] : processesOf(new Set([this.#id.pid]))
  }

  /** Resolves when the process runs; rejects if its program cannot be started. */
  async start({ command, args, env, cwd, user }: Launch, exited: (exit: Exit) => void): Promise<ProcessId> {
    const files = [openSync(this.stdout, 'a'), openSync(this.stderr, 'a')]
    const { words, who } = asUser(user, this.#prefix)
    const [program, ...rest] = [...words, command, ...args]
    try {
      const child = spawn(program, rest, {
        cwd,
        env: { ...env },
        detached: true,
        stdio: ['ignore', ...files],
        ...who,
      })
      this.#child = child
      const id = child.pid === undefined ? null : processId(child.pid)
      this.#id = id
      child.once('exit', (code, signal) => {
        this.#child = null
        exited({ code, signal })
        for (const tell of this.#exits.splice(0)) tell({ code, signal })
      })
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve)
        child.once('error', (error) => {
          this.#child = null
          reject(error)
        })
      })
      return id!
    } finally {
      for (const file of files) closeSync(file)
    }
  }

  /** Sends a signal to every process of the node; false if none was there. */
  signal(name: NodeJS.Signals): boolean {
    if (this.#id === null || !this.alive) return false
    const { pid } = this.#id
    const apart = apartFrom(pid)
    const isSent = isSignalled(-pid, name)
    for (const each of apart) isSignalled(each, name)
    return isSent
  }

  /** The exit of the process that runs now, or null after some time. */
  exit(withinMs: number): Promise<Exit | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), withinMs)
      this.#exits.push((exit) => {
        clearTimeout(timer)
        resolve(exit)
      })
    })
  }

  /** The states of all threads of all processes of the node. */
  states(): string[] {
    return this.pids.flatMap(threadStates)
  }
}

function isSignalled(target: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(target, name)
    return true
  } catch {
    return false // it has ended
  }
}
