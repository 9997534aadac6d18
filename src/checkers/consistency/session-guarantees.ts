/**
 * The four session guarantees of Terry et al. (1994), for reads and writes of unique values. Each says that a session
 * observed the writes of a key in a certain order:
 *
 * - read your writes: what it wrote comes before (or is) what it later reads;
 * - monotonic reads: what it read comes before (or is) what it reads later;
 * - monotonic writes: what it wrote comes before what it writes later;
 * - writes follow reads: what it read comes before what it writes later.
 *
 * A set of guarantees holds when some order of each key's writes (the initial value first) agrees with all that they
 * say. Guarantees may be innocent alone and contradict each other together; what is reported is every smallest
 * set that cannot hold.
 */
import type { History } from '../../history/history.ts'
import type { Anomaly, CheckResult } from '../result.ts'
import { answer, tooWeak } from './findings.ts'
import {
  idOf,
  INITIAL,
  nameOf,
  registerGraph,
  type RegisterGraph,
  type RegisterGraphOptions,
} from './register-graph.ts'

export type SessionGuarantee =
  'read-your-writes' | 'monotonic-reads' | 'monotonic-writes' | 'writes-follow-reads'

export const SESSION_GUARANTEES: readonly SessionGuarantee[] = [
  'read-your-writes',
  'monotonic-reads',
  'monotonic-writes',
  'writes-follow-reads',
]

export interface SessionGuaranteeOptions extends RegisterGraphOptions {
  /** All four by default. */
  readonly guarantees?: readonly SessionGuarantee[]
}

/** Stands for all earlier operations of a session up to a node; an object only to be told from others. */
interface AllSoFar {
  readonly until: number
}

/**
 * One write stands before another, because of what a session did first and later. Ends are nodes, `INITIAL` for the
 * initial value, or auxiliary; -1 where an auxiliary end makes `first` or `later` somebody else's.
 */
interface Precedes {
  readonly from: number | AllSoFar
  readonly to: number | AllSoFar
  readonly first: number
  readonly later: number
}

export function sessionGuarantees(history: History, options: SessionGuaranteeOptions = {}): CheckResult {
  const { guarantees = SESSION_GUARANTEES } = options
  const graph = registerGraph(history, options)
  if (typeof graph === 'string') return tooWeak('session-guarantees', history, graph)
  const edges = new Map(guarantees.map((guarantee) => [guarantee, edgesOf(graph, guarantee)]))
  const anomalies: Anomaly[] = [...graph.thinAir]
  const broken: SessionGuarantee[][] = []
  for (const set of subsets(guarantees)) {
    if (broken.some((smaller) => smaller.every((guarantee) => set.includes(guarantee)))) continue
    const cycle = cycleIn(set.flatMap((guarantee) => edges.get(guarantee)!))
    if (cycle === null) continue
    broken.push(set)
    anomalies.push(violation(graph, set, cycle))
  }
  const result = answer(
    'session-guarantees',
    history,
    graph,
    anomalies,
    'cycles of observed write orders, O(n)',
  )
  return { ...result, details: { ...result.details, broken } }
}

/** Non-empty subsets, smaller ones first. */
function subsets(guarantees: readonly SessionGuarantee[]): SessionGuarantee[][] {
  const all: SessionGuarantee[][] = []
  for (let bits = 1; bits < 1 << guarantees.length; bits++)
    all.push(guarantees.filter((_, i) => (bits & (1 << i)) !== 0))
  return all.sort((a, b) => a.length - b.length)
}

/**
 * What a guarantee says. Monotonic reads and writes chain, so neighbours say it all. For the other two, each of many
 * earlier operations stands before each of many later ones: an auxiliary node for "all so far" keeps that linear.
 */
function edgesOf(graph: RegisterGraph, guarantee: SessionGuarantee): Precedes[] {
  const edges: Precedes[] = []
  for (const nodes of bySessionAndKey(graph).values()) {
    if (guarantee === 'monotonic-reads') chain(graph, nodes, 0, edges)
    else if (guarantee === 'monotonic-writes') chain(graph, nodes, 1, edges)
    else if (guarantee === 'read-your-writes') cross(graph, nodes, 1, edges)
    else cross(graph, nodes, 0, edges)
  }
  return edges
}

function chain(graph: RegisterGraph, nodes: readonly number[], kind: 0 | 1, edges: Precedes[]): void {
  let last = -1
  for (const node of nodes) {
    if (graph.isWrite[node] !== kind) continue
    const to = graph.source[node]
    if (last >= 0 && graph.source[last] !== to)
      edges.push({ from: graph.source[last], to, first: last, later: node })
    if (to !== INITIAL) last = node
  }
}

/** From all earlier nodes of one kind to each later node of the other. */
function cross(graph: RegisterGraph, nodes: readonly number[], fromKind: 0 | 1, edges: Precedes[]): void {
  const earlier = new Map<number, number>()
  let all: AllSoFar | null = null
  for (const node of nodes) {
    const source = graph.source[node]
    if (graph.isWrite[node] === fromKind) {
      if (source === INITIAL || earlier.has(source)) continue
      earlier.set(source, node)
      const before: AllSoFar | null = all
      all = { until: node }
      if (before !== null) edges.push({ from: before, to: all, first: -1, later: -1 })
      edges.push({ from: source, to: all, first: node, later: -1 })
    } else if (earlier.has(source)) {
      // One of them is this very write, which cannot stand before itself: the others one by one. Rarely more than one.
      for (const [from, first] of earlier)
        if (from !== source) edges.push({ from, to: source, first, later: node })
    } else if (all !== null) edges.push({ from: all, to: source, first: -1, later: node })
  }
}

/** Nodes of a session and key in session order; a write of unknown outcome belongs to the session that made it. */
function bySessionAndKey(graph: RegisterGraph): Map<string, number[]> {
  const lists = new Map<string, number[]>()
  for (let node = 0; node < graph.count; node++) {
    const late = graph.previous[node] >= 0 && graph.session[graph.previous[node]] !== graph.session[node]
    // It may take effect late, so what the session does afterwards says nothing about it.
    if (late) continue
    const name = `${graph.session[node]},${graph.key[node]}`
    const list = lists.get(name)
    if (list === undefined) lists.set(name, [node])
    else list.push(node)
  }
  return lists
}

type End = Precedes['from']

function cycleIn(edges: readonly Precedes[]): Precedes[] | null {
  const out = new Map<End, Precedes[]>()
  for (const edge of edges) {
    const list = out.get(edge.from)
    if (list === undefined) out.set(edge.from, [edge])
    else list.push(edge)
  }
  // Nothing stands before the initial value: an edge to it is a cycle of its own.
  const backwards = edges.find(({ to, from }) => to === INITIAL && typeof from === 'number')
  if (backwards !== undefined) return [backwards]
  const viaAll = edges.find(({ to }) => to === INITIAL)
  if (viaAll !== undefined) return [{ ...viaAll, from: INITIAL, first: (viaAll.from as AllSoFar).until }]
  const state = new Map<End, 'open' | 'done'>()
  for (const start of out.keys()) {
    const found = state.has(start) ? null : walk(start, out, state)
    if (found !== null) return joined(found)
  }
  return null
}

/** Depth first; an edge to an end that is still open closes a cycle. */
function walk(
  start: End,
  out: ReadonlyMap<End, readonly Precedes[]>,
  state: Map<End, 'open' | 'done'>,
): Precedes[] | null {
  const path: { end: End; next: number }[] = [{ end: start, next: 0 }]
  const taken: Precedes[] = []
  state.set(start, 'open')
  while (path.length > 0) {
    const top = path[path.length - 1]
    const edge = out.get(top.end)?.[top.next++]
    if (edge === undefined) {
      state.set(top.end, 'done')
      path.pop()
      taken.pop()
    } else if (state.get(edge.to) === 'open') {
      return [...taken.slice(path.findIndex(({ end }) => end === edge.to)), edge]
    } else if (!state.has(edge.to)) {
      state.set(edge.to, 'open')
      taken.push(edge)
      path.push({ end: edge.to, next: 0 })
    }
  }
  return null
}

/** A cycle without its auxiliary ends. There is at least one node in it, since auxiliary ends only lead on. */
function joined(cycle: readonly Precedes[]): Precedes[] {
  const start = cycle.findIndex(({ from }) => typeof from === 'number')
  const turned = [...cycle.slice(start), ...cycle.slice(0, start)]
  const edges: Precedes[] = []
  let open: Precedes | null = null
  for (const edge of turned) {
    const begin: Precedes = open ?? edge
    if (typeof edge.to === 'number') {
      edges.push({ from: begin.from, first: begin.first, to: edge.to, later: edge.later })
      open = null
    } else open = { from: begin.from, first: begin.first, to: edge.to, later: -1 }
  }
  return edges
}

function violation(
  graph: RegisterGraph,
  set: readonly SessionGuarantee[],
  cycle: readonly Precedes[],
): Anomaly {
  const steps = cycle.map(({ from, to, first, later }) => {
    const before = from === INITIAL ? nameOf(graph, first) : nameOf(graph, from as number)
    const after = to === INITIAL ? 'the initial value' : nameOf(graph, to as number)
    return `${before} comes before ${after}, because one session did ${nameOf(graph, first)} and then ${nameOf(graph, later)}`
  })
  return {
    type: set.join('+'),
    message: `${set.join(' and ')} cannot ${set.length === 1 ? 'hold' : 'hold together'}: ${steps.join('; ')}: a contradiction`,
    operations: [...new Set(cycle.flatMap(({ first, later }) => [idOf(graph, first), idOf(graph, later)]))],
    details: { guarantees: set },
  }
}
