/**
 * Network faults that change what links do to packets for a while, and one-way cuts. Partitions are in `partition.ts`.
 * Evidence is counted at the links: packets cut, lost, delayed, duplicated, damaged. The workload's host takes part in
 * cuts, since a client may be parted from its server, but loopback never does.
 *
 * TCP throws duplicates away before any program sees them, so `duplicate` strikes only links with a datagram socket at
 * one end.
 *
 * A fault costs in proportion to the links that are in use: it begins on others when they come into use.
 *
 * Budget: cuts and slowness may hit any hosts at once, unless the simulation forbids partitions; a system that needs a
 * quorum must wait. Damage needs `byzantineLinks`.
 */
import { round } from '../kernel/arithmetic.ts'
import type { Link, LinkConfig, LinkCounts } from '../world/network/link.ts'
import { Since } from './evidence-tally.ts'
import { chooseAllowed, type Episode, type FaultFamily, type Strike } from './family.ts'
import type { FamilyName } from './levels.ts'
import { changeLinks } from './link-weather.ts'

export const oneWayCut: FaultFamily = {
  name: 'one-way-cut',
  group: 'network',
  begin(strike) {
    if (!strike.ledger.budget.partitions) return null
    const link = chooseLink(strike)
    if (link === null) return null
    const { network } = strike.arena
    const cut = network.cut(link.from, link.to, { oneWay: true })
    return linkEpisode(
      () => [link],
      [link.from, link.to],
      `cut ${link.from} → ${link.to}`,
      ['cut'],
      () => network.heal(cut),
    )
  },
}

/** A family that changes what a pair of links, or all of them, do to packets. */
function linkFamily(
  name: FamilyName,
  evidence: keyof LinkCounts,
  change: (strike: Strike) => { config: Partial<LinkConfig>; text: string },
): FaultFamily {
  return {
    name,
    group: 'network',
    begin(strike) {
      if (name === 'corrupt' && !strike.ledger.budget.byzantineLinks) return null
      const link = chooseLink(strike)
      if (link === null) return null
      const everywhere = strike.choose('everywhere').chance(250_000)
      const { config, text } = change(strike)
      const ends = everywhere ? strike.arena.allHosts.map((host) => host.name) : [link.from, link.to]
      if (name === 'duplicate' && !ends.some((host) => carriesDatagrams(strike, host))) return null
      const imposed = changeLinks(strike.arena.network, new Set(ends), config)
      const where = everywhere ? 'everywhere' : `${link.from} ↔ ${link.to}`
      return linkEpisode(
        () => imposed.links,
        ends,
        `${text} ${where}`,
        [evidence],
        () => imposed.lift(),
      )
    },
  }
}

/** Every packet of the slow link is a victim. */
export const slowLink = linkFamily('slow-link', 'sent', (strike) => {
  const extraLatencyUs = strike.choose('latency').between(5_000, 500_000)
  return { config: { extraLatencyUs }, text: `${round(extraLatencyUs / 1000)} ms slower` }
})

export const loss = linkFamily('loss', 'lost', (strike) => {
  const percent = strike.choose('percent').between(10, 30)
  return { config: { lossPpm: percent * 10_000 }, text: `${percent} % loss` }
})

export const bandwidth = linkFamily('bandwidth', 'sent', (strike) => {
  const bandwidthBytesPerS = strike.choose('rate').pick([1_000_000, 100_000, 10_000, 1_000])
  return { config: { bandwidthBytesPerS }, text: `${bandwidthBytesPerS / 1000} kB/s` }
})

export const reorder = linkFamily('reorder', 'reordered', (strike) => {
  const percent = strike.choose('percent').between(10, 50)
  return { config: { reorderPpm: percent * 10_000 }, text: `${percent} % reordered` }
})

export const duplicate = linkFamily('duplicate', 'duplicated', (strike) => {
  const percent = strike.choose('percent').between(10, 50)
  return { config: { duplicatePpm: percent * 10_000 }, text: `${percent} % duplicated` }
})

export const corrupt = linkFamily('corrupt', 'corrupted', (strike) => {
  const percent = strike.choose('percent').between(1, 10)
  return { config: { corruptPpm: percent * 10_000 }, text: `${percent} % damaged` }
})

/** Connections of one host break at once, as when a middlebox forgets them: both ends see a reset. */
export const reset: FaultFamily = {
  name: 'reset',
  group: 'network',
  begin(strike) {
    const host = chooseAllowed(strike.choose('target'), strike.arena.hosts, (each) => each.up)
    if (host === null) return null
    const broken = host.net.resetConnections()
    return {
      targets: [host.name],
      text: `connections of ${host.name} reset`,
      end() {},
      victims: () => broken,
    }
  },
}

/** Whether a datagram socket is bound at a host. */
export function carriesDatagrams({ arena }: Strike, host: string): boolean {
  return arena.network.stackOf(host)?.datagrams.inUse === true
}

/** A link from or to a host that may be hit. */
export function chooseLink(strike: Strike): Link | null {
  const { hosts, allHosts, network } = strike.arena
  const one = chooseAllowed(strike.choose('target'), hosts, () => true)
  if (one === null) return null
  const other = chooseAllowed(strike.choose('other'), allHosts, (host) => host !== one)
  if (other === null) return null
  const outward = strike.choose('direction').below(2) === 0
  return outward ? network.link(one.name, other.name) : network.link(other.name, one.name)
}

export function linkEpisode(
  links: () => readonly Link[],
  targets: readonly string[],
  text: string,
  evidence: readonly (keyof LinkCounts)[],
  end: () => void,
): Episode {
  const landed = new Since(() => {
    let sum = 0
    for (const link of links()) for (const kind of evidence) sum += link.counts[kind]
    return sum
  })
  return {
    targets,
    text,
    end() {
      landed.end()
      end()
    },
    victims: () => landed.count,
  }
}
