/** Nodes with names of their own (`--nodes n1,n2,n3`): the topology with every mention of an old name replaced. */
import type { Topology } from '../../sim/running/topology.ts'

export function namedTopology(topology: Topology, nodes: readonly string[] | number | null): Topology {
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
