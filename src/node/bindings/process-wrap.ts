/**
 * `process_wrap`: children of a process. A child is a process of the same host with a pid of its own; pipes of its stdio
 * and its IPC channel are streams between the two. Follows src/process_wrap.cc and `uv_spawn`.
 */
import { current } from '../process/current.ts'
import { commandFor } from '../process/children/command-line.ts'
import { scriptCommand, type LookAt } from '../process/children/script.ts'
import { Handle } from '../process/handle.ts'
import { InheritedEndpoint } from '../process/inherited-endpoint.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import { sendTo, startChild } from '../process/program.ts'
import type { RunningProcess } from '../process/running-process.ts'
import type { Replacement } from '../process/program-options.ts'
import type { Stdio } from '../process/stdio.ts'
import { TcpEndpoint } from '../../world/network/tcp-endpoint.ts'
import type { SimProcess } from '../../world/process.ts'
import { closed, UnsupportedError, uvCode } from './binding.ts'
import { filesOf } from './fs/view.ts'
import { USER_ID } from './credentials.ts'
import type { Pipe } from './network/pipe-wrap.ts'
import { signalName } from './signal-wrap.ts'
import { StreamHandle } from './network/stream-wrap.ts'

/** One descriptor of the child, as Node's library describes it. */
interface StdioOption {
  readonly type: 'ignore' | 'pipe' | 'overlapped' | 'wrap' | 'inherit' | 'fd'
  readonly handle?: Pipe
  readonly fd?: number
  readonly ipc?: boolean
}

interface SpawnOptions {
  readonly file: string
  readonly args?: readonly string[]
  readonly cwd?: string | null
  readonly envPairs?: readonly string[]
  readonly stdio?: readonly StdioOption[]
  readonly uid?: number
  readonly gid?: number
}

/** How long it takes until a parent hears of a child's end: what the child wrote last is there before. */
const REAP_US = 300

class Process extends Handle {
  /** Nothing until a child runs. */
  declare pid?: number
  onexit: ((code: number, signal: string) => void) | null = null
  private child: SimProcess | null = null

  constructor() {
    super('PROCESSWRAP')
  }

  /** Node 20 and 22 pass an object, later versions the members one by one. */
  spawn(first: SpawnOptions | string, ...rest: unknown[]): number {
    const parent = current()
    const options: SpawnOptions =
      typeof first === 'string'
        ? {
            file: first,
            args: rest[0] as string[],
            cwd: rest[1] as string,
            envPairs: rest[2] as string[],
            stdio: rest[3] as StdioOption[],
          }
        : first
    const cwd =
      options.cwd == null ? parent.cwd : parent.modules.require('path').resolve(parent.cwd, options.cwd)
    if (options.cwd != null && !isDirectory(parent, cwd)) return failed(parent, options, 'ENOENT')
    const { uid, gid } = options
    // Only root may become another user.
    if ([uid, gid].some((id) => id !== undefined && id !== USER_ID)) return failed(parent, options, 'EPERM')
    const { file } = options
    const line = { file, args: (options.args ?? [file]).map(String), envPairs: options.envPairs ?? [], cwd }
    const { hash } = parent.kernel
    for (const text of [file, cwd, ...line.args, ...line.envPairs]) hash.addText(text, 'starts a child with')
    const command = commandOf(parent, line)
    if (typeof command === 'string') return failed(parent, options, command)
    const child = startChild(parent, {
      ...command,
      stdio: (actor) => (options.stdio ?? []).map((each, fd) => stdioOf(parent, actor, each, fd)),
    })
    this.child = child
    this.pid = child.pid
    this.active = true
    child.onExit(({ code, signal }) => {
      parent.kernel.schedule(parent.actor, 'child-exit', REAP_US, () => {
        parent.loop.receive(() => {
          this.active = false
          this.callback('onexit', code ?? 0, signal ?? '')
        })
      })
    })
    return 0
  }

  kill(number: number): number {
    current()
    if (this.child === null || !this.active) return uvCode('ESRCH')
    // One that has ended but was not waited for can still be signalled, without effect.
    if (number === 0 || !this.child.alive) return 0
    const name = signalName(number)
    if (name === undefined) return uvCode('EINVAL')
    sendTo(this.child, name)
    return 0
  }
}

/** A program with its arguments, the first of which is the name that it is called by. */
interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  readonly envPairs: readonly string[]
  readonly cwd: string
}

/** The program that a command line starts; a string is the error's code. */
export function commandOf(process: RunningProcess, line: CommandLine): Replacement | string {
  const { file, cwd } = line
  const { execPath } = process.placement
  const [argv0 = file, ...args] = line.args
  const env = environmentOf(line.envPairs)
  const command =
    commandFor(file, args, env, execPath) ??
    scriptCommand({ file, args, env, execPath, cwd }, (path) => lookAt(process, path))
  if (command === 'ENOEXEC') {
    throw new UnsupportedError(
      `the tank cannot start ${file}: it is a native program, and only Node, a shell and a few tools run in a simulated ` +
        'world. Let a script with the same name stand in for it, earlier in PATH.',
    )
  }
  return typeof command === 'string' ? command : { ...command, cwd, argv0 }
}

/** Pipes to a child that could not be started exist already; they have no other end. */
function hangUp(parent: RunningProcess, option: StdioOption): void {
  if (option.type !== 'pipe' && option.type !== 'overlapped') return
  const [mine, theirs] = parent.placement.host.net.pipePair(parent.actor, parent.actor)
  option.handle!.adopt(mine)
  theirs.close()
}

/** A child that could not be started: its pipes are there all the same, and end at once. */
function failed(parent: RunningProcess, { stdio = [] }: SpawnOptions, code: string): number {
  for (const each of stdio) hangUp(parent, each)
  return uvCode(code)
}

function stdioOf(
  parent: RunningProcess,
  child: RunningProcess['actor'],
  option: StdioOption,
  fd: number,
): Stdio | undefined {
  switch (option.type) {
    case 'ignore':
      return { type: 'ignore' }
    case 'pipe':
    case 'overlapped': {
      const [mine, theirs] = parent.placement.host.net.pipePair(parent.actor, child)
      option.handle!.adopt(mine)
      return { type: 'pipe', endpoint: theirs, ipc: option.ipc ?? false }
    }
    case 'wrap': {
      const socket = option.handle instanceof StreamHandle ? option.handle.lend() : null
      if (socket instanceof TcpEndpoint) parent.placement.host.net.transfer(socket, child)
      return socket === null ? { type: 'ignore' } : { type: 'pipe', endpoint: socket }
    }
    default: {
      const inherited = option.fd ?? fd
      const stdio = parent.stdio[inherited]
      if (stdio?.type === 'pipe')
        return { ...stdio, endpoint: new InheritedEndpoint(stdio.endpoint, parent.kernel, child) }
      if (stdio !== undefined) return stdio
      const view = filesOf(parent)
      return view.descriptors.has(inherited)
        ? { type: 'file', file: view.descriptors.get(inherited) }
        : { type: 'ignore' }
    }
  }
}

function environmentOf(pairs: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at > 0) env[pair.slice(0, at)] = pair.slice(at + 1)
  }
  return env
}

function isDirectory(process: RunningProcess, path: string): boolean {
  try {
    return process.modules.require('fs').statSync(path).isDirectory()
  } catch {
    return false
  }
}

function lookAt(process: RunningProcess, path: string): ReturnType<LookAt> {
  const fs = process.modules.require('fs')
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return null
  return { mode: stats.mode, text: stats.isFile() ? fs.readFileSync(path, 'latin1') : null }
}

export function processWrap(): Binding {
  const { constants } = takeInternals().internalBinding('process_wrap')
  return closed('process_wrap', constants === undefined ? { Process } : { Process, constants })
}
