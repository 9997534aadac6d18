/**
 * A node on this machine: its folder is below the run's, its processes are ours. With `prefix` every command runs through
 * another, such as `nsenter` into the node's own network namespace.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NodeProcess } from '../node-process.ts'
import { asUser, userOf } from '../user.ts'
import type { BackendSetup, CommandPlace, CommandResult, Machine } from './backend.ts'

export class LocalMachine implements Machine {
  readonly process: NodeProcess
  readonly disk: string
  readonly isHere = true
  readonly #prefix: readonly string[]

  constructor({ resources, logs }: BackendSetup, name: string, prefix: readonly string[] = []) {
    this.#prefix = prefix
    this.disk = join(resources.folder, name, 'disk')
    this.process = new NodeProcess(join(logs, `${name}.stdout.log`), join(logs, `${name}.stderr.log`), prefix)
  }

  makeFolder(path: string): void {
    mkdirSync(path, { recursive: true })
  }

  giveTo(user: string): void {
    if (process.getuid?.() !== 0) return
    const { uid, gid } = userOf(user)
    chownSync(this.disk, uid, gid)
    for (const entry of readdirSync(this.disk)) chownSync(join(this.disk, entry), uid, gid)
  }

  write(path: string, text: string): void {
    writeFileSync(path, text)
  }

  run(command: readonly string[], { cwd, env, user }: CommandPlace): CommandResult {
    const { words, who } = asUser(user, this.#prefix)
    const [program, ...args] = [...words, ...command]
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      cwd,
      env: { ...env },
      encoding: 'utf8',
      ...who,
    })
    return { status, stdout: stdout ?? '', stderr: error?.message ?? stderr }
  }

  later(command: readonly string[]): string[] {
    return [...command]
  }

  read(path: string): Buffer | null {
    try {
      return readFileSync(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
}
