import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { Budget } from '../budget.ts'
import { OrderSearch } from './order-search.ts'

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

/** Each choice as a demand that is checked against the order, as a replay does. */
function solve({ vertices, known, sides }: Instance, budget = new Budget()) {
  const order = Int32Array.from({ length: vertices }, (_, v) => v)
  const search = new OrderSearch({ order, from: known.map(([a]) => a), to: known.map(([, b]) => b) }, budget)
  const all = (edges: readonly Edge[]): number =>
    edges.map(([a, b]) => search.before(a, b)).reduce((one, other) => search.both(one, other))
  const outcome = search.solve((_, place) => {
    sides.forEach((pair, c) => {
      const holds = pair.some((edges) => edges.every(([a, b]) => place[a] < place[b]))
      if (!holds) search.demand(c, () => pair.map(all))
    })
  })
  return { ...outcome, conflicts: search.conflicts }
}

describe('a search for an order', () => {
  it('finds one exactly where there is one, and it has all that was demanded', () => {
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
        expect(Array.from(solution.order, (v) => solution.place[v])).toEqual(
          Array.from(solution.order, (_, i) => i),
        )
      }),
      { numRuns: runs, seed: 21 },
    )
    // The search had to think, and both answers came up.
    expect(conflicts).toBeGreaterThan(runs / 2)
    expect(impossible).toBeGreaterThan(runs / 20)
  })

  it('refutes a demand without alternatives', () => {
    const search = new OrderSearch({ order: Int32Array.of(0, 1), from: [], to: [] }, new Budget())
    expect(search.solve(() => search.demand(7, () => []))).toEqual({ outcome: 'impossible', core: [7] })
  })

  it('gives up when its budget is spent, and holds nothing then', () => {
    const sides = [0, 1, 2].map((v) => [[[v, 3] as const], [[3, v] as const]] as const)
    const budget = new Budget({ timeoutWallMs: 0 })
    for (let i = 0; i < 1e7 && !budget.isSpent(); i++);
    expect(solve({ vertices: 4, known: [], sides }, budget)).toMatchObject({
      outcome: 'unknown',
      reason: 'the time limit of 0 ms was reached',
    })
    expect(budget.heldBytes).toBe(0)
  })
})
