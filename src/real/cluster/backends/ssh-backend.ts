/**
 * The ssh backend: machines of the user's own, reached by the ssh client with the user's own keys and configuration. One
 * connection per machine is kept open and shared, so that a command takes milliseconds.
 */
import { join } from 'node:path'
import { UsageError } from '../../../kernel/errors.ts'
import type { RealSystem } from '../../../sim/authoring/real-system.ts'
import type { BackendSetup } from './backend.ts'
import { RemoteCluster } from './remote-cluster.ts'
import { RemoteShell } from './remote-shell.ts'
import { line } from './shell-words.ts'

/** The path of a socket may have about 100 characters, and the client adds some for a moment. */
const LONGEST_SOCKET = 80
const PERSIST_S = 60
/** Seconds without a sign of life after which the client asks the machine for one. */
const ALIVE_S = 5
/** Questions without an answer after which the machine is gone. */
const ALIVE_TIMES = 4

export interface SshOptions {
  readonly machines?: readonly string[]
  readonly sshConfig?: string
  readonly install: boolean
}

export class SshBackend extends RemoteCluster {
  constructor(
    setup: BackendSetup,
    { machines = [], sshConfig, install }: SshOptions,
    systems: readonly RealSystem[],
  ) {
    const { nodes, resources } = setup
    if (machines.length < nodes.length) {
      throw new UsageError(
        'ERR_WAVETANK_MACHINE',
        `wavetank real: ${nodes.length} nodes need as many machines, and --machines names ${machines.length}; for example --machines n1.example,n2.example,n3.example`,
      )
    }
    const words = (machine: string, options: readonly string[]): string[] => [
      'ssh',
      ...(sshConfig === undefined ? [] : ['-F', sshConfig]),
      '-o',
      'BatchMode=yes',
      '-o',
      'ConnectTimeout=10',
      // A machine that is gone ends the connection, and so every command that waits for it.
      '-o',
      `ServerAliveInterval=${ALIVE_S}`,
      '-o',
      `ServerAliveCountMax=${ALIVE_TIMES}`,
      '-o',
      'LogLevel=ERROR',
      ...options,
      machine,
    ]
    const used = machines.slice(0, nodes.length)
    const shells = used.map((machine, index) => {
      const socket = join(resources.folder, `ssh${index + 1}`)
      const shared = ['ControlMaster=auto', `ControlPath=${socket}`, `ControlPersist=${PERSIST_S}`]
      const options = socket.length > LONGEST_SOCKET ? [] : shared.flatMap((each) => ['-o', each])
      // A connection that is kept open is a process of this machine, which rewrites its environment.
      if (options.length > 0)
        resources.manifest.addCommand(closing(words(machine, [...options, '-O', 'exit'])))
      return new RemoteShell(machine, words(machine, options), process.env)
    })
    const cleaners = used.map(
      (machine) => new RemoteShell(machine, words(machine, ['-o', 'ControlPath=none']), process.env),
    )
    super({ name: 'ssh', setup, shells, cleaners, systems, install })
  }
}

/** Ends a connection that is kept open; there may be none any more. */
function closing(words: readonly string[]): string[] {
  return ['sh', '-c', `${line(words)} 2>/dev/null || true`]
}
