/**
 * A shortest cycle inside a component, by breadth-first search from its vertices.
 */
import type { Rows } from './graph.ts'

/** Vertices to start from at most; in a larger component the cycle found may not be the shortest. */
const STARTS = 500

/** Vertices in order; the last leads back to the first. */
export function shortestCycle({ offset, target }: Rows, component: readonly number[]): number[] {
  const inside = new Set(component)
  let best: number[] = []
  for (const start of component.slice(0, STARTS)) {
    const parent = new Map<number, number>([[start, -1]])
    const queue = [start]
    search: for (const v of queue) {
      for (let e = offset[v]; e < offset[v + 1]; e++) {
        const w = target[e]
        if (w === start) {
          const path: number[] = []
          for (let at = v; at !== -1; at = parent.get(at)!) path.push(at)
          if (best.length === 0 || path.length < best.length) best = path.reverse()
          break search
        }
        if (!inside.has(w) || parent.has(w)) continue
        parent.set(w, v)
        queue.push(w)
      }
    }
    if (best.length === 2) break
  }
  return best
}
