/**
 * System calls of a node that fail or stall, by strace: it stands between the program and the kernel and answers for the
 * kernel. It looks only at calls on files of the node's own disk, so sockets and the program's source are untouched. Its
 * log is the evidence: every call that a thread of the victim made, and the error that the thread got.
 *
 * It knows files by their names, so it begins again with all names when a file appears; and it begins again when the
 * node's process is another one. Names that were there once stay known, since programs use names of drafts again.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../../../kernel/errors.ts'
import type { RealNode } from '../../cluster/cluster.ts'
import { findProgram } from '../../doctor/programs.ts'
import { pathsOf } from './files.ts'

const POLL_MS = 50
const ATTACH_MS = 3000
const DETACH_MS = 2000

/** What a call gets: `error=EIO`, or `delay_enter=50000`, and which of the calls (`when=3+2`). */
export interface Injection {
  /** Names of calls; those that the machine's architecture lacks are left out. */
  readonly calls: readonly string[]
  readonly effect: string
}

/** Refuses with the reason if strace cannot be used here. */
export function checkTracing(path: string): void {
  const file = findProgram('strace', path)
  if (file === null)
    throw refused(
      'strace is not installed; on Debian, as root: apt-get install -y --no-install-recommends strace',
    )
  const target = spawn('sleep', ['10'], { stdio: 'ignore' })
  try {
    const { stderr } = spawnSync(file, ['-p', String(target.pid), '-e', 'trace=none'], {
      timeout: 500,
      killSignal: 'SIGTERM',
      encoding: 'utf8',
    })
    if (/not permitted|Could not attach|attach: /.test(stderr))
      throw refused(
        `strace may not attach to processes here (${stderr.trim().split('\n')[0]}); root may, or set kernel.yama.ptrace_scope to 0`,
      )
  } finally {
    target.kill('SIGKILL')
  }
}

function refused(reason: string): UsageError {
  return new UsageError('ERR_WAVETANK_NEMESIS', `wavetank real: disk faults need strace: ${reason}`)
}

interface Tracer {
  readonly child: ChildProcess
  readonly pid: number
  readonly log: string
}

let tracers = 0

export class FailingCalls {
  readonly #node: RealNode
  readonly #injections: readonly Injection[]
  readonly #environment: Readonly<Record<string, string | undefined>>
  readonly #logs: string[] = []
  readonly #paths = new Set<string>()
  #tracer: Tracer | null = null
  #poll: NodeJS.Timeout | undefined
  #turning: Promise<void> = Promise.resolve()
  #problem: string | null = null
  #over = false

  constructor(
    node: RealNode,
    injections: readonly Injection[],
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.#node = node
    this.#injections = injections
    this.#environment = environment
  }

  /** Resolves when the first tracer is attached, or cannot be. */
  async begin(): Promise<void> {
    this.#learn()
    await this.#attach()
    this.#poll = setInterval(() => {
      this.#turning = this.#turning.then(() => this.#follow())
    }, POLL_MS)
  }

  /** How often each call was hit, and what it got: `fsync EIO` → 3. */
  hits(): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    for (const log of this.#logs) {
      if (!existsSync(log)) continue
      for (const line of readFileSync(log, 'utf8').split('\n')) {
        const hit = hitOf(line)
        if (hit !== null) found.set(hit, (found.get(hit) ?? 0) + 1)
      }
    }
    return found
  }

  /** Why strace is not attached; null if it is, or was. */
  get problem(): string | null {
    return this.#problem
  }

  async end(): Promise<void> {
    clearInterval(this.#poll)
    this.#over = true
    await this.#turning
    await this.#detach()
  }

  /** Attaches again after a restart of the node, and when files have appeared. */
  async #follow(): Promise<void> {
    const { process } = this.#node
    if (this.#over || !process.alive) return
    const isNew = this.#learn()
    if (!isNew && this.#tracer?.pid === process.id?.pid && this.#tracer?.child.exitCode === null) return
    await this.#detach()
    await this.#attach()
  }

  /** Whether there are paths that were not known. */
  #learn(): boolean {
    const before = this.#paths.size
    for (const path of pathsOf(this.#node)) this.#paths.add(path)
    return this.#paths.size > before
  }

  async #attach(): Promise<void> {
    const { pids, id, stderr: output } = this.#node.process
    if (id === null || pids.length === 0) return
    const log = join(dirname(output), `${this.#node.name}.calls-${++tracers}.strace`)
    const calls = [...new Set(this.#injections.flatMap((injection) => injection.calls))]
    const args = [
      '-f',
      '-o',
      log,
      '-e',
      `trace=${listOf(calls)}`,
      '-e',
      'signal=none',
      ...this.#injections.flatMap((injection) => [
        '-e',
        `inject=${listOf(injection.calls)}:${injection.effect}`,
      ]),
      ...pids.flatMap((pid) => ['-p', String(pid)]),
      ...[...this.#paths].flatMap((path) => ['-P', path]),
    ]
    const child = spawn('strace', args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...this.#environment },
    })
    this.#tracer = { child, pid: id.pid, log }
    this.#logs.push(log)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ATTACH_MS)
      let said = ''
      const done = (): void => {
        clearTimeout(timer)
        resolve()
      }
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.includes('attached')) done()
      })
      child.once('error', (error) => {
        this.#problem = error.message
        done()
      })
      child.once('exit', (code) => {
        if (code !== 0 && !said.includes('attached')) this.#problem = said.trim().split('\n')[0]
        done()
      })
    })
  }

  async #detach(): Promise<void> {
    const child = this.#tracer?.child
    this.#tracer = null
    if (
      child === undefined ||
      child.exitCode !== null ||
      child.signalCode !== null ||
      child.pid === undefined
    )
      return
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), DETACH_MS)
    await gone
    clearTimeout(timer)
  }
}

/** `?` before a name: no error if this architecture does not have the call. */
function listOf(calls: readonly string[]): string {
  return calls.map((call) => `?${call}`).join(',')
}

const LINE = /^\d+\s+(?:<\.\.\. )?(\w+)[ (].*(?:= -1 (E[A-Z]+) .*\(INJECTED\)|\((DELAYED)\))/

function hitOf(line: string): string | null {
  const [, call, error, delayed] = LINE.exec(line) ?? []
  if (call === undefined) return null
  return delayed === undefined ? `${call} ${error}` : `${call} delayed`
}
