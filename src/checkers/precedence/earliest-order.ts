/**
 * A topological order that stays as near to the numbering as it can: of the vertices that are free the one with the
 * smallest number comes next, and vertices from `numbered` on, which stand for nothing, as soon as they are free. Where
 * numbers follow the history, this is a good first guess at what happened. Null when the graph has a cycle.
 */
import { int32 } from '../workspace.ts'

interface Graph {
  readonly vertices: number
  /** Edges of vertex v go to `target[offset[v]]` … `target[offset[v + 1] - 1]`. */
  readonly offset: Int32Array
  readonly target: Int32Array
}

export function earliestOrder({ vertices, offset, target }: Graph, numbered: number): Int32Array | null {
  const degree = int32(vertices)
  for (let e = 0; e < offset[vertices]; e++) degree[target[e]]++
  const order = int32(vertices)
  let size = 0
  const free = new LeastFirst()
  const idle: number[] = []
  const release = (v: number): void => {
    if (v < numbered) free.push(v)
    else idle.push(v)
  }
  for (let v = 0; v < vertices; v++) if (degree[v] === 0) release(v)
  for (;;) {
    const v = idle.pop() ?? free.pop()
    if (v === undefined) break
    order[size++] = v
    for (let e = offset[v]; e < offset[v + 1]; e++) if (--degree[target[e]] === 0) release(target[e])
  }
  return size === vertices ? order : null
}

/** A binary heap of numbers. */
class LeastFirst {
  readonly #heap: number[] = []

  push(value: number): void {
    const heap = this.#heap
    let at = heap.push(value) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent] <= value) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = value
  }

  pop(): number | undefined {
    const heap = this.#heap
    const least = heap[0]
    const last = heap.pop()
    if (heap.length === 0 || last === undefined) return least
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1] < heap[child]) child++
      if (heap[child] >= last) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
    return least
  }
}
