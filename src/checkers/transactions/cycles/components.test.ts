import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cyclicComponents } from './components.ts'
import { GraphBuilder, REALTIME, RW, WW } from './graph.ts'
import { microOperations } from '../micro-operations.ts'
import { randomHistory } from '../levels/random-histories.test-support.ts'
import { timeline } from './timeline.ts'
import { topologicalOrder } from './topological-order.ts'

type Edge = readonly [number, number]

/** Who reaches whom, by repeated squaring of nothing cleverer than a table. */
function closure(vertices: number, edges: readonly Edge[]): boolean[][] {
  const reach = Array.from({ length: vertices }, () => Array.from({ length: vertices }, () => false))
  for (const [a, b] of edges) reach[a][b] = true
  for (let k = 0; k < vertices; k++) {
    for (let a = 0; a < vertices; a++)
      if (reach[a][k]) reach[k].forEach((yes, b) => yes && (reach[a][b] = true))
  }
  return reach
}

function naive(vertices: number, edges: readonly Edge[]): string[] {
  const reach = closure(vertices, edges)
  const components = new Set<string>()
  for (let a = 0; a < vertices; a++) {
    const members = reach[a].flatMap((yes, b) => (b === a || (yes && reach[b][a]) ? [b] : []))
    if (members.length > 1) components.add(members.join())
  }
  return [...components].sort()
}

const graphs = fc
  .integer({ min: 1, max: 9 })
  .chain((vertices) =>
    fc.tuple(
      fc.constant(vertices),
      fc.array(fc.tuple(fc.nat(vertices - 1), fc.nat(vertices - 1)), { maxLength: 20 }),
    ),
  )

function build(vertices: number, edges: readonly Edge[]): GraphBuilder {
  const graph = new GraphBuilder(vertices)
  for (const [a, b] of edges) graph.link(a, b, WW)
  return graph
}

describe('cyclicComponents', () => {
  it('are what reachability says they are', () => {
    fc.assert(
      fc.property(graphs, ([vertices, edges]) => {
        const rows = build(vertices, edges).rows()
        const found = cyclicComponents(rows, null).map((members) => members.join())
        expect(found.sort()).toEqual(naive(vertices, edges))
        expect(topologicalOrder(rows) === null).toBe(found.length > 0)
      }),
      { numRuns: 500, seed: 31 },
    )
  })

  it('see real-time order through the timeline as if every pair were an edge', () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.nat({ max: 0xffff })),
        fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 8 }),
        (stream, random) => {
          const history = randomHistory((limit) => stream.next().value! % limit, {
            writes: 'w',
            maxTransactions: 9,
          })
          const txns = microOperations(history, 'w')
          const possible = (t: number): boolean => t < txns.count && txns.type[t] !== 1
          const edges = random.filter(([a, b]) => possible(a) && possible(b))
          const all: Edge[] = [...edges]
          for (let a = 0; a < txns.count; a++) {
            for (let b = 0; b < txns.count; b++) {
              const over = history.completeIndex[txns.position[a]] < history.invokeIndex[txns.position[b]]
              if (txns.type[a] === 0 && possible(b) && over) all.push([a, b])
            }
          }
          const rows = build(txns.count, edges).rows()
          const found = cyclicComponents(rows, timeline(txns, rows.vertices)).map((members) => members.join())
          expect(found.sort()).toEqual(naive(txns.count, all))
        },
      ),
      { numRuns: 500, seed: 32 },
    )
  })

  it('do not overflow on a long chain', () => {
    const graph = new GraphBuilder(300_000)
    for (let v = 1; v < 300_000; v++) graph.link(v - 1, v, REALTIME)
    expect(cyclicComponents(graph.rows(), null)).toEqual([])
    graph.link(299_999, 0, WW)
    expect(cyclicComponents(graph.rows(), null)[0]).toHaveLength(300_000)
  })
})

describe('GraphBuilder', () => {
  it('joins many to many through relays as if every pair were an edge, except to itself', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(60), { minLength: 20 }),
        fc.uniqueArray(fc.nat(60), { minLength: 20 }),
        (from, to) => {
          const graph = new GraphBuilder(61)
          graph.linkAll(from, to, RW)
          const { vertices, offset, target } = graph.rows()
          const reached = from.map((start) => {
            const seen = new Set<number>()
            const stack = [start]
            for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
              if (v !== start && v < 61) continue
              for (let e = offset[v]; e < offset[v + 1]; e++) {
                if (!seen.has(target[e])) stack.push(target[e])
                seen.add(target[e])
              }
            }
            return [...seen].filter((v) => v < 61).sort((a, b) => a - b)
          })
          expect(reached).toEqual(from.map((start) => to.filter((v) => v !== start).sort((a, b) => a - b)))
          expect(vertices).toBe(from.length * to.length > 256 ? 61 + 2 * to.length : 61)
        },
      ),
      { numRuns: 100, seed: 33 },
    )
  })
})
