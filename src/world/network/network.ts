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

/** Bytes that a process handed to its host to be sent, as a tap sees them. */
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

/** What holds on many links for a while: on those in use, and on those that come into use while it holds. */
export interface LinkRule {
  readonly matches: (from: string, to: string) => boolean
  readonly begin: (link: Link) => void
  readonly end: (link: Link) => void
}

/** A rule in force, with the links on which it began. */
export class ImposedRule {
  readonly links: Link[] = []
  readonly rule: LinkRule
  private readonly lifted: () => void

  constructor(rule: LinkRule, lifted: () => void) {
    this.rule = rule
    this.lifted = lifted
  }

  /** Ends it, once. */
  lift(): void {
    this.lifted()
    for (const link of this.links.splice(0)) this.rule.end(link)
  }
}

/** A cut that was made and can be healed, once. */
export class Cut {
  private readonly imposed: ImposedRule

  constructor(imposed: ImposedRule) {
    this.imposed = imposed
  }

  /** The links that it cuts now. */
  get links(): readonly Link[] {
    return this.imposed.links
  }

  heal(): void {
    this.imposed.lift()
  }
}

export class Network {
  readonly kernel: Kernel
  readonly evidence: Evidence
  readonly resolver: Resolver
  /** The options of links. */
  readonly defaults: LinkConfig
  private readonly stacks = new Map<string, NetworkStack>()
  private readonly byAddress = new Map<string, NetworkStack>()
  private readonly links = new Map<string, Link>()
  private readonly cuts = new Set<Cut>()
  private readonly rules = new Set<ImposedRule>()
  /** How often a rule began on a link: what faults cost. */
  linksTouched = 0
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
      this.requireHosts([from, to])
      link = new Link(this.kernel, this.evidence, from, to, this.defaults)
      this.links.set(key, link)
      for (const imposed of this.rules) if (imposed.rule.matches(from, to)) this.begin(imposed, link)
    }
    return link
  }

  /** Cuts the links between two hosts; by default both, and what is sent is dropped. */
  cut(a: string, b: string, { oneWay = false, mode = 'drop' }: CutOptions = {}): Cut {
    this.requireHosts([a, b])
    return this.cutLinks((from, to) => (from === a && to === b) || (!oneWay && from === b && to === a), mode)
  }

  /** Cuts every link between hosts of different groups. Hosts in no group are not touched. */
  partition(groups: readonly (readonly string[])[], mode: CutMode = 'drop'): Cut {
    this.requireHosts(groups.flat())
    const sides = new Map(groups.flatMap((group, side) => group.map((name) => [name, side] as const)))
    return this.cutLinks((from, to) => {
      const [a, b] = [sides.get(from), sides.get(to)]
      return a !== undefined && b !== undefined && a !== b
    }, mode)
  }

  /** Cuts every link that matches. */
  cutLinks(matches: LinkRule['matches'], mode: CutMode): Cut {
    const cut = new Cut(
      this.impose({ matches, begin: (link) => link.cut(mode), end: (link) => link.heal(mode) }),
    )
    this.cuts.add(cut)
    // Only connections of its two hosts run over a link, and none yet over one that comes into use later.
    for (const link of cut.links)
      for (const name of [link.from, link.to]) this.stacks.get(name)!.pathImpaired(link)
    return cut
  }

  /** Puts a rule in force. It costs in proportion to the links in use, not to the pairs of hosts. */
  impose(rule: LinkRule): ImposedRule {
    const imposed = new ImposedRule(rule, () => this.rules.delete(imposed))
    this.rules.add(imposed)
    for (const link of this.links.values()) if (rule.matches(link.from, link.to)) this.begin(imposed, link)
    return imposed
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

  private requireHosts(names: readonly string[]): void {
    for (const name of names) {
      if (this.stacks.has(name)) continue
      const known = [...this.stacks.keys()].join(', ')
      throw new UsageError(
        'ERR_WAVETANK_UNKNOWN_HOST',
        `network.link: no host is named '${name}'; there are ${known}`,
      )
    }
  }

  private begin(imposed: ImposedRule, link: Link): void {
    this.linksTouched++
    imposed.links.push(link)
    imposed.rule.begin(link)
  }
}
