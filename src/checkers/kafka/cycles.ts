/**
 * Cycles of dependency between operations on logs: `wr`, somebody polled what another sent; `ww`, one message comes
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
import { cyclicComponents } from '../transactions/components.ts'
import { committed, type Logs } from './log.ts'
import type { LogOperation } from './micro-operations.ts'
import type { ValueKey } from '../../history/value.ts'

type Kind = 'ww' | 'wr' | 'process' | 'realtime'

interface Edge {
  readonly to: number
  readonly kind: Kind
}

/** Vertices below `operations` are operations, the others barriers of real time. */
interface Graph {
  readonly operations: number
  readonly edges: Edge[][]
}

export interface CycleOptions {
  readonly wwDeps: boolean
}

export function findCycles(
  history: History,
  all: readonly LogOperation[],
  logs: Logs,
  seen: ReadonlyMap<string, ReadonlySet<ValueKey>>,
  report: AnomalyCollector,
  { wwDeps }: CycleOptions,
  budget: Budget,
): void {
  const operations = all.filter((operation) => operation.assigned === null && committed(operation, seen))
  const dependencies = dependencyEdges(operations, logs, wwDeps)
  if (isAcyclic(history, operations, dependencies)) return
  const orders = [
    ['', emptyGraph(operations.length)],
    ['-process', processOrder(history, operations)],
    ['-realtime', realTimeOrder(history, operations)],
  ] as const
  for (const kinds of [['ww'], ['ww', 'wr']] as const) {
    const needed = kinds.at(-1)!
    const name = needed === 'ww' ? 'G0' : 'G1c'
    let known: Int32Array | null = null
    for (const [suffix, order] of orders) {
      budget.ask()
      const graph = union(order, dependencies, kinds)
      const components = componentsOf(graph)
      reportCycles(history, operations, graph, components, known, needed, `${name}${suffix}`, report, budget)
      known = components
    }
  }
}

/** Whether all dependencies and both orders together have no cycle: then no part of them has one. */
function isAcyclic(
  history: History,
  operations: readonly LogOperation[],
  dependencies: readonly [number, Edge][],
): boolean {
  const realTime = realTimeOrder(history, operations)
  const process = processOrder(history, operations)
  const vertices = realTime.edges.length
  const offset = new Int32Array(vertices + 1)
  const each = (visit: (from: number, to: number) => void): void => {
    realTime.edges.forEach((list, from) => {
      for (const { to } of list) visit(from, to)
    })
    process.edges.forEach((list, from) => {
      for (const { to } of list) visit(from, to)
    })
    for (const [from, { to }] of dependencies) visit(from, to)
  }
  each((from) => offset[from + 1]++)
  for (let v = 0; v < vertices; v++) offset[v + 1] += offset[v]
  const target = new Int32Array(offset[vertices])
  const next = offset.slice()
  each((from, to) => (target[next[from]++] = to))
  return earliestOrder({ vertices, offset, target }, operations.length) !== null
}

function emptyGraph(operations: number): Graph {
  return { operations, edges: Array.from({ length: operations }, () => []) }
}

function dependencyEdges(operations: readonly LogOperation[], logs: Logs, wwDeps: boolean): [number, Edge][] {
  const writers = new Map<string, Map<ValueKey, number>>()
  operations.forEach(({ sends }, writer) => {
    for (const { key, id } of sends) {
      const ofKey = writers.get(key)
      if (ofKey === undefined) writers.set(key, new Map([[id, writer]]))
      else ofKey.set(id, writer)
    }
  })
  const edges: [number, Edge][] = []
  operations.forEach(({ polled }, reader) => {
    for (const { key, id } of polled) {
      const writer = writers.get(key)?.get(id)
      if (writer !== undefined && writer !== reader) edges.push([writer, { to: reader, kind: 'wr' }])
    }
  })
  if (!wwDeps) return edges
  for (const log of logs.values()) {
    let before: number | undefined
    for (const [{ key, id }] of log.messages()) {
      const writer = writers.get(key)?.get(id)
      if (before !== undefined && writer !== undefined && before !== writer)
        edges.push([before, { to: writer, kind: 'ww' }])
      before = writer
    }
  }
  return edges
}

function processOrder(history: History, operations: readonly LogOperation[]): Graph {
  const graph = emptyGraph(operations.length)
  const last = new Map<number, number>()
  operations.forEach(({ process, type }, vertex) => {
    if (history.processes[process] === null) return
    const before = last.get(process)
    if (before !== undefined) graph.edges[before].push({ to: vertex, kind: 'process' })
    // One of unknown outcome may take effect after those that its client runs next.
    if (type === OK) last.set(process, vertex)
  })
  return graph
}

function realTimeOrder(history: History, operations: readonly LogOperation[]): Graph {
  const graph = emptyGraph(operations.length)
  const vertexOf = new Map(operations.map(({ position }, vertex) => [position, vertex]))
  let barrier = -1
  for (const event of history.events()) {
    const position = Math.floor(event / 2)
    const vertex = vertexOf.get(position)
    if (vertex === undefined) continue
    if (event % 2 === 0) {
      if (barrier >= 0) graph.edges[barrier].push({ to: vertex, kind: 'realtime' })
    } else if (history.type[position] === OK) {
      const next = graph.edges.push([]) - 1
      graph.edges[vertex].push({ to: next, kind: 'realtime' })
      if (barrier >= 0) graph.edges[barrier].push({ to: next, kind: 'realtime' })
      barrier = next
    }
  }
  return graph
}

function union(order: Graph, dependencies: readonly [number, Edge][], kinds: readonly Kind[]): Graph {
  const edges = order.edges.map((list) => [...list])
  for (const [from, edge] of dependencies) if (kinds.includes(edge.kind)) edges[from].push(edge)
  return { operations: order.operations, edges }
}

/** Vertex → number of its component, -1 for those on no cycle. */
function componentsOf({ edges }: Graph): Int32Array {
  const offset = new Int32Array(edges.length + 1)
  edges.forEach((list, v) => (offset[v + 1] = offset[v] + list.length))
  const target = Int32Array.from(edges.flatMap((list) => list.map(({ to }) => to)))
  const component = new Int32Array(edges.length).fill(-1)
  cyclicComponents({ vertices: edges.length, offset, target }, null).forEach((members, number) => {
    for (const v of members) component[v] = number
  })
  return component
}

/** One cycle for each component that has the needed kind of edge and was no component without this order. */
function reportCycles(
  history: History,
  operations: readonly LogOperation[],
  graph: Graph,
  component: Int32Array,
  known: Int32Array | null,
  needed: Kind,
  type: string,
  report: AnomalyCollector,
  budget: Budget,
): void {
  const done = new Set<number>()
  for (let from = 0; from < graph.operations; from++) {
    budget.ask()
    for (const { to, kind } of graph.edges[from]) {
      if (kind !== needed || !together(component, from, to) || done.has(component[from])) continue
      if (known !== null && together(known, from, to)) continue
      const back = shortestPath(graph, component, to, from)
      const steps = [{ from, kind }, ...back].filter((step) => step.from < graph.operations)
      const ids = steps.map((step) => history.id[operations[step.from].position])
      done.add(component[from])
      report.add(
        type,
        ids,
        () =>
          explain(
            ids,
            steps.map((step) => step.kind),
          ),
        { kinds: steps.map((step) => step.kind) },
      )
    }
  }
}

function together(component: Int32Array, a: number, b: number): boolean {
  return component[a] >= 0 && component[a] === component[b]
}

function shortestPath(
  graph: Graph,
  component: Int32Array,
  from: number,
  to: number,
): { from: number; kind: Kind }[] {
  const previous = new Map<number, { from: number; kind: Kind }>()
  const queue = [from]
  for (const v of queue) {
    if (v === to) break
    for (const edge of graph.edges[v]) {
      if (component[edge.to] !== component[from] || edge.to === from || previous.has(edge.to)) continue
      previous.set(edge.to, { from: v, kind: edge.kind })
      queue.push(edge.to)
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
