/**
 * Partitions: groups of hosts that cannot reach each other. The shapes are those that people know from Jepsen and from
 * outages; which of them a level draws is data (`partitions` of the level). The workload's host takes part, since clients
 * may be parted from servers, except in a split brain, where they reach both sides. Loopback is never cut.
 *
 * Budget: partitions may strike any hosts at once unless the simulation forbids them; a system that needs a quorum must
 * wait. Evidence: packets dropped or held back on the links between the sides.
 */
import { ceil, floor } from '../kernel/arithmetic.ts'
import type { Cut } from '../world/network/network.ts'
import type { CutMode } from '../world/network/link.ts'
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
    const shape = strike.choose('shape').pick(strike.weather.partitions)
    const layout = SHAPES[shape](strike)
    if (layout === null) return null
    const mode = strike.choose('mode').pick(['drop', 'defer'] as const)
    const cuts =
      'pairs' in layout ? cutPairs(strike, layout.pairs, mode) : [network.partition(layout.sides, mode)]
    const shown = 'pairs' in layout ? layout.text : layout.sides.map((side) => side.join(' ')).join(' | ')
    return {
      ...linkEpisode(
        () => cuts.flatMap(({ links }) => links),
        'pairs' in layout ? layout.hosts : layout.sides.flat(),
        `partition ${shown}${mode === 'defer' ? ' (deferring)' : ''}`,
        ['cut', 'deferred'],
        () => cuts.forEach((cut) => network.heal(cut)),
      ),
      kind: shape,
    }
  },
}

/** Hosts in none of the sides see all of them. */
type Layout =
  | { readonly sides: Sides }
  | {
      readonly pairs: readonly (readonly [string, string])[]
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
    const [leader] = strike.arena.holders('leader')
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
  const reach = ceil(floor(count / 2) / 2)
  const pairs: [string, string][] = []
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      const apart = j - i > count / 2 ? count - (j - i) : j - i
      if (apart > reach) pairs.push([names[i], names[j]])
    }
  }
  return pairs.length === 0 ? null : { pairs, hosts: names, text: `ring ${names.join(' ')}` }
}

function cutPairs({ arena }: Strike, pairs: readonly (readonly [string, string])[], mode: CutMode): Cut[] {
  return pairs.map(([a, b]) => arena.network.cut(a, b, { mode }))
}
