/** How many nodes there are and what they are called: as the seed draws, or as `--nodes 5` and `--nodes n1,n2,n3` say. */
import type { Choices } from '../../kernel/choices.ts'
import { rangeOf, type SimulationDefinition } from '../../sim/authoring/definition.ts'
import { drawTopology, type Topology } from '../../sim/running/topology.ts'
import { checkNodeCount } from '../proxy/address-plan.ts'

/** Names; how many; null: as the seed draws. */
type Asked = readonly string[] | number | null

export interface DrawnNodes {
  /** With the names that nodes have in the tank. */
  readonly drawn: Topology
  readonly topology: Topology
}

export function drawNodes(choices: Choices, definition: SimulationDefinition, nodes: Asked): DrawnNodes {
  const drawn = drawTopology(choices, sized(definition, nodes))
  checkNodeCount(drawn.placements.length)
  return { drawn, topology: namedTopology(drawn, nodes) }
}

/** The topology with every mention of an old name replaced. */
function namedTopology(topology: Topology, nodes: Asked): Topology {
  if (nodes === null || typeof nodes === 'number') return topology
  const counts = Object.entries(topology.hosts)
  const [group] = counts.find(([, hosts]) => hosts.length === nodes.length) ?? counts[0]
  const names = new Map(topology.hosts[group].map((old, index) => [old, nodes[index]]))
  const renamed = (name: string): string => names.get(name) ?? name
  const hosts = Object.fromEntries(counts.map(([each, all]) => [each, all.map(renamed)]))
  return {
    hosts,
    hostNames: topology.hostNames.map(({ name, locality }) => ({ name: renamed(name), locality })),
    placements: topology.placements.map(({ identity, definition }) => ({
      definition,
      identity: {
        ...identity,
        name: renamed(identity.name),
        host: renamed(identity.host),
        peers: identity.peers.map(renamed),
        hosts,
      },
    })),
  }
}

/** The definition with the number of nodes that was asked for. */
function sized(definition: SimulationDefinition, nodes: Asked): SimulationDefinition['processes'] {
  if (nodes === null) return definition.processes
  const count = typeof nodes === 'number' ? nodes : nodes.length
  const group = largestGroup(definition)
  return { ...definition.processes, [group]: { ...definition.processes[group], count } }
}

/** The group that can have the most processes: `--nodes` is about it. */
function largestGroup({ processes }: SimulationDefinition): string {
  const sizes = Object.entries(processes).map(([group, { count = 1 }]) => ({
    group,
    most: rangeOf(count)[1],
  }))
  return sizes.reduce((largest, each) => (each.most > largest.most ? each : largest)).group
}
