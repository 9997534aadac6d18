/**
 * Cycles of dependency between operations on logs: `wr`, one polled what another sent; `ww`, one message comes
 * right after another in the log (only when asked, since Kafka does not promise that transactions are isolated from
 * each other's writes); and the order of one client or of real time. A cycle of ww alone is G0, one with a wr is G1c;
 * the suffix says which order it needs besides.
 *
 * Real time goes through a chain of barriers, one per completion, so that it costs a few edges per operation.
 */
import { OK, type History } from '../../history/history.ts'
import type { AnomalyCollector } from '../anomaly-collector.ts'
import type { Budget } from '../budget.ts'
import { earliestOrder } from '../precedence/earliest-order.ts'
import { cyclicComponents } from '../transactions/cycles/components.ts'
import { committed, type Logs } from './log.ts'
import type { LogOperation, Seen } from './micro-operations.ts'

type Kind = 'ww' | 'wr' | 'process' | 'realtime'

/** Pairs of vertices, one after the other: from, to, from, to, … */
type Edges = readonly number[]

/** Vertices below `operations` are operations, the others barriers of real time. */
interface Graph {
  readonly operations: number
  readonly vertices: number
  /** Edges of vertex v go to `target[offset[v]]` … `target[offset[v + 1] - 1]`. */
  readonly offset: Int32Array
  readonly target: Int32Array
  /** Of an edge. */
  readonly kindOf: (edge: number) => Kind
}

export interface CycleOptions {
  readonly wwDeps: boolean
}

/** What the name of a cycle ends with, and the order that it needs besides dependencies. */
const ORDERS: readonly (readonly [suffix: string, order: readonly Kind[]])[] = [
  ['', []],
  ['-process', ['process']],
  ['-realtime', ['realtime']],
]

export function findCycles(
  history: History,
  all: readonly LogOperation[],
  logs: Logs,
  seen: Seen,
  report: AnomalyCollector,
  { wwDeps }: CycleOptions,
  budget: Budget,
): void {
  const operations = all.filter((operation) => operation.assigned === null && committed(operation, seen))
  const edges: Readonly<Record<Kind, Edges>> = {
    ...dependencies(operations, logs, wwDeps),
    process: processOrder(history, operations),
    realtime: realTimeOrder(history, operations),
  }
  const graphOf = (kinds: readonly Kind[]): Graph => graph(operations.length, edges, kinds)
  // If all dependencies and both orders together have no cycle, no part of them has one.
  if (earliestOrder(graphOf(['ww', 'wr', 'process', 'realtime']), operations.length) !== null) return
  for (const kinds of [['ww'], ['ww', 'wr']] as const) {
    const needed = kinds.at(-1)!
    const name = needed === 'ww' ? 'G0' : 'G1c'
    let known: Int32Array | null = null
    for (const [suffix, order] of ORDERS) {
      budget.ask()
      const whole = graphOf([...order, ...kinds])
      const components = componentsOf(whole)
      reportCycles(history, operations, whole, components, known, needed, `${name}${suffix}`, report, budget)
      known = components
    }
  }
}

/** The edges of these kinds, those of a vertex in the order of the kinds. */
function graph(operations: number, edges: Readonly<Record<Kind, Edges>>, kinds: readonly Kind[]): Graph {
  let vertices = operations
  for (const kind of kinds) for (const vertex of edges[kind]) vertices = Math.max(vertices, vertex + 1)
  const offset = new Int32Array(vertices + 1)
  for (const kind of kinds) for (let e = 0; e < edges[kind].length; e += 2) offset[edges[kind][e] + 1]++
  for (let v = 0; v < vertices; v++) offset[v + 1] += offset[v]
  const target = new Int32Array(offset[vertices])
  const kindNumber = new Uint8Array(offset[vertices])
  const next = offset.slice()
  kinds.forEach((kind, number) => {
    const list = edges[kind]
    for (let e = 0; e < list.length; e += 2) {
      const at = next[list[e]]++
      target[at] = list[e + 1]
      kindNumber[at] = number
    }
  })
  return { operations, vertices, offset, target, kindOf: (edge) => kinds[kindNumber[edge]] }
}

function dependencies(
  operations: readonly LogOperation[],
  { byKey, index }: Logs,
  wwDeps: boolean,
): { ww: Edges; wr: Edges } {
  /** By the number of a message. */
  const writers = new Int32Array(index.length).fill(-1)
  operations.forEach(({ sends }, writer) => {
    for (const { number } of sends) writers[number] = writer
  })
  const wr: number[] = []
  operations.forEach(({ polled }, reader) => {
    for (const { number } of polled) {
      const writer = writers[number]
      if (writer >= 0 && writer !== reader) wr.push(writer, reader)
    }
  })
  const ww: number[] = []
  if (!wwDeps) return { ww, wr }
  for (const { sorted, offsets } of byKey.values()) {
    let before = -1
    for (const offset of sorted) {
      const writer = writers[offsets.get(offset)![0].number]
      if (before >= 0 && writer >= 0 && before !== writer) ww.push(before, writer)
      before = writer
    }
  }
  return { ww, wr }
}

function processOrder(history: History, operations: readonly LogOperation[]): Edges {
  const edges: number[] = []
  const last = new Int32Array(history.processes.length).fill(-1)
  operations.forEach(({ process, type }, vertex) => {
    if (history.processes[process] === null) return
    if (last[process] >= 0) edges.push(last[process], vertex)
    // One of unknown outcome may take effect after those that its client runs next.
    if (type === OK) last[process] = vertex
  })
  return edges
}

function realTimeOrder(history: History, operations: readonly LogOperation[]): Edges {
  const edges: number[] = []
  const vertexOf = new Int32Array(history.length).fill(-1)
  operations.forEach(({ position }, vertex) => (vertexOf[position] = vertex))
  let vertices = operations.length
  let barrier = -1
  for (const event of history.events()) {
    const position = Math.floor(event / 2)
    const vertex = vertexOf[position]
    if (vertex < 0) continue
    if (event % 2 === 0) {
      if (barrier >= 0) edges.push(barrier, vertex)
    } else if (history.type[position] === OK) {
      const next = vertices++
      edges.push(vertex, next)
      if (barrier >= 0) edges.push(barrier, next)
      barrier = next
    }
  }
  return edges
}

/** Vertex → number of its component, -1 for those on no cycle. */
function componentsOf(whole: Graph): Int32Array {
  const component = new Int32Array(whole.vertices).fill(-1)
  cyclicComponents(whole, null).forEach((members, number) => {
    for (const v of members) component[v] = number
  })
  return component
}

/** One cycle for each component that has the needed kind of edge and was no component without this order. */
function reportCycles(
  history: History,
  operations: readonly LogOperation[],
  whole: Graph,
  component: Int32Array,
  known: Int32Array | null,
  needed: Kind,
  type: string,
  report: AnomalyCollector,
  budget: Budget,
): void {
  const { offset, target, kindOf } = whole
  const done = new Set<number>()
  for (let from = 0; from < whole.operations; from++) {
    budget.ask()
    for (let e = offset[from]; e < offset[from + 1]; e++) {
      const to = target[e]
      if (kindOf(e) !== needed || !together(component, from, to) || done.has(component[from])) continue
      if (known !== null && together(known, from, to)) continue
      const back = shortestPath(whole, component, to, from)
      const steps = [{ from, kind: needed }, ...back].filter((step) => step.from < whole.operations)
      const ids = steps.map((step) => history.id[operations[step.from].position])
      const kinds = steps.map(({ kind }) => kind)
      done.add(component[from])
      report.add(type, ids, () => explain(ids, kinds), { kinds })
    }
  }
}

function together(component: Int32Array, a: number, b: number): boolean {
  return component[a] >= 0 && component[a] === component[b]
}

function shortestPath(
  { offset, target, kindOf }: Graph,
  component: Int32Array,
  from: number,
  to: number,
): { from: number; kind: Kind }[] {
  const previous = new Map<number, { from: number; kind: Kind }>()
  const queue = [from]
  for (const v of queue) {
    if (v === to) break
    for (let e = offset[v]; e < offset[v + 1]; e++) {
      const next = target[e]
      if (component[next] !== component[from] || next === from || previous.has(next)) continue
      previous.set(next, { from: v, kind: kindOf(e) })
      queue.push(next)
    }
  }
  const path: { from: number; kind: Kind }[] = []
  for (let v = to; v !== from; v = previous.get(v)!.from) path.push(previous.get(v)!)
  return path.reverse()
}

const BECAUSE: Readonly<Record<Kind, (a: number, b: number) => string>> = {
  wr: (a, b) => `${b} polled what ${a} sent`,
  ww: (a, b) => `a message of ${b} comes right after one of ${a} in a log`,
  process: (a, b) => `one client ran ${a} before ${b}`,
  realtime: (a, b) => `${a} completed before ${b} began`,
}

function explain(ids: readonly number[], kinds: readonly Kind[]): string {
  const steps = ids.map((id, i) => BECAUSE[kinds[i]](id, ids[(i + 1) % ids.length]))
  return `operations ${ids.join(', ')} would each have to come before the next: ${steps.join('; ')}`
}
