/**
 * The world: one deterministic universe of hosts, network, clocks and processes over one kernel. Everything it contains
 * is kept in the order in which it was added.
 */
import { Kernel, type KernelOptions } from '../kernel/kernel.ts'
import { UsageError } from '../kernel/errors.ts'
import { Evidence, type EvidenceDetails } from './evidence.ts'
import { Host, type HostOptions } from './host.ts'
import type { LinkConfig } from './network/link.ts'
import { Network } from './network/network.ts'
import { Resolver } from './network/resolver.ts'
import { SimProcess, type Program } from './process.ts'

export interface WorldOptions extends KernelOptions {
  /** The options of links between hosts. */
  readonly link?: Partial<LinkConfig>
}

export class World {
  readonly kernel: Kernel
  readonly reports = new Evidence()
  readonly network: Network
  readonly hosts = new Map<string, Host>()
  readonly processes = new Map<string, SimProcess>()
  readonly resolver: Resolver

  constructor(options: WorldOptions | { readonly kernel: Kernel; readonly link?: WorldOptions['link'] }) {
    this.kernel = 'kernel' in options ? options.kernel : new Kernel(options)
    this.resolver = new Resolver(this.reports)
    this.network = new Network(this.kernel, this.reports, this.resolver, options.link)
  }

  addHost(name: string, options: HostOptions = {}): Host {
    if (this.hosts.has(name))
      throw new UsageError('ERR_WAVETANK_HOST_EXISTS', `world.addHost: there is already a host '${name}'`)
    const { kernel, network } = this
    const host = new Host({ kernel, network, evidence: this.reports }, name, this.hosts.size + 1, options)
    this.hosts.set(name, host)
    network.attach(name, [host.address, host.address6], host.net)
    this.resolver.define(name, [host.address, host.address6])
    return host
  }

  host(name: string): Host {
    const host = this.hosts.get(name)
    if (host === undefined) {
      throw new UsageError(
        'ERR_WAVETANK_UNKNOWN_HOST',
        `no host is named '${name}'; there are ${[...this.hosts.keys()].join(', ')}`,
      )
    }
    return host
  }

  addProcess(name: string, host: Host, program: Program): SimProcess {
    if (this.processes.has(name)) {
      throw new UsageError(
        'ERR_WAVETANK_PROCESS_EXISTS',
        `world.addProcess: there is already a process '${name}'`,
      )
    }
    const process = new SimProcess(this.kernel, this.reports, host, name, program)
    this.processes.set(name, process)
    return process
  }

  /** Reports that a fault took effect: landing evidence. */
  evidence(kind: string, details: EvidenceDetails): void {
    this.reports.report(kind, details)
  }
}
