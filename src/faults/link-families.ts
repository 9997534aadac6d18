/**
 * Network faults beyond cuts and rates: latency that comes in spikes or differs from pair to pair, links that clog and
 * are freed in another order, connections that are refused, hang or are forgotten on the way, and links that lie.
 *
 * Budget: what a clogged link holds back arrives when it is freed, but it is a cut as long as it holds: it needs
 * `partitions`. A link that lies needs `byzantineLinks`.
 */
import { ceil, floor, max, round } from '../kernel/arithmetic.ts'
import type { Host } from '../world/host.ts'
import type { LinkConfig, LinkCounts } from '../world/network/link.ts'
import type { Cut } from '../world/network/network.ts'
import { Since } from './evidence-tally.ts'
import { chooseAllowed, type FaultFamily, type Strike } from './family.ts'
import { changeLinks, changeMatching } from './link-weather.ts'
import { carriesDatagrams, chooseLink, linkEpisode } from './network-families.ts'
import type { FamilyName } from './levels.ts'

/** Now and then a packet takes very long, between two hosts. */
export const latencySpike: FaultFamily = {
  name: 'latency-spike',
  group: 'network',
  begin(strike) {
    const link = chooseLink(strike)
    if (link === null) return null
    const spikeUs = strike.choose('spike').between(200_000, 2_000_000)
    const percent = strike.choose('percent').between(5, 30)
    const ends = [link.from, link.to]
    const change = { spikeUs, spikePpm: percent * 10_000 }
    const imposed = changeLinks(strike.arena.network, new Set(ends), change)
    return linkEpisode(
      () => imposed.links,
      ends,
      `${percent} % of packets ${round(spikeUs / 1000)} ms late ${link.from} ↔ ${link.to}`,
      ['spiked'],
      () => imposed.lift(),
    )
  },
}

/** Every pair of hosts is slow in its own way: some are near, some are far. */
export const slowPairs: FaultFamily = {
  name: 'slow-pairs',
  group: 'network',
  begin(strike) {
    const { network, allHosts, hosts } = strike.arena
    if (hosts.length === 0 || allHosts.length < 2) return null
    const farthestUs = strike.choose('farthest').between(50_000, 500_000)
    const places = new Map(allHosts.map(({ name }, i) => [name, i]))
    const distance = (a: number, b: number): number => ((a + 1) * (b + 1)) % DISTANCES
    const imposed = changeMatching(
      network,
      (from, to) => distance(places.get(from)!, places.get(to)!) > 0,
      ({ from, to }) => {
        const steps = distance(places.get(from)!, places.get(to)!)
        return { extraLatencyUs: floor((farthestUs * steps) / (DISTANCES - 1)) }
      },
    )
    return linkEpisode(
      () => imposed.links,
      hosts.map(({ name }) => name),
      `pairs of hosts up to ${round(farthestUs / 1000)} ms apart`,
      ['sent'],
      () => imposed.lift(),
    )
  },
}

const DISTANCES = 5

/** The links between two hosts hold everything back until they are freed. */
export const clog: FaultFamily = {
  name: 'clog',
  group: 'network',
  begin(strike) {
    if (!strike.ledger.budget.partitions) return null
    const link = chooseLink(strike)
    if (link === null) return null
    const { network } = strike.arena
    const cut = network.cut(link.from, link.to, { mode: 'defer' })
    return linkEpisode(
      () => cut.links,
      [link.from, link.to],
      `clog ${link.from} ↔ ${link.to}`,
      ['deferred'],
      () => network.heal(cut),
    )
  },
}

/** Hosts are clogged one after the other, and freed in an order of its own. */
export const swizzle: FaultFamily = {
  name: 'swizzle',
  group: 'network',
  begin(strike) {
    const { network, hosts, allHosts } = strike.arena
    if (!strike.ledger.budget.partitions || hosts.length < 2) return null
    const order = strike.choose('order')
    const pool = hosts.map(({ name }) => name)
    const count = max(2, ceil(pool.length / 2))
    const taken = Array.from({ length: count }, () => pool.splice(order.below(pool.length), 1)[0])
    const freeing = strike.choose('freeing')
    const left = [...taken]
    const freed = taken.map(() => left.splice(freeing.below(left.length), 1)[0])
    const cuts = new Map<string, Cut>()
    const slotUs = floor(strike.durationUs / (2 * count))
    const clogOne = (name: string): void => {
      const others = allHosts.map((host) => host.name).filter((each) => each !== name)
      cuts.set(name, network.partition([[name], others], 'defer'))
    }
    const free = (name: string): void => {
      const cut = cuts.get(name)
      if (cuts.delete(name)) network.heal(cut)
    }
    const landed = new Since(() => {
      let sum = 0
      for (const link of network.usedLinks())
        if (taken.includes(link.from) || taken.includes(link.to)) sum += link.counts.deferred
      return sum
    })
    taken.forEach((name, i) => (i === 0 ? clogOne(name) : strike.later(i * slotUs, () => clogOne(name))))
    freed.forEach((name, i) => strike.later((count + i) * slotUs, () => free(name)))
    return {
      targets: taken,
      text: `swizzle: clog ${taken.join(', ')}, free ${freed.join(', ')}`,
      end() {
        for (const name of freed) free(name)
        landed.end()
      },
      victims: () => landed.count,
    }
  },
}

/** A host that does not let connections in. Those that are open go on. */
function gateFamily(
  name: FamilyName,
  gate: 'refusing' | 'hanging',
  evidence: string,
  text: string,
): FaultFamily {
  return {
    name,
    group: 'network',
    begin(strike) {
      const host = chooseAllowed(strike.choose('target'), strike.arena.hosts, (each) => each.up)
      if (host === null) return null
      host.net[gate]++
      const landed = new Since(() => strike.arena.tally.at(host.name, [evidence]))
      return {
        targets: [host.name],
        text: `${text} ${host.name}`,
        end() {
          landed.end()
          host.net[gate]--
        },
        victims: () => landed.count,
      }
    },
  }
}

export const refuse = gateFamily('refuse', 'refusing', 'connection-turned-away', 'connections refused by')
export const connectHang = gateFamily('connect-hang', 'hanging', 'connection-hung', 'connecting hangs at')

/** Open connections of a host are forgotten on the way: both ends believe in them, and nothing arrives. */
export const halfOpen: FaultFamily = {
  name: 'half-open',
  group: 'network',
  begin(strike) {
    const hasConnections = (each: Host): boolean => each.up && each.net.connections().length > 0
    const host = chooseAllowed(strike.choose('target'), strike.arena.hosts, hasConnections)
    if (host === null) return null
    const tally = { packets: 0 }
    const swallowed = host.net.connections().filter((endpoint) => endpoint.swallow(tally))
    return {
      targets: [host.name],
      text: `${swallowed.length} connections of ${host.name} forgotten`,
      end() {
        for (const endpoint of swallowed) endpoint.swallow(null)
      },
      victims: () => tally.packets,
    }
  },
}

const LIES = ['duplicate', 'modify', 'replay', 'equivocate'] as const

const LYING: Readonly<
  Record<(typeof LIES)[number], { readonly change: Partial<LinkConfig>; readonly counted: keyof LinkCounts }>
> = {
  duplicate: { change: { duplicatePpm: 300_000 }, counted: 'duplicated' },
  modify: { change: { forgePpm: 200_000 }, counted: 'forged' },
  replay: { change: { replayPpm: 300_000 }, counted: 'replayed' },
  equivocate: { change: { forgePpm: 500_000 }, counted: 'forged' },
}

/** What a host sends is not what its peers receive; where it equivocates, half of them receive something else. */
export const byzantine: FaultFamily = {
  name: 'byzantine',
  group: 'network',
  begin(strike) {
    if (!strike.ledger.budget.byzantineLinks) return null
    const { arena } = strike
    const kind = strike.choose('kind').pick(LIES)
    const liar = chooseAllowed(strike.choose('target'), arena.hosts, (each) => each.up)
    if (liar === null) return null
    if ((kind === 'duplicate' || kind === 'replay') && !carriesDatagrams(strike, liar.name)) return null
    const peers = deceived(strike, liar.name, kind)
    const { change, counted } = LYING[kind]
    const imposed = changeMatching(
      arena.network,
      (from, to) => from === liar.name && peers.has(to),
      () => change,
    )
    return {
      ...linkEpisode(
        () => imposed.links,
        [liar.name, ...peers],
        `${liar.name} ${TELLING[kind]} ${[...peers].join(' ')}`,
        [counted],
        () => imposed.lift(),
      ),
      kind,
    }
  },
}

const TELLING: Readonly<Record<(typeof LIES)[number], string>> = {
  duplicate: 'says everything twice to',
  modify: 'is misquoted to',
  replay: 'repeats old messages to',
  equivocate: 'says something else to',
}

/** All peers, or every other one from a chosen place on where different peers must see different messages. */
function deceived({ arena, choose }: Strike, liar: string, kind: string): Set<string> {
  const others = arena.allHosts.map(({ name }) => name).filter((name) => name !== liar)
  if (kind !== 'equivocate') return new Set(others)
  const first = choose('deceived').below(2)
  return new Set(others.filter((_, i) => i % 2 === first))
}
