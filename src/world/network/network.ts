/**
 * The network between hosts: a full mesh of links, and what a nemesis does to it. Links are made when first used, with
 * the network's default configuration; addresses belong to hosts for good.
 */
import type { Kernel } from '../../kernel/kernel.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { Evidence } from '../evidence.ts'
import { Link, PLAIN_LINK, type CutMode, type LinkConfig } from './link.ts'
import type { SocketAddress } from './addresses.ts'
import type { Resolver } from './resolver.ts'
import type { NetworkStack } from './stack.ts'

/** What a process handed to its host to be sent, as a tap sees it. */
export interface TappedBytes {
  readonly protocol: 'tcp' | 'udp' | 'local'
  /** The sending host's name. */
  readonly host: string
  readonly local: SocketAddress
  readonly remote: SocketAddress
  /** The number of the connection, the same at both its ends; 0 for datagrams. */
  readonly connection: number
  /** The sender accepted the connection; false where it opened it, and for datagrams. */
  readonly accepted: boolean
  /** The sender's own buffer: copy what you keep. */
  readonly bytes: Uint8Array
}

export type Tap = (sent: TappedBytes) => void

export interface CutOptions {
  /** Only what `a` sends to `b` is cut. */
  readonly oneWay?: boolean
  readonly mode?: CutMode
}

/** A cut that was made and can be healed, once. */
export class Cut {
  private links: readonly Link[]
  private readonly mode: CutMode

  constructor(links: readonly Link[], mode: CutMode) {
    this.links = links
    this.mode = mode
    for (const link of links) link.cut(mode)
  }

  heal(): void {
    const { links } = this
    this.links = []
    for (const link of links) link.heal(this.mode)
  }
}

export class Network {
  readonly kernel: Kernel
  readonly evidence: Evidence
  readonly resolver: Resolver
  /** What links are made with. */
  readonly defaults: LinkConfig
  private readonly stacks = new Map<string, NetworkStack>()
  private readonly byAddress = new Map<string, NetworkStack>()
  private readonly links = new Map<string, Link>()
  private readonly cuts = new Set<Cut>()
  private readonly taps: Tap[] = []
  private connections = 0

  constructor(kernel: Kernel, evidence: Evidence, resolver: Resolver, defaults: Partial<LinkConfig> = {}) {
    this.kernel = kernel
    this.resolver = resolver
    this.evidence = evidence
    this.defaults = { ...PLAIN_LINK, ...defaults }
  }

  attach(name: string, addresses: readonly string[], stack: NetworkStack): void {
    this.stacks.set(name, stack)
    for (const address of addresses) this.byAddress.set(address, stack)
  }

  /** The stack that has an address, which it keeps while its host is off. */
  stackAt(address: string): NetworkStack | undefined {
    return this.byAddress.get(address)
  }

  /** Whether an address lies in the world's own networks, 10.0.0.0/8 and fd00::/8. */
  isLocal(address: string): boolean {
    return address.startsWith('10.') || address.startsWith('fd')
  }

  stackOf(name: string): NetworkStack | undefined {
    return this.stacks.get(name)
  }

  /** All stacks, in the order in which their hosts were added. */
  allStacks(): IterableIterator<NetworkStack> {
    return this.stacks.values()
  }

  /** The link from one host to another, by their names. */
  link(from: string, to: string): Link {
    const key = `${from}\u0000${to}`
    let link = this.links.get(key)
    if (link === undefined) {
      for (const name of [from, to]) {
        if (!this.stacks.has(name)) {
          const known = [...this.stacks.keys()].join(', ')
          throw new UsageError(
            'ERR_WAVETANK_UNKNOWN_HOST',
            `network.link: no host is named '${name}'; there are ${known}`,
          )
        }
      }
      link = new Link(this.kernel, this.evidence, from, to, this.defaults)
      this.links.set(key, link)
    }
    return link
  }

  /** Cuts the links between two hosts; by default both, and what is sent is dropped. */
  cut(a: string, b: string, { oneWay = false, mode = 'drop' }: CutOptions = {}): Cut {
    return this.cutLinks(oneWay ? [this.link(a, b)] : [this.link(a, b), this.link(b, a)], mode)
  }

  /** Cuts every link between hosts of different groups. Hosts in no group are not touched. */
  partition(groups: readonly (readonly string[])[], mode: CutMode = 'drop'): Cut {
    const links: Link[] = []
    for (const [i, from] of groups.entries()) {
      for (const [j, to] of groups.entries()) {
        if (i !== j) for (const a of from) for (const b of to) links.push(this.link(a, b))
      }
    }
    return this.cutLinks(links, mode)
  }

  /** Heals one cut, or all of them. */
  heal(cut?: Cut): void {
    for (const each of cut === undefined ? [...this.cuts] : [cut]) {
      this.cuts.delete(each)
      each.heal()
    }
  }

  /** Every link that was used so far, in order of first use. */
  usedLinks(): IterableIterator<Link> {
    return this.links.values()
  }

  /** A number for a new connection, which both its ends are known by. */
  takeConnection(): number {
    return ++this.connections
  }

  /** Shows a listener everything that is sent from now on, encrypted bytes excepted: they differ from run to run. */
  tap(listener: Tap): void {
    this.taps.push(listener)
  }

  get isTapped(): boolean {
    return this.taps.length > 0
  }

  showTaps(sent: TappedBytes): void {
    for (const tap of this.taps) tap(sent)
  }

  private cutLinks(links: readonly Link[], mode: CutMode): Cut {
    const cut = new Cut(links, mode)
    this.cuts.add(cut)
    for (const link of links) for (const stack of this.stacks.values()) stack.pathImpaired(link)
    return cut
  }
}
