/**
 * One strongly connected component as a small graph of its own: vertices renumbered from 0, real-time order written
 * out as its transitive reduction, relays dissolved, and the edges between two vertices merged into one with a set of
 * kinds. Of these the *label* is the one by which a person would explain the edge: the first, in the order of
 * preference of the checker, that holds.
 */
import { REALTIME, type Rows } from './graph.ts'
import type { MicroOperations } from '../micro-operations.ts'
import { realtimeReduction } from './timeline.ts'

export interface Component {
  /** Transaction of each vertex, ascending. */
  readonly members: readonly number[]
  readonly offset: Int32Array
  readonly target: Int32Array
  /** All kinds of an edge. */
  readonly kinds: Uint8Array
  /** The one by which it is explained. */
  readonly label: Uint8Array
}

export interface ComponentOptions {
  readonly realtime: boolean
  /** Kinds, most telling first. */
  readonly preference: readonly number[]
}

export function component(
  txns: MicroOperations,
  rows: Rows,
  vertices: readonly number[],
  { realtime, preference }: ComponentOptions,
): Component {
  const members = vertices.filter((v) => v < txns.count)
  const number = new Map<number, number>()
  for (let i = 0; i < members.length; i++) number.set(members[i], i)
  const out: Map<number, number>[] = Array.from({ length: members.length }, () => new Map<number, number>())
  const link = (from: number, to: number, kind: number): void => {
    const edges = out[from]
    edges.set(to, (edges.get(to) ?? 0) | kind)
  }
  members.forEach((v, from) => {
    for (const [to, kind] of directEdges(txns, rows, v)) {
      const target = number.get(to)
      if (target !== undefined && target !== from) link(from, target, kind)
    }
  })
  if (realtime) {
    realtimeReduction(txns, members, (from, to) => link(number.get(from)!, number.get(to)!, REALTIME))
  }
  return freeze(members, out, preference)
}

/** Edges from a transaction to transactions, with relays passed through. */
function* directEdges(
  txns: MicroOperations,
  { offset, target, kind }: Rows,
  v: number,
): Generator<readonly [number, number]> {
  const relays: number[] = []
  const seen = new Set<number>()
  for (let at = offset[v]; at < offset[v + 1]; at++) {
    if (target[at] < txns.count) yield [target[at], kind[at]]
    else relays.push(target[at])
  }
  for (let relay = relays.pop(); relay !== undefined; relay = relays.pop()) {
    if (seen.has(relay)) continue
    seen.add(relay)
    for (let at = offset[relay]; at < offset[relay + 1]; at++) {
      if (target[at] < txns.count) yield [target[at], kind[at]]
      else relays.push(target[at])
    }
  }
}

function freeze(
  members: readonly number[],
  out: readonly Map<number, number>[],
  preference: readonly number[],
): Component {
  const offset = new Int32Array(members.length + 1)
  for (let i = 0; i < members.length; i++) offset[i + 1] = offset[i] + out[i].size
  const size = offset[members.length]
  const target = new Int32Array(size)
  const kinds = new Uint8Array(size)
  const label = new Uint8Array(size)
  let at = 0
  for (const edges of out) {
    for (const to of [...edges.keys()].sort((a, b) => a - b)) {
      const mask = edges.get(to)!
      target[at] = to
      kinds[at] = mask
      label[at++] = preference.find((kind) => (mask & kind) !== 0) ?? mask
    }
  }
  return { members, offset, target, kinds, label }
}
