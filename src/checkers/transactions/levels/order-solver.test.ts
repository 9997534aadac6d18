import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { OrderSolver, type Choices } from './order-solver.ts'

const runs = process.env['WAVETANK_FULL'] === '1' ? 20_000 : 500
vi.setConfig({ testTimeout: 600_000 })

type Edge = readonly [number, number]

interface Instance {
  readonly vertices: number
  readonly known: readonly Edge[]
  readonly sides: readonly (readonly [readonly Edge[], readonly Edge[]])[]
}

const edge = (vertices: number): fc.Arbitrary<Edge> =>
  fc.tuple(fc.nat(vertices - 1), fc.nat(vertices - 1)).filter(([a, b]) => a !== b)

/** Known edges go upwards, so that they have no cycle. */
const instances: fc.Arbitrary<Instance> = fc.integer({ min: 3, max: 8 }).chain((vertices) =>
  fc.record({
    vertices: fc.constant(vertices),
    known: fc.array(
      edge(vertices).map(([a, b]): Edge => (a < b ? [a, b] : [b, a])),
      { maxLength: 5 },
    ),
    sides: fc.array(
      fc.tuple(
        fc.array(edge(vertices), { minLength: 1, maxLength: 3 }),
        fc.array(edge(vertices), { minLength: 1, maxLength: 3 }),
      ),
      { maxLength: 9 },
    ),
  }),
)

function choicesOf({ sides }: Instance): Choices {
  const flat = sides.flat()
  const start = new Int32Array(flat.length + 1)
  flat.forEach((edges, i) => (start[i + 1] = start[i] + edges.length))
  const edges = flat.flat()
  return {
    count: sides.length,
    start,
    from: Int32Array.from(edges, ([a]) => a),
    to: Int32Array.from(edges, ([, b]) => b),
  }
}

function acyclic(vertices: number, edges: readonly Edge[]): boolean {
  const left = new Set(Array.from({ length: vertices }, (_, v) => v))
  for (;;) {
    const free = [...left].find((v) => !edges.some(([a, b]) => b === v && left.has(a)))
    if (free === undefined) return left.size === 0
    left.delete(free)
  }
}

function bruteForce({ vertices, known, sides }: Instance): boolean {
  for (let subset = 0; subset < 1 << sides.length; subset++) {
    const chosen = sides.flatMap((pair, c) => pair[(subset >> c) & 1])
    if (acyclic(vertices, [...known, ...chosen])) return true
  }
  return false
}

function solve(instance: Instance) {
  const order = Int32Array.from({ length: instance.vertices }, (_, v) => v)
  return new OrderSolver(order, instance.known, choicesOf(instance), { conflicts: 1e6, work: 1e9 }).solve()
}

describe('OrderSolver', () => {
  it('finds a way exactly where there is one, and the order it gives respects every choice', () => {
    let conflicts = 0
    let impossible = 0
    fc.assert(
      fc.property(instances, (instance) => {
        const solution = solve(instance)
        conflicts += solution.conflicts
        expect(solution.outcome).toBe(bruteForce(instance) ? 'possible' : 'impossible')
        if (solution.outcome !== 'possible') {
          impossible++
          return
        }
        const along = ([a, b]: Edge): boolean => solution.place[a] < solution.place[b]
        expect(instance.known.every(along)).toBe(true)
        expect(instance.sides.every(([a, b]) => a.every(along) || b.every(along))).toBe(true)
      }),
      { numRuns: runs, seed: 21 },
    )
    // The search had to think, and both answers came up.
    expect(conflicts).toBeGreaterThan(runs)
    expect(impossible).toBeGreaterThan(runs / 20)
  })

  it('gives up when its budget is spent', () => {
    const sides = [0, 1, 2].map((v) => [[[v, 3] as const], [[3, v] as const]] as const)
    const instance = { vertices: 4, known: [], sides }
    const solver = new OrderSolver(Int32Array.of(0, 1, 2, 3), [], choicesOf(instance), {
      conflicts: 0,
      work: -1,
    })
    expect(solver.solve().outcome).toBe('unknown')
  })
})
