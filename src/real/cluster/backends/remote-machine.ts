/** A node on another machine: its folder and its process are reached through a shell there. */
import { dirname, join } from 'node:path'
import type { CommandPlace, CommandResult, Machine } from './backend.ts'
import { asOther, RemoteProcess } from './remote-process.ts'
import type { RemoteShell } from './remote-shell.ts'
import { line, quoted } from './shell-words.ts'

export interface RemoteMachineOptions {
  readonly shell: RemoteShell
  /** A shell that needs nothing of the run; null where the machine goes as a whole. */
  readonly cleaner: RemoteShell | null
  /** The folder of the node on its machine. */
  readonly folder: string
  readonly name: string
  readonly logs: string
  /** Whether the shell is root's. */
  readonly isRoot: () => boolean
  readonly lost: (reason: string) => void
}

export class RemoteMachine implements Machine {
  readonly process: RemoteProcess
  readonly disk: string
  readonly isHere = false
  readonly #options: RemoteMachineOptions

  constructor(options: RemoteMachineOptions) {
    const { shell, folder, name, logs, lost } = options
    this.#options = options
    this.disk = join(folder, 'disk')
    const [stdout, stderr] = ['stdout', 'stderr'].map((stream) => join(logs, `${name}.${stream}.log`))
    this.process = new RemoteProcess({ shell, folder, stdout, stderr, lost })
  }

  makeFolder(path: string): void {
    this.#options.shell.said(`mkdir -p ${quoted(path)}`)
  }

  giveTo(user: string): void {
    if (!this.#options.isRoot()) return
    const { shell, folder } = this.#options
    shell.said(
      `chown -R ${quoted(user)}: ${quoted(this.disk)} && chmod 755 ${quoted(folder)} ${quoted(dirname(folder))}`,
    )
  }

  write(path: string, text: string): void {
    this.#options.shell.said(`cat > ${quoted(path)}`, text)
  }

  run(command: readonly string[], { cwd, env, user }: CommandPlace): CommandResult {
    const pairs = Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    )
    const other = this.#options.isRoot() ? asOther(user) : []
    return this.#options.shell.run(`cd ${quoted(cwd)} && ${line(['env', ...pairs, ...other, ...command])}`)
  }

  later(command: readonly string[]): string[] | null {
    return this.#options.cleaner?.command(line(command)) ?? null
  }

  read(path: string): Buffer | null {
    const { status, bytes } = this.#options.shell.run(`cat ${quoted(path)}`)
    return status === 0 ? bytes : null
  }
}
