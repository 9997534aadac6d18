/**
 * The namespaces backend: every node a network namespace of its own, on a bridge in the namespace of the tool, which is
 * one of our own as well (`own-namespace.ts`). Nothing is made in the machine's own network: no interface, no route, no
 * rule. Nodes speak to each other through the kernel alone; faults are rules in the namespaces of their victims.
 */
import { spawnSync } from 'node:child_process'
import { UsageError } from '../../../kernel/errors.ts'
import type { RunResources } from '../../cleanup/run-resources.ts'
import { CLIENTS } from '../../proxy/address-plan.ts'
import { CLIENT_HOST } from '../../proxy/proxy.ts'
import type { Backend, BackendSetup } from './backend.ts'
import { LocalMachine } from './local-machine.ts'
import { PacketNetwork } from './packet-network.ts'

const BRIDGE = 'wavetank'

export class NamespacesBackend implements Backend {
  readonly name = 'namespaces'
  readonly network: PacketNetwork
  readonly machines: readonly LocalMachine[]
  readonly doubts: readonly string[] = []
  readonly #nodes: readonly string[]
  readonly #resources: RunResources

  constructor(setup: BackendSetup) {
    const { nodes, resources } = setup
    this.#nodes = nodes
    this.#resources = resources
    this.machines = nodes.map((name, index) => new LocalMachine(setup, name, this.#enter(index + 1)))
    this.network = new PacketNetwork({
      table: 'wavetank',
      address: (name) => this.own(name === CLIENT_HOST ? CLIENTS : nodes.indexOf(name) + 1),
      sparedPort: () => 0,
      command: (node, command, input) => said([...this.#enter(nodes.indexOf(node) + 1), ...command], input),
    })
  }

  async begin(): Promise<void> {
    const { manifest } = this.#resources
    const made = this.#nodes.map((_, index) => this.#namespace(index + 1))
    for (const name of made) manifest.add('namespaces', name)
    said(['ip', '-batch', '-'], this.#here())
    for (const [index, name] of made.entries()) {
      said(['ip', 'netns', 'add', name], '')
      said(['ip', '-batch', '-'], this.#wire(index + 1, name))
      said(['ip', '-netns', name, '-batch', '-'], this.#there(index + 1))
    }
  }

  own(node: number): string {
    return `10.0.0.${node}`
  }

  /** A node has one address for all viewers. */
  seen(_: number, node: number): string {
    return this.own(node)
  }

  /** The end of the run's name is its random part. */
  #namespace(node: number): string {
    return `wavetank-${this.#resources.manifest.resources.run}-${node}`
  }

  #enter(node: number): string[] {
    return ['nsenter', `--net=/run/netns/${this.#namespace(node)}`, '--']
  }

  /** The tool's own namespace: the bridge, and the address of the clients. */
  #here(): string {
    return lines(
      'link set lo up',
      `link add ${BRIDGE} type bridge`,
      `address add ${this.own(CLIENTS)}/24 dev ${BRIDGE}`,
      `link set ${BRIDGE} up`,
    )
  }

  #wire(node: number, namespace: string): string {
    return lines(
      `link add node${node} type veth peer name eth0 netns ${namespace}`,
      `link set node${node} master ${BRIDGE} up`,
    )
  }

  #there(node: number): string {
    return lines('link set lo up', `address add ${this.own(node)}/24 dev eth0`, 'link set eth0 up')
  }
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}

function said([program, ...args]: readonly string[], input: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new UsageError(
    'ERR_WAVETANK_NAMESPACES',
    `wavetank real: ${[program, ...args].join(' ')} failed: ${error?.message ?? stderr.trim()}; \`wavetank doctor\` says what this machine lacks`,
  )
}
