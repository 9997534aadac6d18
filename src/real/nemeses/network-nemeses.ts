/** Links that are cut, slowed or broken. The victim's side is what the network counted of bytes or packets. */
import { CLIENT_HOST } from '../proxy/proxy.ts'
import { delayText, type Delay } from '../proxy/delay.ts'
import type { Link, LinkCount, LinkWeather } from '../proxy/link.ts'
import type { RealNode } from '../cluster/cluster.ts'
import type { FaultInForce, Field, RealNemesis } from './nemesis.ts'

const NETWORK = { group: 'network' } as const

/** Links from each of `from` to each of `to`, in that direction. */
function linksBetween(field: Field, from: readonly string[], to: readonly string[]): Link[] {
  const { network } = field.cluster
  return from.flatMap((a) => to.filter((b) => a !== b).map((b) => network.link(a, b)))
}

/** All links among nodes, and between them and the clients. */
function allLinks(field: Field): Link[] {
  const names = [...field.nodes.map(({ name }) => name), CLIENT_HOST]
  return linksBetween(field, names, names)
}

interface Change {
  readonly text: string
  readonly targets: readonly string[]
  readonly links: readonly Link[]
  readonly weather: Partial<LinkWeather>
  readonly calm: Partial<LinkWeather>
  /** The counters that show the change, and what they count, in words. */
  readonly shown: readonly LinkCount[]
  readonly seen: string
  readonly injector: string
}

/** Changes links until the fault ends; landed if the counters moved meanwhile. */
function impose(field: Field, change: Change): FaultInForce {
  const { network } = field.cluster
  const count = (): number => {
    const counts = network.counts(change.links)
    return change.shown.reduce((sum, name) => sum + counts[name], 0)
  }
  const before = count()
  network.change(change.links, change.weather)
  return {
    text: change.text,
    targets: change.targets,
    landed: () => count() > before,
    async end() {
      const moved = count() - before
      network.change(change.links, change.calm)
      return { injector: change.injector, victim: moved > 0 ? `${moved} ${change.seen}` : null }
    },
  }
}

interface Cut {
  readonly from: readonly string[]
  readonly to: readonly string[]
  readonly oneWay: boolean
  readonly text: string
}

const SHAPES = ['halves', 'one', 'minority', 'majority', 'primaries', 'ring', 'bridge', 'one-way'] as const

/** Which links a partition of this shape cuts; an empty list if the cluster is too small for it. */
async function drawCuts(field: Field, shape: string): Promise<Cut[]> {
  const names = field.rng.shuffle(field.nodes).map(({ name }) => name)
  // Nodes that faults spare stay with the rest: they are cut only from nodes that are cut off themselves.
  const everybody = [
    ...names,
    ...field.cluster.nodes.map(({ name }) => name).filter((name) => !names.includes(name)),
  ]
  const apart = (side: readonly string[]): Cut[] => {
    const other = everybody.filter((name) => !side.includes(name))
    if (side.length === 0 || other.length === 0) return []
    return [{ from: side, to: other, oneWay: false, text: `${side.join(' ')} | ${other.join(' ')}` }]
  }
  const half = Math.floor(names.length / 2)
  switch (shape) {
    case 'one':
      return apart(names.slice(0, 1))
    case 'minority':
      return apart(names.slice(0, Math.max(1, Math.ceil(names.length / 2) - 1)))
    case 'majority':
      return apart(names.slice(0, half + 1))
    case 'primaries':
      return apart(await field.primaries())
    case 'ring':
      return names.length < 4 ? [] : ringCuts(names)
    case 'bridge': {
      const [bridge, ...rest] = names
      const side = rest.slice(0, Math.floor(rest.length / 2))
      const other = rest.slice(side.length)
      if (side.length === 0) return []
      const text = `${side.join(' ')} | ${other.join(' ')}, ${bridge} sees both`
      return [{ from: side, to: other, oneWay: false, text }]
    }
    case 'one-way': {
      const [from] = names
      const to = everybody.filter((name) => name !== from)
      return to.length === 0 ? [] : [{ from: [from], to, oneWay: true, text: `${from} ↛ ${to.join(' ')}` }]
    }
    default:
      return apart(names.slice(0, half))
  }
}

/** Every node sees only its neighbours: majorities that overlap, and none that agrees with another on who is in it. */
function ringCuts(names: readonly string[]): Cut[] {
  const reach = Math.ceil(Math.floor(names.length / 2) / 2)
  return names.map((name, index) => {
    const near = (other: number): boolean => {
      const apart = Math.abs(other - index)
      return Math.min(apart, names.length - apart) <= reach
    }
    const to = names.filter((_, other) => !near(other))
    return { from: [name], to, oneWay: true, text: `${name} sees not ${to.join(' ')}` }
  })
}

export const partition: RealNemesis = {
  ...NETWORK,
  name: 'partition',
  family: 'partition',
  text: 'nodes cannot reach each other; clients reach all of them',
  variants: SHAPES,
  async begin(field, shape) {
    const cuts = await drawCuts(field, shape)
    if (cuts.length === 0) return null
    const links = cuts.flatMap(({ from, to, oneWay }) => [
      ...linksBetween(field, from, to),
      ...(oneWay ? [] : linksBetween(field, to, from)),
    ])
    return impose(field, {
      text: `cut ${cuts.map(({ text }) => text).join('; ')}`,
      targets: [...new Set(cuts.flatMap(({ from }) => from))],
      links,
      weather: { cut: true },
      calm: { cut: false },
      shown: ['held'],
      seen: field.cluster.network.words.held,
      injector: `${links.length} directed links cut ${field.cluster.network.words.where}`,
    })
  },
}

/** Clients and nodes: the whole network of one node is cut. */
export const isolate: RealNemesis = {
  ...NETWORK,
  name: 'isolate',
  family: 'partition',
  text: 'a node loses its peers and the clients',
  variants: ['one'],
  async begin(field) {
    const [node] = field.rng.shuffle(field.living)
    if (node === undefined) return null
    const others = [
      ...field.cluster.nodes.filter((each) => each !== node).map(({ name }) => name),
      CLIENT_HOST,
    ]
    return impose(field, {
      text: `isolate ${node.name}`,
      targets: [node.name],
      links: [...linksBetween(field, [node.name], others), ...linksBetween(field, others, [node.name])],
      weather: { cut: true },
      calm: { cut: false },
      shown: ['held'],
      seen: field.cluster.network.words.held,
      injector: `all links of ${node.name} cut ${field.cluster.network.words.where}`,
    })
  },
}

const DELAYS: Readonly<Record<string, (field: Field) => Delay>> = {
  uniform: ({ rng }) => ({ kind: 'uniform', leastMs: 5, mostMs: rng.between(20, 200) }),
  constant: ({ rng }) => ({ kind: 'constant', ms: rng.between(10, 100) }),
  exponential: ({ rng }) => ({ kind: 'exponential', meanMs: rng.between(10, 100) }),
  spikes: ({ rng }) => ({ kind: 'spikes', ms: rng.between(200, 1000), share: 0.05 }),
}

export const latency: RealNemesis = {
  ...NETWORK,
  name: 'latency',
  family: 'slow-link',
  text: 'everything on the network takes longer',
  variants: Object.keys(DELAYS),
  async begin(field, variant) {
    const delay = DELAYS[variant](field)
    return impose(field, {
      text: `latency ${delayText(delay)}`,
      targets: field.nodes.map(({ name }) => name),
      links: allLinks(field),
      weather: { delay },
      calm: { delay: null },
      shown: ['delayed'],
      seen: 'chunks delayed',
      injector: `a delay of ${delayText(delay)} on every link, ${field.cluster.network.words.where}`,
    })
  },
}

/** A share of what passes has a fate, on all links. */
function shares(
  name: 'loss' | 'duplicate' | 'reorder',
  shown: LinkCount,
  text: string,
  seen: string,
): RealNemesis {
  return {
    ...NETWORK,
    name,
    family: name,
    text,
    variants: ['all'],
    async begin(field) {
      const share = field.rng.between(10, 40) / 100
      return impose(field, {
        text: `${name} ${Math.round(share * 100)} %`,
        targets: field.nodes.map((node) => node.name),
        links: allLinks(field),
        weather: { [name]: share },
        calm: { [name]: 0 },
        shown: [shown],
        seen,
        injector: `${name} of ${Math.round(share * 100)} % on every link, ${field.cluster.network.words.where}`,
      })
    },
  }
}

export const loss = shares(
  'loss',
  'lost',
  'datagrams vanish; chunks of TCP come late by a retransmission',
  'datagrams lost, or chunks of TCP sent again',
)
export const duplicate = shares(
  'duplicate',
  'duplicated',
  'datagrams arrive twice (UDP)',
  'datagrams duplicated',
)
export const reorder = shares(
  'reorder',
  'reordered',
  'datagrams overtake each other (UDP)',
  'datagrams held back',
)

export const bandwidth: RealNemesis = {
  ...NETWORK,
  name: 'bandwidth',
  family: 'bandwidth',
  text: 'links carry few bytes per second',
  variants: ['all'],
  async begin(field) {
    const rateBytesPerS = field.rng.pick([100_000, 20_000, 5000])
    return impose(field, {
      text: `bandwidth ${rateBytesPerS} B/s`,
      targets: field.nodes.map(({ name }) => name),
      links: allLinks(field),
      weather: { rateBytesPerS },
      calm: { rateBytesPerS: null },
      shown: ['throttled'],
      seen: 'chunks throttled',
      injector: `${rateBytesPerS} B/s on every link, ${field.cluster.network.words.where}`,
    })
  },
}

export const reset: RealNemesis = {
  ...NETWORK,
  name: 'reset',
  family: 'reset',
  text: 'all connections of a node break at once',
  variants: ['one', 'all'],
  async begin(field, variant) {
    const nodes: readonly RealNode[] =
      variant === 'all' ? field.living : field.rng.shuffle(field.living).slice(0, 1)
    if (nodes.length === 0) return null
    const names = nodes.map(({ name }) => name)
    const others = [...field.cluster.nodes.map(({ name }) => name), CLIENT_HOST]
    const links = linksBetween(field, names, others)
    const broken = links.reduce((sum, link) => sum + link.reset(), 0)
    return {
      text: `reset ${names.join(', ')}`,
      targets: names,
      end: async () => ({
        injector: `every connection of ${names.join(', ')} reset ${field.cluster.network.words.where}`,
        victim: broken > 0 ? `${broken} connections broken` : null,
      }),
    }
  },
}
