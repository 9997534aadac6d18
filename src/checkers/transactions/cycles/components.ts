/**
 * Strongly connected components by Tarjan's algorithm, iterative and on typed arrays: linear time, and no recursion
 * that a long chain of transactions could overflow.
 *
 * The graph is given by its compressed rows, plus optionally a *timeline* (see timeline.ts): real-time order as a
 * chain of extra vertices whose edges are computed, not stored.
 */
import type { Rows } from './graph.ts'
import type { Timeline } from './timeline.ts'
import { int32 } from '../../workspace.ts'

/**
 * The components with more than one vertex of the graph itself, each a list of vertices in ascending order. Timeline
 * vertices take part in the search and are left out of the answer.
 */
export function cyclicComponents(rows: Omit<Rows, 'kind'>, timeline: Timeline | null): number[][] {
  const base = rows.vertices
  const total = base + (timeline === null ? 0 : timeline.length)
  const { offset, target } = rows
  // Discovery order, counted from 1; 0 is unvisited. `low` becomes DONE when a vertex leaves the stack.
  const order = int32(total)
  const low = int32(total)
  const cursor = int32(total)
  const stack = int32(total)
  const path = int32(total)
  const components: number[][] = []
  // A timeline vertex leads to the transactions invoked before the next completion.
  const first = timeline?.first ?? offset
  const invoked = timeline?.invoked ?? target
  const slot = timeline?.slot ?? target
  let counter = 0
  let stackSize = 0
  for (let root = 0; root < base; root++) {
    if (order[root] !== 0) continue
    let depth = 0
    path[0] = root
    order[root] = low[root] = ++counter
    stack[stackSize++] = root
    cursor[root] = offset[root]
    while (depth >= 0) {
      const v = path[depth]
      const ownEdges = v < base
      const edge = ownEdges ? target : invoked
      const end = ownEdges ? offset[v + 1] : first[v - base + 1]
      let at = cursor[v]
      let lowest = low[v]
      let next = -1
      while (at < end) {
        const w = edge[at++]
        const seen = order[w]
        if (seen === 0) {
          next = w
          break
        }
        if (low[w] !== DONE && seen < lowest) lowest = seen
      }
      // One step past the stored edges: a transaction goes on to its completion, a completion to the next one.
      if (next < 0 && at === end && timeline !== null) {
        at++
        const w = ownEdges ? (slot[v] < 0 ? -1 : base + slot[v]) : v + 1 < total ? v + 1 : -1
        if (w >= 0) {
          if (order[w] === 0) next = w
          else if (low[w] !== DONE && order[w] < lowest) lowest = order[w]
        }
      }
      low[v] = lowest
      cursor[v] = at
      if (next >= 0) {
        order[next] = low[next] = ++counter
        stack[stackSize++] = next
        cursor[next] = next < base ? offset[next] : first[next - base]
        path[++depth] = next
        continue
      }
      depth--
      if (depth >= 0 && low[v] < low[path[depth]]) low[path[depth]] = low[v]
      if (low[v] !== order[v]) continue
      if (stack[stackSize - 1] === v) {
        stackSize--
        low[v] = DONE
        continue
      }
      const from = stack.lastIndexOf(v, stackSize - 1)
      const members: number[] = []
      for (let i = from; i < stackSize; i++) {
        const w = stack[i]
        low[w] = DONE
        if (w < base) members.push(w)
      }
      stackSize = from
      if (members.length > 1) components.push(members.sort((a, b) => a - b))
    }
  }
  return components
}

const DONE = 0x7fffffff
