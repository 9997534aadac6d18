/**
 * Decides serializability, snapshot isolation or prefix consistency. What reads and sessions say goes into a graph (see
 * polygraph.ts); an order of it is replayed, and what the replay finds wrong is demanded of the next order
 * (`precedence/order-search.ts`). So blind writes cost nothing until a read depends on where they stand.
 *
 * A positive answer comes with an order of commits, and the order is checked by an independent replay before it is
 * given out.
 */
import { InternalError } from '../../../kernel/errors.ts'
import type { Budget } from '../../budget.ts'
import { earliestOrder } from '../../precedence/earliest-order.ts'
import { OrderSearch } from '../../precedence/order-search.ts'
import type { Rows } from '../cycles/graph.ts'
import { int32 } from '../../workspace.ts'
import { Polygraph, type PolygraphOptions, type WriterPair } from './polygraph.ts'
import { Reachability } from './reachability.ts'
import { INITIAL, type ReadsFrom } from './reads-from.ts'
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
  /** Demands that the search made: orders of two writers of a key that mattered. */
  readonly searched: number
  readonly conflicts: number
}

export function decideStrong(history: ReadsFrom, options: PolygraphOptions, budget: Budget): StrongDecision {
  const polygraph = new Polygraph(history, options)
  const rows = polygraph.known.rows()
  const invalid = (
    method: string,
    proof: Proof,
    statistics: Statistics,
    known: Rows = rows,
  ): StrongDecision => ({
    verdict: 'invalid',
    method,
    polygraph,
    rows: known,
    proof,
    statistics,
  })
  const order = earliestOrder(rows, polygraph.vertices)
  if (order === null)
    return invalid('order known from reads and sessions', { by: 'cycle' }, { searched: 0, conflicts: 0 })
  const search = new OrderSearch({ order, ...edgesOf(rows) }, budget)
  const demands = new Demands(polygraph, search)
  const solution = search.solve((current, place) => demands.check(current, place))
  const statistics = { searched: search.demands, conflicts: search.conflicts }
  const method = search.demands === 0 ? 'order known from reads and sessions' : 'search for an order'
  if (solution.outcome === 'unknown') {
    const reason = `${solution.reason}: ${search.demands} orders of two writers were demanded, in ${search.conflicts} conflicts`
    return { verdict: 'unknown', method, reason, statistics }
  }
  if (solution.outcome === 'impossible') {
    const pairs = solution.core.map((key) => demands.pairOf(key))
    const found = impossiblePair(polygraph, pairs, budget)
    if (found !== null) {
      const known = 'order known from reads, sessions and writers'
      return invalid(known, { by: 'pair', pair: found.pair }, statistics, found.rows)
    }
    return invalid(method, { by: 'search', pairs }, statistics)
  }
  const { place } = solution
  const commits = Array.from({ length: history.count }, (_, t) => t).sort(
    (a, b) => place[polygraph.commit(a)] - place[polygraph.commit(b)],
  )
  const wrong = replay(
    history,
    options,
    commits,
    (t) => place[polygraph.snapshot(t)],
    (t) => place[polygraph.commit(t)],
  )
  if (wrong !== null) {
    throw new InternalError(`${options.level}: the order found does not explain the history: ${wrong}`)
  }
  return { verdict: 'valid', method, order: commits, statistics }
}

/** What is wrong with an order, as demands of two writers of a key. */
class Demands {
  readonly #polygraph: Polygraph
  readonly #search: OrderSearch
  readonly #last: Int32Array
  /** Keys of demands: a read and a writer, or, above those, two writers of a key. */
  readonly #reads: number
  readonly #writeKeys = new Map<number, number>()

  constructor(polygraph: Polygraph, search: OrderSearch) {
    this.#polygraph = polygraph
    this.#search = search
    let keys = 0
    for (const key of polygraph.history.readKey) keys = Math.max(keys, key + 1)
    for (const key of polygraph.history.writeKey) keys = Math.max(keys, key + 1)
    this.#last = int32(keys)
    this.#reads = polygraph.history.readKey.length
  }

  check(order: Int32Array, place: Int32Array): void {
    const { history, options, vertices } = this.#polygraph
    this.#last.fill(INITIAL)
    for (const vertex of order) {
      if (vertex >= vertices) continue
      const t = this.#polygraph.transactionOf(vertex)
      if (vertex === this.#polygraph.snapshot(t)) this.#checkReads(t)
      if (vertex !== this.#polygraph.commit(t)) continue
      for (let w = history.writeStart[t]; w < history.writeStart[t + 1]; w++) {
        const key = history.writeKey[w]
        if (options.level === 'snapshot-isolation') this.#checkConflict(key, this.#last[key], t, place)
        this.#last[key] = t
      }
    }
  }

  /** The last writer before a snapshot must be the one that was read from; if not, either stands elsewhere. */
  #checkReads(t: number): void {
    const { count, readStart, readKey, readSource } = this.#polygraph.history
    for (let r = readStart[t]; r < readStart[t + 1]; r++) {
      const source = readSource[r]
      const last = this.#last[readKey[r]]
      if (last === source || last === INITIAL) continue
      this.#search.demand(r * count + last, () => {
        const literals =
          last === t ? [] : [this.#search.before(this.#polygraph.snapshot(t), this.#polygraph.commit(last))]
        if (source !== INITIAL)
          literals.push(this.#search.before(this.#polygraph.commit(last), this.#polygraph.loser(source)))
        return literals
      })
    }
  }

  /** First committer wins: of two writers of a key one commits before the other's snapshot. */
  #checkConflict(key: number, last: number, t: number, place: Int32Array): void {
    const polygraph = this.#polygraph
    if (last === INITIAL || place[polygraph.commit(last)] < place[polygraph.snapshot(t)]) return
    const { count } = polygraph.history
    const [a, b] = last < t ? [last, t] : [t, last]
    const demand = (this.#reads + a) * count + b
    this.#writeKeys.set(demand, key)
    this.#search.demand(demand, () => [
      this.#search.before(polygraph.commit(a), polygraph.snapshot(b)),
      this.#search.before(polygraph.commit(b), polygraph.snapshot(a)),
    ])
  }

  /** The two writers of a key that a demand is about; a read of the initial state counts as its reader. */
  pairOf(demand: number): WriterPair {
    const { count, readKey, readSource } = this.#polygraph.history
    const second = demand % count
    const first = Math.floor(demand / count)
    if (first >= this.#reads) return { key: this.#writeKeys.get(demand)!, first: first - this.#reads, second }
    const source = readSource[first]
    return { key: readKey[first], first: source === INITIAL ? second : source, second }
  }
}

/** Pairs of writers that are looked at for one that is a proof by itself. */
const PAIRS_LOOKED_AT = 2_000

interface ImpossiblePair {
  readonly pair: WriterPair
  /** What is known by then. */
  readonly rows: Rows
}

/**
 * Two writers of a key of which neither can come first: a proof that a person can follow. Among the keys of a
 * refutation, pairs of which one order closes a cycle are decided, which makes more known, until there is one of which
 * both do. Null when there is none, when there are too many pairs to look at, or when the budget does not suffice.
 */
function impossiblePair(
  polygraph: Polygraph,
  pairs: readonly WriterPair[],
  budget: Budget,
): ImpossiblePair | null {
  let open: WriterPair[] = []
  for (const key of new Set(pairs.map((pair) => pair.key))) {
    const writers = polygraph.writers.get(key) ?? []
    if ((writers.length * writers.length) / 2 + open.length > PAIRS_LOOKED_AT) return null
    writers.forEach((first, i) => {
      for (const second of writers.slice(i + 1)) open.push({ key, first, second })
    })
  }
  for (let before = -1; before !== polygraph.known.size;) {
    before = polygraph.known.size
    const rows = polygraph.known.rows()
    const order = earliestOrder(rows, polygraph.vertices)
    if (order === null || budget.look()) return null
    if (!Reachability.fits(rows.vertices, polygraph.vertices, budget.leftBytes)) return null
    const reach = new Reachability(rows, order, polygraph.vertices)
    const left: WriterPair[] = []
    for (const pair of open) {
      const { key, first, second } = pair
      const forward = feasible(polygraph, reach, key, first, second)
      const backward = feasible(polygraph, reach, key, second, first)
      if (!forward && !backward) return { pair, rows }
      if (forward && backward) {
        left.push(pair)
        continue
      }
      const [winner, loser] = forward ? [first, second] : [second, first]
      polygraph.consequences(key, winner, loser, (from, to, kind) => {
        if (!reach.reaches(from, to)) polygraph.known.link(from, to, kind)
      })
    }
    open = left
  }
  return null
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

function edgesOf({ vertices, offset, target }: Rows): { from: Int32Array; to: Int32Array } {
  const from = int32(offset[vertices])
  for (let v = 0; v < vertices; v++) from.fill(v, offset[v], offset[v + 1])
  return { from, to: target.subarray(0, offset[vertices]) }
}
