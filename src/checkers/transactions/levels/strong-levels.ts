/**
 * Decides serializability, snapshot isolation or prefix consistency: known order, pruning, search (see polygraph.ts).
 * A positive answer comes with an order of commits, and the order is checked by replaying it before it is given out.
 */
import { InternalError } from '../../../kernel/errors.ts'
import type { Rows } from '../graph.ts'
import { topologicalOrder } from '../topological-order.ts'
import { OrderSolver, type Choices, type SolverBudget } from './order-solver.ts'
import { Polygraph, type PolygraphOptions, type WriterPair } from './polygraph.ts'
import { Reachability } from './reachability.ts'
import type { ReadsFrom } from './reads-from.ts'
import { replay } from './replay.ts'

export type StrongDecision =
  /** `order`: committed transactions in the order in which they take effect. */
  | {
      readonly verdict: 'valid'
      readonly method: string
      readonly order: readonly number[]
      readonly statistics: Statistics
    }
  | {
      readonly verdict: 'invalid'
      readonly method: string
      readonly polygraph: Polygraph
      /** What is known. */
      readonly rows: Rows
      readonly proof: Proof
      readonly statistics: Statistics
    }
  | {
      readonly verdict: 'unknown'
      readonly method: string
      readonly reason: string
      readonly statistics: Statistics
    }

/** What is known has a cycle; or two writers of a key can be in no order; or the search found no way. */
export type Proof =
  | { readonly by: 'cycle' }
  | { readonly by: 'pair'; readonly pair: WriterPair }
  | { readonly by: 'search'; readonly pairs: readonly WriterPair[] }

export interface Statistics {
  /** Pairs of writers of one key, and those that were left to the search. */
  readonly pairs: number
  readonly searched: number
  readonly conflicts: number
}

const BUDGET: SolverBudget = { conflicts: 200_000, work: 2_000_000_000 }
/** Pairs that are looked at, at most; and without a table of who reaches whom to prune them by. */
const PAIR_LIMIT = 4_000_000
const UNPRUNED_PAIR_LIMIT = 200_000

export function decideStrong(
  history: ReadsFrom,
  options: PolygraphOptions,
  budget: SolverBudget = BUDGET,
): StrongDecision {
  const polygraph = new Polygraph(history, options)
  const pruned = prune(polygraph)
  const statistics: Statistics = { pairs: pruned.pairs, searched: pruned.open.length, conflicts: 0 }
  const { rows } = pruned
  const invalid = (method: string, proof: Proof, spent: Statistics): StrongDecision => ({
    verdict: 'invalid',
    method,
    polygraph,
    rows,
    proof,
    statistics: spent,
  })
  if (pruned.impossible !== null) {
    const proof: Proof = { by: 'pair', pair: pruned.impossible }
    return invalid('order known from reads, sessions and pruning', proof, statistics)
  }
  const order = topologicalOrder(rows)
  if (order === null) return invalid('order known from reads and sessions', { by: 'cycle' }, statistics)
  if (pruned.tooMany) {
    const reason = `${pruned.pairs} pairs of writers are too many to search`
    return { verdict: 'unknown', method: 'pruning', reason, statistics }
  }
  const method = pruned.open.length === 0 ? 'pruning' : 'pruning, then search'
  const solver = new OrderSolver(order, edgesOf(rows), choicesOf(polygraph, pruned.open), budget)
  const solution = solver.solve()
  const searched = { ...statistics, conflicts: solution.conflicts }
  if (solution.outcome === 'unknown') {
    const reason = `the search gave up after ${solution.conflicts} conflicts`
    return { verdict: 'unknown', method, reason, statistics: searched }
  }
  if (solution.outcome === 'impossible') {
    const pairs = solution.core.map((choice) => pruned.open[choice])
    return invalid(method, { by: 'search', pairs }, searched)
  }
  const commits = Array.from({ length: history.count }, (_, t) => t).sort(
    (a, b) => solution.place[polygraph.commit(a)] - solution.place[polygraph.commit(b)],
  )
  const wrong = replay(
    history,
    options,
    commits,
    (t) => solution.place[polygraph.snapshot(t)],
    (t) => solution.place[polygraph.commit(t)],
  )
  if (wrong !== null) {
    throw new InternalError(`${options.level}: the order found does not explain the history: ${wrong}`)
  }
  return { verdict: 'valid', method, order: commits, statistics: searched }
}

interface Pruned {
  readonly rows: Rows
  readonly open: readonly WriterPair[]
  readonly pairs: number
  /** Two writers of which neither can come first. */
  readonly impossible: WriterPair | null
  readonly tooMany: boolean
}

/** Decides pairs of writers by what is known, again and again, as long as that makes more known. */
function prune(polygraph: Polygraph): Pruned {
  let open: WriterPair[] = []
  let pairs = 0
  for (const [key, writers] of polygraph.writers) {
    pairs += (writers.length * (writers.length - 1)) / 2
    if (pairs > PAIR_LIMIT)
      return { rows: polygraph.known.rows(), open: [], pairs, impossible: null, tooMany: true }
    for (let i = 0; i < writers.length; i++) {
      for (let j = i + 1; j < writers.length; j++) open.push({ key, first: writers[i], second: writers[j] })
    }
  }
  for (;;) {
    const rows = polygraph.known.rows()
    if (!Reachability.fits(rows.vertices, polygraph.vertices)) {
      return { rows, open, pairs, impossible: null, tooMany: open.length > UNPRUNED_PAIR_LIMIT }
    }
    const order = topologicalOrder(rows)
    if (order === null) return { rows, open, pairs, impossible: null, tooMany: false }
    const reach = new Reachability(rows, order, polygraph.vertices)
    const left: WriterPair[] = []
    const before = polygraph.known.size
    let decided = 0
    for (const pair of open) {
      const { key, first, second } = pair
      const forward = feasible(polygraph, reach, key, first, second)
      const backward = feasible(polygraph, reach, key, second, first)
      if (!forward && !backward) return { rows, open, pairs, impossible: pair, tooMany: false }
      if (forward && backward) {
        left.push(pair)
        continue
      }
      decided++
      const [winner, loser] = forward ? [first, second] : [second, first]
      polygraph.consequences(key, winner, loser, (from, to, kind) => {
        if (!reach.reaches(from, to)) polygraph.known.link(from, to, kind)
      })
    }
    open = left
    if (decided === 0 || polygraph.known.size === before) {
      return { rows: polygraph.known.rows(), open, pairs, impossible: null, tooMany: false }
    }
  }
}

/** Whether `first` before `second` closes no cycle with what is known. */
function feasible(
  polygraph: Polygraph,
  reach: Reachability,
  key: number,
  first: number,
  second: number,
): boolean {
  let possible = true
  polygraph.consequences(key, first, second, (from, to) => {
    if (possible && reach.reaches(to, from)) possible = false
  })
  return possible
}

function choicesOf(polygraph: Polygraph, open: readonly WriterPair[]): Choices {
  const start = new Int32Array(open.length * 2 + 1)
  const from: number[] = []
  const to: number[] = []
  const link = (a: number, b: number): void => {
    from.push(a)
    to.push(b)
  }
  open.forEach(({ key, first, second }, c) => {
    polygraph.consequences(key, first, second, link)
    start[2 * c + 1] = from.length
    polygraph.consequences(key, second, first, link)
    start[2 * c + 2] = from.length
  })
  return { count: open.length, start, from: Int32Array.from(from), to: Int32Array.from(to) }
}

function edgesOf({ vertices, offset, target }: Rows): (readonly [number, number])[] {
  const edges: (readonly [number, number])[] = []
  for (let v = 0; v < vertices; v++) {
    for (let e = offset[v]; e < offset[v + 1]; e++) edges.push([v, target[e]])
  }
  return edges
}
