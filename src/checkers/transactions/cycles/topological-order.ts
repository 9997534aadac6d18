/**
 * A topological order of a graph, or null when it has a cycle (Kahn's algorithm). Among vertices that are free the one
 * that became free first goes first, so an order that follows the numbering is kept as far as possible.
 */
import type { Rows } from './graph.ts'
import { int32 } from '../../workspace.ts'

export function topologicalOrder({ vertices, offset, target }: Rows): Int32Array | null {
  const degree = int32(vertices)
  for (let e = 0; e < offset[vertices]; e++) degree[target[e]]++
  const order = int32(vertices)
  let size = 0
  for (let v = 0; v < vertices; v++) if (degree[v] === 0) order[size++] = v
  for (let head = 0; head < size; head++) {
    const v = order[head]
    for (let e = offset[v]; e < offset[v + 1]; e++) if (--degree[target[e]] === 0) order[size++] = target[e]
  }
  return size === vertices ? order : null
}
