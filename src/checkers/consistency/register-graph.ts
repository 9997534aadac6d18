/**
 * A history of reads and writes as a graph, for the models that are weaker than linearizability: who came before whom
 * in a session (session order), and which write each read saw (reads-from). All of them need written values to be
 * different from each other within a key, since otherwise it is unknown which write a read saw.
 *
 * A session is a process; an operation without process is a session of its own. A write of unknown outcome comes
 * after what its session did before, but not before what it does later: it may take effect late. It is left out if
 * no read saw its value. Reads of unknown outcome and failed operations say nothing.
 */
import { INFO, OK, type History } from '../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../history/value.ts'
import { anything, type OptionSchema } from '../options.ts'
import type { Anomaly } from '../result.ts'

/** `source` of a read that saw the initial value. */
export const INITIAL = -1

export interface RegisterGraph {
  readonly history: History
  /** Nodes in session order, sessions one after the other. */
  readonly count: number
  readonly position: Int32Array
  readonly isWrite: Uint8Array
  /** Number of the key. */
  readonly key: Int32Array
  readonly session: Int32Array
  /** Place within the session, from 0. */
  readonly place: Int32Array
  /** The node before in the session's order, or -1. */
  readonly previous: Int32Array
  /** For reads: the write that was seen, or `INITIAL`; for writes themselves. */
  readonly source: Int32Array
  readonly sessions: number
  /** Reads that saw what no client wrote. */
  readonly thinAir: readonly Anomaly[]
}

export interface RegisterGraphOptions {
  /** The value of a key before any write; null by default. */
  readonly initial?: unknown
}

export const REGISTER_GRAPH_OPTIONS: OptionSchema<RegisterGraphOptions> = {
  initial: anything('the value of a key before any write; null by default'),
}

/** The graph, or a sentence that says why the history is too weak. */
export function registerGraph(
  history: History,
  { initial = null }: RegisterGraphOptions = {},
): RegisterGraph | string {
  const kinds = history.functions.map(kindOf)
  const foreign = history.functions.findIndex((_, f) => kinds[f] === null && history.f.includes(f))
  if (foreign >= 0)
    return `the function ${show(history.functions[foreign], 40)} is neither a read nor a write`
  const writers = new Map<ValueKey, number>()
  const valueOf = (position: number, value: unknown): ValueKey =>
    `${history.key[position]},${String(valueKey(value ?? null))},${typeof value}`
  for (let i = 0; i < history.length; i++) {
    if (kinds[history.f[i]] !== 'write' || (history.type[i] !== OK && history.type[i] !== INFO)) continue
    const value = valueOf(i, history.input[i])
    if (writers.has(value) || valueKey(history.input[i] ?? null) === valueKey(initial)) {
      return `the value ${show(history.input[i])} of key ${show(history.keys[history.key[i]])} was written more than once, so it is unknown which write a read saw`
    }
    writers.set(value, i)
  }
  const seen = new Set<number>()
  const sourceOf = new Map<number, number>()
  const thinAir: Anomaly[] = []
  for (let i = 0; i < history.length; i++) {
    if (kinds[history.f[i]] !== 'read' || history.type[i] !== OK) continue
    const value = valueKey(history.output[i] ?? null)
    const writer = writers.get(valueOf(i, history.output[i]))
    if (writer !== undefined) {
      seen.add(writer)
      sourceOf.set(i, writer)
    } else if (value === valueKey(initial)) sourceOf.set(i, INITIAL)
    else thinAir.push(outOfThinAir(history, i))
  }
  const kept = (i: number): boolean => {
    if (kinds[history.f[i]] === 'read') return sourceOf.has(i)
    return history.type[i] === OK || (history.type[i] === INFO && seen.has(i))
  }
  return assemble(history, kept, sourceOf, thinAir)
}

function kindOf(f: string): 'read' | 'write' | null {
  if (f === 'read' || f === 'get') return 'read'
  return f === 'write' || f === 'put' ? 'write' : null
}

function assemble(
  history: History,
  kept: (position: number) => boolean,
  sourceOf: ReadonlyMap<number, number>,
  thinAir: readonly Anomaly[],
): RegisterGraph {
  const bySession = new Map<number, number[]>()
  let alone = history.processes.length
  for (let i = 0; i < history.length; i++) {
    if (!kept(i)) continue
    const process = history.processes[history.process[i]] === null ? alone++ : history.process[i]
    const list = bySession.get(process)
    if (list === undefined) bySession.set(process, [i])
    else list.push(i)
  }
  const order = [...bySession.values()].flatMap((list) =>
    list.sort((a, b) => history.invokeIndex[a] - history.invokeIndex[b]),
  )
  const count = order.length
  const nodeOf = new Map(order.map((position, node) => [position, node]))
  const session = new Int32Array(count)
  const place = new Int32Array(count)
  const previous = new Int32Array(count).fill(-1)
  let sessions = 0
  let node = 0
  for (const list of bySession.values()) {
    const own = sessions++
    let last = -1
    let places = 0
    for (const position of list) {
      previous[node] = last
      if (history.type[position] === INFO) {
        session[node] = sessions++
      } else {
        session[node] = own
        place[node] = places++
        last = node
      }
      node++
    }
  }
  return {
    history,
    count,
    position: Int32Array.from(order),
    isWrite: Uint8Array.from(order, (position) => (sourceOf.has(position) ? 0 : 1)),
    key: Int32Array.from(order, (position) => history.key[position]),
    session,
    place,
    previous,
    source: Int32Array.from(order, (position, at) => {
      const writer = sourceOf.get(position)
      return writer === undefined ? at : writer === INITIAL ? INITIAL : nodeOf.get(writer)!
    }),
    sessions,
    thinAir,
  }
}

function outOfThinAir(history: History, position: number): Anomaly {
  return {
    type: 'thin-air-read',
    message: `operation ${history.id[position]} read ${show(history.output[position])}, which no client wrote`,
    operations: [history.id[position]],
  }
}

/** Sessions that read anything: only they can contradict an order. */
export function readingSessions({ count, isWrite, session }: RegisterGraph): ReadonlySet<number> {
  const sessions = new Set<number>()
  for (let node = 0; node < count; node++) if (isWrite[node] === 0) sessions.add(session[node])
  return sessions
}

/** `operation 7 (write 3)`. */
export function nameOf({ history, position, isWrite }: RegisterGraph, node: number): string {
  const at = position[node]
  const value = isWrite[node] === 1 ? history.input[at] : history.output[at]
  const key = history.keys[history.key[at]]
  return `operation ${history.id[at]} (${isWrite[node] === 1 ? 'write' : 'read'} ${key === null ? '' : `${show(key, 20)} = `}${show(value, 40)})`
}

export function idOf({ history, position }: RegisterGraph, node: number): number {
  return history.id[position[node]]
}
