/**
 * The shapes of partitions, as Jepsen has them: one node alone; two halves, the larger one a majority; a ring in which
 * every node sees a majority and no two see the same one; a minority of at most a third. Services are never cut off.
 */
import { pick, shuffled, type Decisions } from '../decisions.ts'

export const PARTITION_SHAPES = ['one', 'majority', 'majorities-ring', 'minority-third'] as const
export type PartitionShape = (typeof PARTITION_SHAPES)[number]

/** For each node, whose messages do not reach it. */
export type Cuts = ReadonlyMap<string, ReadonlySet<string>>

export function drawPartition(
  decisions: Decisions,
  nodes: readonly string[],
): { shape: PartitionShape; cuts: Cuts } {
  const shape = pick(decisions, PARTITION_SHAPES, 'nemesis')
  return { shape, cuts: cutsOf(shape, shuffled(decisions, nodes, 'nemesis')) }
}

/** The cuts of a shape over nodes in a random order. */
export function cutsOf(shape: PartitionShape, nodes: readonly string[]): Cuts {
  const count = nodes.length
  if (shape === 'majorities-ring') return ring(nodes)
  const small =
    shape === 'one' ? 1 : shape === 'majority' ? Math.floor(count / 2) : Math.floor((count - 1) / 3)
  const groups = [nodes.slice(0, small), nodes.slice(small)]
  return new Map(
    groups.flatMap((group, index) => group.map((node) => [node, new Set(groups[1 - index])] as const)),
  )
}

/** Each node keeps itself and its next neighbours on either side, a majority in all. */
function ring(nodes: readonly string[]): Cuts {
  const count = nodes.length
  const reach = Math.ceil((Math.floor(count / 2) + 1 - 1) / 2)
  return new Map(
    nodes.map((node, index) => {
      const far = nodes.filter((_, other) => {
        const distance = Math.abs(other - index)
        return Math.min(distance, count - distance) > reach
      })
      return [node, new Set(far)] as const
    }),
  )
}
