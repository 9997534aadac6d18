/**
 * The process of a node on another machine. A shell there starts it as the leader of a session of its own, writes its
 * number and its exit into files beside the disk, and hands its outputs back as they come. What the process prints
 * arrives some time after it was printed: an order between it and an answer is not kept, as it is on this machine.
 */
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import type { Exit, Launch } from '../node-process.ts'
import { familiesOf, type ProcessId, type Relative } from '../process-state.ts'
import type { NodeControl } from './backend.ts'
import type { RemoteShell } from './remote-shell.ts'
import { line, quoted } from './shell-words.ts'

const STARTED_POLL_MS = 30
const STARTED_MS = 10_000

export interface RemoteProcessOptions {
  readonly shell: RemoteShell
  /** The folder above the node's disk. */
  readonly folder: string
  readonly stdout: string
  readonly stderr: string
  /** The connection to the machine broke: what became of the process is not known. */
  readonly lost: (reason: string) => void
}

export class RemoteProcess implements NodeControl {
  readonly stdout: string
  readonly stderr: string
  readonly #options: RemoteProcessOptions
  #id: ProcessId | null = null
  #alive = false
  #exits: ((exit: Exit) => void)[] = []

  constructor(options: RemoteProcessOptions) {
    this.#options = options
    this.stdout = options.stdout
    this.stderr = options.stderr
  }

  get alive(): boolean {
    return this.#alive
  }

  get id(): ProcessId | null {
    return this.#id
  }

  get pids(): number[] {
    return [...new Set(this.#threads().map(({ pid }) => pid))]
  }

  async start(launch: Launch, exited: (exit: Exit) => void): Promise<ProcessId> {
    const { shell, folder } = this.#options
    const files = [openSync(this.stdout, 'a'), openSync(this.stderr, 'a')] as const
    shell.said(`rm -f ${quoted(folder)}/pid ${quoted(folder)}/exit`)
    this.#alive = true
    try {
      const child = shell.start(scriptOf(launch, folder), files)
      child.once('error', () => this.#ended(exited))
      child.once('exit', () => this.#ended(exited))
    } finally {
      for (const file of files) closeSync(file)
    }
    const untilMs = performance.now() + STARTED_MS
    while (performance.now() < untilMs) {
      const [pid, startTicks] = shell
        .run(`cat ${quoted(folder)}/pid`)
        .stdout.split(' ')
        .map(Number)
      if (pid > 0) return (this.#id = { pid, startTicks })
      if (!this.#alive) break
      await new Promise((resolve) => setTimeout(resolve, STARTED_POLL_MS))
    }
    throw new Error(`${launch.command} did not start on ${shell.name}; see ${this.stderr}`)
  }

  signal(name: NodeJS.Signals): boolean {
    if (this.#id === null || !this.#alive) return false
    const { pid } = this.#id
    const others = this.pids.filter((each) => each !== pid)
    const signal = `kill -s ${name.slice(3)} --`
    // The group first: what it starts meanwhile belongs to it.
    return (
      this.#options.shell.run(
        `${signal} -${pid}; sent=$?; ${others.map((each) => `${signal} ${each}; `).join('')}exit $sent`,
      ).status === 0
    )
  }

  exit(withinMs: number): Promise<Exit | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), withinMs)
      this.#exits.push((exit) => {
        clearTimeout(timer)
        resolve(exit)
      })
    })
  }

  states(): string[] {
    return this.#threads().map(({ state }) => state)
  }

  /** All threads of all processes of the node. */
  #threads(): readonly Thread[] {
    const leader = this.#id?.pid
    if (leader === undefined) return []
    const { stdout } = this.#options.shell.run('grep -H . /proc/[0-9]*/task/[0-9]*/stat 2>/dev/null')
    const all = stdout.split('\n').flatMap(threadIn)
    const processes = all.filter(({ pid, thread }) => pid === thread)
    const ours = new Set(familiesOf(new Set([leader]), processes).map(([pid]) => pid))
    return all.filter(({ pid }) => ours.has(pid))
  }

  #ended(exited: (exit: Exit) => void): void {
    if (!this.#alive) return
    this.#alive = false
    const { shell, folder, lost } = this.#options
    const { status, stdout } = shell.run(`cat ${quoted(folder)}/exit`)
    const code = Number(stdout)
    if (status !== 0 || stdout.trim() === '') lost(`the connection to ${shell.name} broke while its node ran`)
    const exit = status === 0 ? exitOf(code) : { code: null, signal: null }
    exited(exit)
    for (const tell of this.#exits.splice(0)) tell(exit)
  }
}

interface Thread extends Relative {
  readonly thread: number
  readonly state: string
}

/** `/proc/12/task/13/stat:13 (a name) S 1 12 12 …`. */
function threadIn(line: string): Thread[] {
  const [, pid, thread] = /^\/proc\/(\d+)\/task\/(\d+)\/stat:/.exec(line) ?? []
  if (pid === undefined) return []
  const [state, parent, , session] = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return [
    { pid: Number(pid), thread: Number(thread), state, parent: Number(parent), session: Number(session) },
  ]
}

/** A shell gives 128 and the number of the signal for a process that a signal has ended. */
function exitOf(code: number): Exit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0]
  return signal === undefined ? { code, signal: null } : { code: null, signal: signal as NodeJS.Signals }
}

/** The start time stands behind the name of the program, which may have spaces. */
function scriptOf({ command, args, env, cwd, user }: Launch, folder: string): string {
  const pairs = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  )
  const words = ['env', ...pairs, ...asOther(user), 'setsid', command, ...args]
  return [
    `cd ${quoted(cwd)} || exit 1`,
    `${line(words)} < /dev/null & p=$!`,
    `echo "$p $(sed 's/.*) //' /proc/$p/stat | cut -d' ' -f20)" > ${quoted(folder)}/pid.new && mv ${quoted(folder)}/pid.new ${quoted(folder)}/pid`,
    `wait $p; echo $? > ${quoted(folder)}/exit.new; mv ${quoted(folder)}/exit.new ${quoted(folder)}/exit`,
  ].join('\n')
}

/** Words that make a command another user's. */
export function asOther(user: string | undefined): string[] {
  return user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--']
}
