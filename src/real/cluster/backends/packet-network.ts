/**
 * A network whose weather is made by nftables on the machines of the nodes, in one table per run: real packets are
 * dropped by the kernel, and its packet counters are the evidence. A rule stands where packets of a link arrive; for
 * packets to the clients it stands where they leave, since the clients' machine is left alone.
 *
 * A cut and a loss drop packets; a rate drops those above it. A delay, duplicates and a new order are not to be had
 * from a packet filter.
 */
import { InternalError } from '../../../kernel/errors.ts'
import { noCounts, type LinkCounts, type LinkWeather } from '../../proxy/link.ts'
import { CLIENT_HOST } from '../../proxy/proxy.ts'
import type { Network } from '../network.ts'
import { PacketLink } from './packet-link.ts'

/** Counters are read again after this time: reading them is a process of its own. */
const FRESH_MS = 150

export interface PacketNetworkOptions {
  /** Letters, digits and underscores. */
  readonly table: string
  /** The address of a node, or of the clients, as the machine `on` has it. */
  readonly address: (name: string, on: string) => string
  /** A port of the machine `on` whose connections to the clients' machine stay as they are, such as that of ssh; 0: none. */
  readonly sparedPort: (on: string) => number
  /** Runs a program on the machine of a node, with this input; throws if it fails. */
  readonly command: (node: string, command: readonly string[], input: string) => string
}

type Counted = 'held' | 'lost' | 'throttled'

export class PacketNetwork implements Network {
  readonly words = {
    where: 'by the packet filter of its machine',
    held: 'packets dropped by the rules of the cut links',
  }
  readonly #options: PacketNetworkOptions
  readonly #links = new Map<string, PacketLink>()
  /** Nodes whose rules are to be written. */
  readonly #dirty = new Set<string>()
  /** Nodes that have rules now. */
  readonly #ruled = new Set<string>()
  /** What each rule had counted at the last look. */
  readonly #counted = new Map<string, number>()
  #batch = 0
  #readMs = -Infinity

  constructor(options: PacketNetworkOptions) {
    this.#options = options
  }

  link(from: string, to: string): PacketLink {
    const key = `${from} ${to}`
    let link = this.#links.get(key)
    if (link === undefined) {
      link = new PacketLink(
        from,
        to,
        (each) => this.#changed(each),
        (each) => this.#reset(each),
      )
      this.#links.set(key, link)
    }
    return link
  }

  change(links: Iterable<PacketLink>, weather: Partial<LinkWeather>): void {
    this.#together(() => {
      for (const link of links) link.change({ ...link.weather, ...weather })
    })
  }

  counts(links: Iterable<PacketLink>): LinkCounts {
    if (performance.now() - this.#readMs > FRESH_MS) this.#read()
    const sum = noCounts()
    for (const { counts } of links)
      for (const name of Object.keys(sum) as (keyof LinkCounts)[]) sum[name] += counts[name]
    return sum
  }

  heal(): void {
    this.#together(() => {
      for (const link of this.#links.values())
        if (!link.clear) link.change({ ...link.weather, cut: false, loss: 0, rateBytesPerS: null })
    })
  }

  async open(): Promise<void> {}

  close(): void {}

  end(): void {
    for (const node of this.#ruled) this.#write(node, [])
    this.#ruled.clear()
  }

  #together(change: () => void): void {
    this.#batch++
    try {
      change()
    } finally {
      if (--this.#batch === 0) this.#apply()
    }
  }

  #changed(link: PacketLink): void {
    const { delay, duplicate, reorder } = link.weather
    if (delay !== null || duplicate + reorder > 0)
      throw new InternalError('a packet filter has no delays, duplicates or new orders')
    this.#dirty.add(placeOf(link))
    if (this.#batch === 0) this.#apply()
  }

  #apply(): void {
    this.#read()
    for (const node of this.#dirty) {
      const rules = [...this.#links.values()].filter((link) => placeOf(link) === node && !link.clear)
      this.#write(node, rules)
      if (rules.length === 0) this.#ruled.delete(node)
      else this.#ruled.add(node)
    }
    this.#dirty.clear()
  }

  #write(node: string, links: readonly PacketLink[]): void {
    const { table, command } = this.#options
    const script = [
      `add table inet ${table}`,
      `delete table inet ${table}`,
      ...(links.length === 0
        ? []
        : [
            `table inet ${table} {`,
            'chain in { type filter hook input priority 0; policy accept;',
            ...links.filter(({ to }) => to === node).flatMap((link) => this.#rules(link, 'saddr', link.from)),
            '}',
            'chain out { type filter hook output priority 0; policy accept;',
            ...links.filter(({ to }) => to !== node).flatMap((link) => this.#rules(link, 'daddr', link.to)),
            '}',
            '}',
          ]),
      '',
    ].join('\n')
    command(node, ['nft', '-f', '-'], script)
    for (const rule of this.#counted.keys()) if (isOn(node, rule)) this.#counted.delete(rule)
  }

  #rules({ from, to, weather }: PacketLink, end: 'saddr' | 'daddr', other: string): string[] {
    const { address, sparedPort } = this.#options
    const on = placeOf({ from, to })
    const port = other === CLIENT_HOST ? sparedPort(on) : 0
    const match = `ip ${end} ${address(other, on)}`
    // A rule of its own: nft makes one comparison of two `!=` about ports, which then means something else.
    const ours = `${match} tcp ${end === 'saddr' ? 'dport' : 'sport'} ${port} accept`
    const rule = (count: Counted, condition: string): string =>
      `${match} ${condition} counter drop comment "${count} ${from} ${to}"`
    return [
      ...(port === 0 ? [] : [ours]),
      ...(weather.cut ? [rule('held', '')] : []),
      ...(weather.loss > 0
        ? [rule('lost', `numgen random mod 1000 < ${Math.round(weather.loss * 1000)}`)]
        : []),
      ...(weather.rateBytesPerS === null
        ? []
        : [rule('throttled', `limit rate over ${Math.round(weather.rateBytesPerS)} bytes/second`)]),
    ]
  }

  /** Adds what the kernel has counted since the last look. */
  #read(): void {
    const { table, command } = this.#options
    for (const node of this.#ruled) {
      const text = command(node, ['nft', '-j', 'list', 'table', 'inet', table], '')
      for (const { rule, packets } of countersIn(text)) {
        const [count, from, to] = rule.split(' ')
        this.link(from, to).counts[count as Counted] += packets - (this.#counted.get(rule) ?? 0)
        this.#counted.set(rule, packets)
      }
    }
    this.#readMs = performance.now()
  }

  /** Both ends learn of it: the kernel sends a reset. */
  #reset({ from, to }: PacketLink): number {
    const { command, address, sparedPort } = this.#options
    const [here, there] = from === CLIENT_HOST ? [to, from] : [from, to]
    const port = there === CLIENT_HOST ? sparedPort(here) : 0
    const others = port === 0 ? [] : ['sport', '!=', `:${port}`]
    const words = ['-K', '-H', '-t', '-n', 'state', 'established', 'dst', address(there, here), ...others]
    const broken = command(here, ['ss', ...words], '')
    return broken.split('\n').filter((line) => line.trim() !== '').length
  }
}

/** The node on whose machine the rules of a link stand. */
function placeOf({ from, to }: { readonly from: string; readonly to: string }): string {
  return to === CLIENT_HOST ? from : to
}

function isOn(node: string, rule: string): boolean {
  const [, from, to] = rule.split(' ')
  return placeOf({ from, to }) === node
}

interface ListedRule {
  readonly comment?: string
  readonly expr: readonly { readonly counter?: { readonly packets: number } }[]
}

/** The counters of rules, by their comments. */
function countersIn(text: string): { readonly rule: string; readonly packets: number }[] {
  const { nftables } = JSON.parse(text) as { nftables: readonly { rule?: ListedRule }[] }
  return nftables.flatMap(({ rule }) => {
    const packets = rule?.expr.find(({ counter }) => counter !== undefined)?.counter?.packets
    return packets === undefined ? [] : [{ rule: rule!.comment!, packets }]
  })
}
