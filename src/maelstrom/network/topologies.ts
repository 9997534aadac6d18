/**
 * Topologies: which neighbours the broadcast workload suggests to each node. A grid is ⌈√n⌉ wide; a tree of k has k
 * children per node. Both directions of every edge are there.
 */
export type Topology = Readonly<Record<string, readonly string[]>>

export const TOPOLOGIES = ['grid', 'line', 'total', 'tree', 'tree2', 'tree3', 'tree4'] as const
export type TopologyName = (typeof TOPOLOGIES)[number]

export function topology(name: TopologyName, nodes: readonly string[]): Topology {
  return Object.fromEntries(
    nodes.map((node, index) => [node, neighbours(name, nodes.length, index).map((each) => nodes[each])]),
  )
}

function neighbours(name: TopologyName, count: number, index: number): number[] {
  const inside = (each: number): boolean => each >= 0 && each < count
  switch (name) {
    case 'total':
      return Array.from({ length: count }, (_, each) => each).filter((each) => each !== index)
    case 'line':
      return [index - 1, index + 1].filter(inside)
    case 'grid': {
      const width = Math.ceil(Math.sqrt(count))
      const column = index % width
      const sideways = [column > 0 ? index - 1 : -1, column < width - 1 ? index + 1 : -1]
      return [index - width, index + width, ...sideways].filter(inside)
    }
    default: {
      const branching = name === 'tree' ? 2 : Number(name.slice(4))
      const parent = index === 0 ? -1 : Math.floor((index - 1) / branching)
      const children = Array.from({ length: branching }, (_, child) => index * branching + child + 1)
      return [parent, ...children].filter(inside)
    }
  }
}
