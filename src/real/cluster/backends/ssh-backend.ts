/**
 * The ssh backend: machines of the user's own, reached by the ssh client with the user's own keys and configuration. One
 * connection per machine is kept open and shared, so that a command takes milliseconds.
 */
import { join } from 'node:path'
import { RUN_VARIABLE } from '../../cleanup/manifest.ts'
import { UsageError } from '../../../kernel/errors.ts'
import type { RealSystem } from '../../../sim/authoring/real-system.ts'
import type { BackendSetup } from './backend.ts'
import { RemoteCluster } from './remote-cluster.ts'
import { RemoteShell } from './remote-shell.ts'

/** The path of a socket may have about 100 characters, and the client adds some for a moment. */
const LONGEST_SOCKET = 80
const PERSIST_S = 60

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
    const { run } = resources.manifest.resources
    const env = { ...process.env, [RUN_VARIABLE]: run } // a connection that is kept open is a process of the run
    const words = (machine: string, options: readonly string[]): string[] => [
      'ssh',
      ...(sshConfig === undefined ? [] : ['-F', sshConfig]),
      ...['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', '-o', 'LogLevel=ERROR'],
      ...options,
      machine,
    ]
    const used = machines.slice(0, nodes.length)
    const shells = used.map((machine, index) => {
      const socket = join(resources.folder, `ssh${index + 1}`)
      const shared = ['ControlMaster=auto', `ControlPath=${socket}`, `ControlPersist=${PERSIST_S}`]
      const options = socket.length > LONGEST_SOCKET ? [] : shared.flatMap((each) => ['-o', each])
      return new RemoteShell(machine, words(machine, options), env)
    })
    const cleaners = used.map(
      (machine) => new RemoteShell(machine, words(machine, ['-o', 'ControlPath=none']), process.env),
    )
    super({ name: 'ssh', setup, shells, cleaners, systems, install })
  }
}
