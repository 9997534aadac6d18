/**
 * Partitions: groups of hosts that cannot reach each other. The shapes are those that people know from Jepsen and from
 * outages; which of them a level draws is data (`partitions` of the level). The workload's host takes part, since clients
 * may be parted from servers, except in a split brain, where they reach both sides. Loopback is never cut.
 *
 * Budget: partitions may strike any hosts at once unless the simulation forbids them; a system that needs a quorum must
 * wait. Evidence: packets dropped or held back on the links between the sides.
 */
import { abs, ceil, floor, min } from '../kernel/arithmetic.ts'
import type { FaultFamily, Strike } from './family.ts'
import type { PartitionShape } from './levels.ts'
import { linkEpisode } from './network-families.ts'

type Sides = readonly (readonly string[])[]

export const partition: FaultFamily = {
  name: 'partition',
  group: 'network',
  begin(strike) {
    const { network, hosts, allHosts } = strike.arena
    if (!strike.ledger.budget.partitions || allHosts.length < 2 || hosts.length === 0) return null
    const found = chooseShape(strike)
    if (found === null) return null
    const { shape, layout } = found
    const mode = strike.choose('mode').pick(['drop', 'defer'] as const)
    const cut =
      'parts' in layout ? network.cutLinks(layout.parts, mode) : network.partition(layout.sides, mode)
    const shown = 'parts' in layout ? layout.text : layout.sides.map((side) => side.join(' ')).join(' | ')
    return {
      ...linkEpisode(
        () => cut.links,
        'parts' in layout ? layout.hosts : layout.sides.flat(),
        `partition ${shown}${mode === 'defer' ? ' (deferring)' : ''}`,
        ['cut', 'deferred'],
        () => network.heal(cut),
      ),
      kind: shape,
    }
  },
}

/**
 * The shape that is drawn, or the next one that this system can have: a single server has no minority. Otherwise a level
 * with more shapes would cut small systems more rarely.
 */
function chooseShape(strike: Strike): { shape: PartitionShape; layout: Layout } | null {
  const { partitions } = strike.weather
  const start = strike.choose('shape').below(partitions.length)
  for (let i = 0; i < partitions.length; i++) {
    const shape = partitions[(start + i) % partitions.length]
    const layout = SHAPES[shape](strike)
    if (layout !== null) return { shape, layout }
  }
  return null
}

/** Hosts in none of the sides see all of them. */
type Layout =
  | { readonly sides: Sides }
  | {
      /** Whether it parts two hosts. */
      readonly parts: (a: string, b: string) => boolean
      readonly hosts: readonly string[]
      readonly text: string
    }

const SHAPES: Readonly<Record<PartitionShape, (strike: Strike) => Layout | null>> = {
  isolate: (strike) => alone(strike, strike.choose('target').pick(systemHosts(strike))),
  halves: (strike) => {
    const side = strike.choose('side')
    const names = allNames(strike)
    const left = names.map(() => side.below(2) === 1)
    return parted([names.filter((_, i) => left[i]), names.filter((_, i) => !left[i])])
  },
  minority: (strike) => some(strike, floor((systemHosts(strike).length - 1) / 2)),
  majority: (strike) => some(strike, floor(systemHosts(strike).length / 2) + 1),
  bridge: (strike) => {
    const [bridge, ...others] = shuffled(strike, systemHosts(strike))
    const half = ceil(others.length / 2)
    const outside = allNames(strike).filter((name) => name !== bridge && !others.includes(name))
    return parted([others.slice(0, half), [...others.slice(half), ...outside]])
  },
  'majorities-ring': ring,
  leader: (strike) => {
    const leader = strike.arena.holders('leader').find(({ host }) => strike.arena.hosts.includes(host))
    return leader === undefined ? null : alone(strike, leader.host.name)
  },
  'split-brain': (strike) => {
    const names = shuffled(strike, systemHosts(strike))
    const half = ceil(names.length / 2)
    return parted([names.slice(0, half), names.slice(half)])
  },
}

function systemHosts({ arena }: Strike): string[] {
  return arena.hosts.map((host) => host.name)
}

function allNames({ arena }: Strike): string[] {
  return arena.allHosts.map((host) => host.name)
}

function alone(strike: Strike, host: string): Layout | null {
  return parted([[host], allNames(strike).filter((name) => name !== host)])
}

function parted(sides: Sides): Layout | null {
  return sides.some((side) => side.length === 0) ? null : { sides }
}

/** Some hosts of the system against all others. */
function some(strike: Strike, count: number): Layout | null {
  const chosen = shuffled(strike, systemHosts(strike)).slice(0, count)
  return parted([chosen, allNames(strike).filter((name) => !chosen.includes(name))])
}

/** The names in a chosen order: of all zeros, the order is as it was. */
function shuffled(strike: Strike, names: readonly string[]): string[] {
  const order = strike.choose('order')
  const left = [...names]
  return names.map(() => left.splice(order.below(left.length), 1)[0])
}

/** Every host sees its neighbours on a ring: a majority with itself, and no two see the same one. */
function ring(strike: Strike): Layout | null {
  const names = shuffled(strike, systemHosts(strike))
  const count = names.length
  const places = new Map(names.map((name, place) => [name, place]))
  const reach = ceil(floor(count / 2) / 2)
  const farthest = floor(count / 2)
  if (farthest <= reach) return null
  const parts = (a: string, b: string): boolean => {
    const [one, other] = [places.get(a), places.get(b)]
    if (one === undefined || other === undefined) return false
    const apart = abs(one - other)
    return min(apart, count - apart) > reach
  }
  return { parts, hosts: names, text: `ring ${names.join(' ')}` }
}
