/**
 * What ssh and docker have in common: nodes on machines that have a shell, a packet filter for their network, and a
 * script that takes everything away again.
 */
import { join } from 'node:path'
import { UsageError } from '../../../kernel/errors.ts'
import type { RealSystem } from '../../../sim/authoring/real-system.ts'
import { CLIENT_HOST } from '../../proxy/proxy.ts'
import type { Backend, BackendName, BackendSetup } from './backend.ts'
import { installs } from '../../doctor/examination.ts'
import { PacketNetwork } from './packet-network.ts'
import { cleaningScript, tableOf } from './remote-cleanup.ts'
import { RemoteMachine } from './remote-machine.ts'
import type { RemoteShell } from './remote-shell.ts'
import { line, quoted } from './shell-words.ts'

/** One machine as it was found. */
interface Found {
  readonly address: string
  /** The address of this tool, as the machine sees it, and the machine's port that the tool's shell uses. */
  readonly client: string
  readonly shellPort: number
  readonly isRoot: boolean
  readonly hasFilter: boolean
  /** Two machines with the same one would have one table of rules. */
  readonly network: string
}

export interface RemoteClusterOptions {
  readonly name: BackendName
  readonly setup: BackendSetup
  readonly shells: readonly RemoteShell[]
  /** Shells for cleaning up: they need nothing that this run makes. */
  readonly cleaners: readonly RemoteShell[]
  /** Systems whose programs each machine needs. */
  readonly systems: readonly RealSystem[]
  /** Whether what is missing is installed. */
  readonly install: boolean
  /** The address of this tool, where the machines' shells do not know it. */
  readonly client?: string
}

export class RemoteCluster implements Backend {
  readonly name: BackendName
  readonly network: PacketNetwork
  readonly machines: readonly RemoteMachine[]
  readonly doubts: string[] = []
  readonly #options: RemoteClusterOptions
  readonly #found: Found[] = []

  constructor(options: RemoteClusterOptions) {
    const { name, setup, shells } = options
    const { nodes, logs, resources } = setup
    this.name = name
    this.#options = options
    this.machines = nodes.map(
      (node, index) =>
        new RemoteMachine({
          shell: shells[index],
          cleaner: options.cleaners[index] ?? null,
          folder: join(this.#folder, node),
          name: node,
          logs,
          isRoot: () => this.#found[index].isRoot,
          lost: (reason) => this.doubts.push(reason),
        }),
    )
    this.network = new PacketNetwork({
      table: tableOf(resources.manifest.resources.run),
      address: (each, on) =>
        each === CLIENT_HOST
          ? (options.client ?? this.#found[nodes.indexOf(on)].client)
          : this.#found[nodes.indexOf(each)].address,
      sparedPort: (on) => this.#found[nodes.indexOf(on)].shellPort,
      command: (node, command, input) => shells[nodes.indexOf(node)].said(line(command), input),
    })
  }

  async begin(): Promise<void> {
    const { shells } = this.#options
    for (const [index, shell] of shells.entries()) {
      this.#found.push(find(shell))
      this.#require(shell, this.#found[index])
    }
    const addresses = this.#found.map(({ address }) => address)
    if (new Set(addresses).size < addresses.length) {
      throw new UsageError(
        'ERR_WAVETANK_MACHINE',
        `wavetank real: every node needs an address of its own; the machines have ${addresses.join(', ')}`,
      )
    }
    const { cleaners, setup } = this.#options
    if (setup.weather) this.#requireNetworks()
    const { manifest } = setup.resources
    for (const cleaner of cleaners)
      manifest.addCommand(cleaner.command(cleaningScript(manifest.resources.run, this.#folder)))
    for (const shell of shells) shell.said(`mkdir -p ${quoted(this.#folder)}`)
  }

  own(node: number): string {
    return this.#found[node - 1].address
  }

  /** A node has one address for all viewers. */
  seen(_: number, node: number): string {
    return this.own(node)
  }

  get #folder(): string {
    return `/tmp/wavetank-machine-${this.#options.setup.resources.manifest.resources.run}`
  }

  /** Programs, rights and the packet filter: what is missing is said before anything is started. */
  #require(shell: RemoteShell, { isRoot, hasFilter }: Found): void {
    const { systems, install, setup } = this.#options
    const missing = systems.filter(({ needs }) => lacks(shell, Object.keys(needs)))
    if (missing.length > 0 && install) {
      for (const command of missing.flatMap(installs)) shell.said(line(command))
      for (const { needs } of missing)
        if (lacks(shell, Object.keys(needs))) throw this.#lacking(shell, Object.keys(needs).join(', '), needs)
    } else if (missing.length > 0) {
      const needs = Object.assign({}, ...missing.map((each) => each.needs)) as Record<string, string>
      throw this.#lacking(shell, Object.keys(needs).join(', '), needs)
    }
    if (!setup.weather) return
    if (!hasFilter) throw this.#lacking(shell, 'nft and ss', { nft: 'nftables', ss: 'iproute2' })
    if (!isRoot) {
      throw new UsageError(
        'ERR_WAVETANK_MACHINE',
        `wavetank real: machine ${shell.name}: faults of the network need a shell of root there, for nft`,
      )
    }
  }

  /** Rules of two nodes in one packet filter would replace each other, and cut the shells off. */
  #requireNetworks(): void {
    const { shells } = this.#options
    for (const [index, { network }] of this.#found.entries()) {
      const first = this.#found.findIndex((each) => each.network === network)
      if (first === index) continue
      throw new UsageError(
        'ERR_WAVETANK_MACHINE',
        `wavetank real: ${shells[first].name} and ${shells[index].name} are one machine with one network: faults of the network need a machine, or a network namespace, for every node`,
      )
    }
  }

  #lacking(shell: RemoteShell, what: string, needs: Readonly<Record<string, string>>): UsageError {
    return new UsageError(
      'ERR_WAVETANK_NOT_INSTALLED',
      `wavetank real: machine ${shell.name} lacks ${what}; there, on Debian, as root: apt-get install -y --no-install-recommends ${[...new Set(Object.values(needs))].join(' ')} (--install does it)`,
    )
  }
}

/** A shell that comes in by ssh knows both ends of its connection. */
function find(shell: RemoteShell): Found {
  const script = [
    'echo "$SSH_CONNECTION"',
    'id -u',
    'PATH=$PATH:/usr/sbin:/sbin; command -v nft >/dev/null && command -v ss >/dev/null && echo yes || echo no',
    'hostname -i 2>/dev/null || echo',
    'echo $(cat /proc/sys/kernel/random/boot_id) $(readlink /proc/self/ns/net)',
  ].join('\n')
  const [connection, user, filter, names, network] = shell.said(script).split('\n')
  const [client = '', , server = '', port = '0'] = connection.split(' ')
  return {
    address: server === '' ? (names ?? '').split(' ')[0] : server,
    client,
    shellPort: Number(port),
    isRoot: user === '0',
    hasFilter: filter === 'yes',
    network: network ?? '',
  }
}

function lacks(shell: RemoteShell, programs: readonly string[]): boolean {
  const script = `PATH=$PATH:/usr/sbin:/sbin; for p in ${line(programs)}; do command -v "$p" >/dev/null || exit 1; done`
  return shell.run(script).status !== 0
}
