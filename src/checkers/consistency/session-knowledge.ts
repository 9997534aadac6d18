/**
 * What a read must know under some session guarantees, over all keys, as Terry et al. (1994) define them by the writes
 * that the answering server has:
 *
 * - read your writes: a read knows the earlier writes of its session;
 * - monotonic reads: it knows what the earlier reads of its session saw;
 * - monotonic writes: who knows a write knows the earlier writes of its session;
 * - writes follow reads: who knows a write knows what its session had seen before it.
 *
 * So what a node knows is, for each session, a beginning of its writes and a beginning of what its reads saw: two numbers
 * per session, a clock. The clocks are the least ones that satisfy these rules; knowing more only adds contradictions.
 */
import { INFO } from '../../history/history.ts'
import type { Budget } from '../budget.ts'
import { INITIAL, type RegisterGraph } from './register-graph.ts'
import type { SessionGuarantee } from './session-guarantees.ts'

/** The operations of sessions, and how many of its own session come before each node. */
export interface Sessions {
  /** The session whose earlier operations come before a node. A write of unknown outcome is in its client's session. */
  readonly owner: Int32Array
  readonly writesBefore: Int32Array
  readonly readsBefore: Int32Array
  /** Completed writes and reads per session, in order: what an unknown write does later is in no order. */
  readonly writes: readonly (readonly number[])[]
  readonly reads: readonly (readonly number[])[]
}

export function sessionsOf(graph: RegisterGraph): Sessions {
  const owner = new Int32Array(graph.count)
  const writesBefore = new Int32Array(graph.count)
  const readsBefore = new Int32Array(graph.count)
  const writes: number[][] = Array.from({ length: graph.sessions }, () => [])
  const reads: number[][] = Array.from({ length: graph.sessions }, () => [])
  for (let node = 0; node < graph.count; node++) {
    const previous = graph.previous[node]
    const session = previous >= 0 ? graph.session[previous] : graph.session[node]
    owner[node] = session
    writesBefore[node] = writes[session].length
    readsBefore[node] = reads[session].length
    if (graph.history.type[graph.position[node]] === INFO) continue
    if (graph.isWrite[node] === 1) writes[session].push(node)
    else reads[session].push(node)
  }
  return { owner, writesBefore, readsBefore, writes, reads }
}

export class Knowledge {
  readonly #graph: RegisterGraph
  readonly #sessions: Sessions
  readonly #guarantees: ReadonlySet<SessionGuarantee>
  readonly #width: number
  /** Per node and session: how many of its writes, and of its reads, the node knows. */
  readonly #clock: Int32Array
  /** Per completed node: what all operations of its kind in its session up to it know, the reads by what they saw. */
  readonly #upTo: Int32Array

  constructor(
    graph: RegisterGraph,
    sessions: Sessions,
    guarantees: readonly SessionGuarantee[],
    budget: Budget,
  ) {
    this.#graph = graph
    this.#sessions = sessions
    this.#guarantees = new Set(guarantees)
    this.#width = graph.sessions * 2
    this.#clock = new Int32Array(graph.count * this.#width)
    this.#upTo = new Int32Array(graph.count * this.#width)
    this.#settle(budget)
  }

  /** How many writes of a session a node knows. */
  writesOf(node: number, session: number): number {
    return this.#clock[node * this.#width + session * 2]
  }

  /** How many reads of a session a node knows the writes of. */
  readsOf(node: number, session: number): number {
    return this.#clock[node * this.#width + session * 2 + 1]
  }

  /** Repeats until nothing changes. In order of invocation, once is enough unless reads saw the future. */
  #settle(budget: Budget): void {
    const { history, position, count } = this.#graph
    const order = Array.from({ length: count }, (_, node) => node).sort(
      (a, b) => history.invokeIndex[position[a]] - history.invokeIndex[position[b]],
    )
    for (let changed = true; changed;) {
      changed = false
      for (const node of order) {
        budget.ask()
        if (this.#learn(node)) changed = true
      }
    }
  }

  #learn(node: number): boolean {
    const { isWrite, source, history, position } = this.#graph
    const { owner, writesBefore, readsBefore, writes, reads } = this.#sessions
    const session = owner[node]
    const write = isWrite[node] === 1
    const own = this.#guarantees.has(write ? 'monotonic-writes' : 'read-your-writes')
    const seen = this.#guarantees.has(write ? 'writes-follow-reads' : 'monotonic-reads')
    let changed = false
    if (!write && source[node] !== INITIAL)
      changed = merge(this.#clock, node, this.#clock, source[node], this.#width)
    if (own && writesBefore[node] > 0) {
      changed = this.#raise(node, session * 2, writesBefore[node]) || changed
      changed =
        merge(this.#clock, node, this.#upTo, writes[session][writesBefore[node] - 1], this.#width) || changed
    }
    if (seen && readsBefore[node] > 0) {
      changed = this.#raise(node, session * 2 + 1, readsBefore[node]) || changed
      changed =
        merge(this.#clock, node, this.#upTo, reads[session][readsBefore[node] - 1], this.#width) || changed
    }
    if (history.type[position[node]] === INFO) return changed
    const [list, at] = write ? [writes[session], writesBefore[node]] : [reads[session], readsBefore[node]]
    if (at > 0) changed = merge(this.#upTo, node, this.#upTo, list[at - 1], this.#width) || changed
    const from = write ? node : source[node]
    if (from !== INITIAL) changed = merge(this.#upTo, node, this.#clock, from, this.#width) || changed
    return changed
  }

  #raise(node: number, entry: number, to: number): boolean {
    const at = node * this.#width + entry
    if (this.#clock[at] >= to) return false
    this.#clock[at] = to
    return true
  }

  /** A shortest way from a node to a write that it must know: each step is demanded by one guarantee. */
  wayTo(node: number, write: number): number[] {
    const came = new Map<number, number>([[node, -1]])
    const queue = [node]
    for (const current of queue) {
      if (current === write && current !== node) break
      for (const next of this.#demands(current)) {
        if (came.has(next)) continue
        came.set(next, current)
        queue.push(next)
      }
    }
    const way: number[] = []
    for (let at = write; at >= 0; at = came.get(at) ?? -1) way.unshift(at)
    return way
  }

  /** Writes that a node must know, one step away. */
  #demands(node: number): number[] {
    const { isWrite, source } = this.#graph
    const { owner, writesBefore, readsBefore, writes, reads } = this.#sessions
    const write = isWrite[node] === 1
    const known: number[] = write || source[node] === INITIAL ? [] : [source[node]]
    if (this.#guarantees.has(write ? 'monotonic-writes' : 'read-your-writes'))
      known.push(...writes[owner[node]].slice(0, writesBefore[node]))
    if (this.#guarantees.has(write ? 'writes-follow-reads' : 'monotonic-reads')) {
      for (const read of reads[owner[node]].slice(0, readsBefore[node]))
        if (source[read] !== INITIAL) known.push(source[read])
    }
    return known
  }
}

/** Raises every entry of one row to that of another; whether anything changed. */
function merge(to: Int32Array, row: number, from: Int32Array, other: number, width: number): boolean {
  let changed = false
  for (let i = 0, a = row * width, b = other * width; i < width; i++, a++, b++) {
    if (to[a] >= from[b]) continue
    to[a] = from[b]
    changed = true
  }
  return changed
}
