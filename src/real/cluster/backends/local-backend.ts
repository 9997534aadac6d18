/**
 * The local backend: every node its own loopback address, every directed link through our proxy. It needs no rights. A
 * block of addresses is taken before the run (`AddressPlan.take`).
 */
import type { AddressPlan } from '../../proxy/address-plan.ts'
import { CLIENT_HOST, Proxy } from '../../proxy/proxy.ts'
import { SocketOwners } from '../../proxy/socket-owner.ts'
import type { Backend, BackendSetup } from './backend.ts'
import { LocalMachine } from './local-machine.ts'

export class LocalBackend implements Backend {
  readonly name = 'local'
  readonly network: Proxy
  readonly machines: readonly LocalMachine[]
  readonly doubts: readonly string[] = []
  readonly #plan: AddressPlan
  readonly #nodes: readonly string[]

  constructor(setup: BackendSetup, plan: AddressPlan) {
    const { nodes, random, shared, saw } = setup
    this.#plan = plan
    this.#nodes = nodes
    this.machines = nodes.map((name) => new LocalMachine(setup, name))
    const owners = new SocketOwners(() => this.#leaders())
    this.network = new Proxy({
      plan,
      nodes,
      random,
      shared,
      owner: (caller, called) => owners.of(caller, called),
      saw,
    })
  }

  async begin(): Promise<void> {}

  own(node: number): string {
    return this.#plan.own(node)
  }

  seen(viewer: number, node: number): string {
    return this.#plan.seen(viewer, node)
  }

  #leaders(): Map<number, string> {
    const leaders = new Map([[process.pid, CLIENT_HOST]])
    for (const [index, { process: control }] of this.machines.entries())
      if (control.id !== null && control.alive) leaders.set(control.id.pid, this.#nodes[index])
    return leaders
  }
}
