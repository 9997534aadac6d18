/**
 * A shell on another machine: `ssh`, or `docker exec`. Every call is a program of this machine that ends with the script;
 * the script is its last word. So there is no state between calls, and what is called can be written into the manifest.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { UsageError } from '../../../kernel/errors.ts'
import type { CommandResult } from './backend.ts'

const MOST_BYTES = 1 << 28

export class RemoteShell {
  /** How people know the machine. */
  readonly name: string
  readonly #words: readonly string[]
  readonly #env: NodeJS.ProcessEnv

  /** `words` and a script make a command of this machine. */
  constructor(name: string, words: readonly string[], env: NodeJS.ProcessEnv) {
    this.name = name
    this.#words = words
    this.#env = env
  }

  command(script: string): string[] {
    return [...this.#words, script]
  }

  run(script: string, input: string | Buffer = ''): CommandResult & { readonly bytes: Buffer } {
    const [program, ...args] = this.command(script)
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      input,
      env: this.#env,
      maxBuffer: MOST_BYTES,
    })
    const bytes = stdout ?? Buffer.alloc(0)
    return { status, bytes, stdout: bytes.toString(), stderr: error?.message ?? stderr.toString() }
  }

  /** The output of a script that must succeed. */
  said(script: string, input = ''): string {
    const { status, stdout, stderr } = this.run(script, input)
    if (status === 0) return stdout
    throw new UsageError(
      'ERR_WAVETANK_MACHINE',
      `wavetank real: machine ${this.name}: '${script.split('\n')[0]}' ended with ${status}: ${stderr.trim()}`,
    )
  }

  start(script: string, stdio: readonly [stdout: number, stderr: number]): ChildProcess {
    const [program, ...args] = this.command(script)
    return spawn(program, args, { stdio: ['ignore', ...stdio], detached: true, env: this.#env })
  }
}
