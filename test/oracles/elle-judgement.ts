/**
 * What it takes to compare a verdict with Elle's: its history and options in our terms, and naive re-derivations that
 * share no code with the checkers, so that a difference can be justified and not just listed.
 */
import { History, type HistoryEvent } from '../../src/history/index.ts'
import type { ListAppendOptions, RwRegisterOptions } from '../../src/checkers/transactions/index.ts'

export interface Expected {
  readonly valid: boolean | 'unknown'
  readonly anomaly_types?: readonly string[] | null
  readonly not?: readonly string[] | null
  readonly also_not?: readonly string[] | null
  readonly error?: string
}

type MicroOperation = readonly [string, unknown, unknown]
type CorpusEvent = readonly ['i' | 'o' | 'f' | 'n', number, readonly MicroOperation[]]

export interface CorpusLine {
  readonly id: string
  readonly mutation: string
  /** The simulated database: brat (no isolation), prefix, si or ssi. */
  readonly sim: { readonly db: string }
  readonly opts: Readonly<Record<string, unknown>>
  readonly history: readonly CorpusEvent[]
  readonly expected: Expected
}

export interface Case {
  readonly id: string
  readonly checker: 'list-append' | 'rw-register'
  readonly opts: Readonly<Record<string, unknown>>
  readonly history: readonly HistoryEvent[]
  readonly expected: Expected
}

const TYPES = { i: 'invoke', o: 'ok', f: 'fail', n: 'info' } as const

export function corpusHistory(line: CorpusLine): History {
  return History.from(
    line.history.map(([type, process, value]) => ({ type: TYPES[type], process, f: 'txn', value })),
  )
}

export function caseHistory({ history }: Case): History {
  return History.from(
    history.map(({ type, process, f, value }) => ({ type, process: process ?? null, f: f ?? null, value })),
  )
}

/** Elle's options in our names; models given as null mean none. */
export function options(opts: Readonly<Record<string, unknown>>): ListAppendOptions & RwRegisterOptions {
  const order = opts['transaction-order'] as Readonly<Record<string, number>> | undefined
  return {
    consistencyModels:
      'consistency-models' in opts ? ((opts['consistency-models'] as string[] | null) ?? []) : undefined,
    anomalies: opts['anomalies'] as string[] | undefined,
    wfrKeys: opts['wfr-keys?'] as boolean | undefined,
    sequentialKeys: opts['sequential-keys?'] as boolean | undefined,
    linearizableKeys: opts['linearizable-keys?'] as boolean | undefined,
    transactionOrder: order && new Map(Object.entries(order).map(([index, place]) => [Number(index), place])),
  }
}

export function verdictOf({ valid }: Expected): string {
  return valid === true ? 'valid' : valid === false ? 'invalid' : 'unknown'
}

/** The longest reads of each key. More than one means that the version order is anybody's choice. */
export function longestReads(line: CorpusLine): Map<unknown, Set<string>> {
  const longest = new Map<unknown, { length: number; reads: Set<string> }>()
  for (const [type, , value] of line.history) {
    if (type !== 'o') continue
    for (const [f, key, read] of value) {
      if (f !== 'r' || !Array.isArray(read) || read.length === 0) continue
      const best = longest.get(key)
      if (best === undefined || read.length > best.length) {
        longest.set(key, { length: read.length, reads: new Set([JSON.stringify(read)]) })
      } else if (read.length === best.length) best.reads.add(JSON.stringify(read))
    }
  }
  return new Map([...longest].map(([key, { reads }]) => [key, reads]))
}

interface Step {
  readonly from: number
  readonly to: number
  readonly kind: string
}

/** Whether a list-append dependency holds, by its definition and nothing else. */
export function dependencyHolds(line: CorpusLine, history: History, step: Step): boolean {
  const a = position(history, step.from)
  const b = position(history, step.to)
  if (step.kind === 'realtime')
    return history.completeIndex[a] < history.invokeIndex[b] && history.type[a] === 0
  const orders = longestReads(line)
  return (body(history, b) as MicroOperation[]).some(([f, key, value]) => {
    const others = (body(history, a) as MicroOperation[]).filter(([, k]) => k === key)
    if (step.kind === 'wr') {
      return (
        f === 'r' && Array.isArray(value) && others.some(([g, , e]) => g === 'append' && e === value.at(-1))
      )
    }
    if (f !== 'append') return false
    return [...(orders.get(key) ?? ['[]'])].some((text) => {
      const order = [...new Set(JSON.parse(text) as unknown[])]
      const at = order.indexOf(value)
      const previous = at < 0 ? order.at(-1) : order[at - 1]
      return others.some(([g, , e]) =>
        step.kind === 'ww' ? g === 'append' && e === previous : g === 'r' && lastOf(e) === previous,
      )
    })
  })
}

function lastOf(read: unknown): unknown {
  return Array.isArray(read) ? (read.at(-1) as unknown) : undefined
}

function position(history: History, id: number): number {
  return history.id.indexOf(id)
}

function body(history: History, at: number): unknown {
  return history.output[at] ?? history.input[at]
}

/** Values of registers that were read though no transaction wrote them, per key, and whether null was read too. */
export function unwrittenReads(line: CorpusLine): boolean {
  const written = new Set<string>()
  const read = new Map<unknown, Set<unknown>>()
  for (const [type, , value] of line.history) {
    for (const [f, key, v] of value) {
      if (f === 'w' || f === 'append') written.add(JSON.stringify([key, v]))
      else if (type === 'o') {
        const elements: unknown[] = Array.isArray(v) ? v : [v]
        for (const e of elements) read.set(key, (read.get(key) ?? new Set()).add(e))
      }
    }
  }
  return [...read].some(([key, values]) =>
    [...values].some((v) => v !== null && !written.has(JSON.stringify([key, v]))),
  )
}

/**
 * Whether some cycle of versions follows from: the initial state is first, writes follow reads, and what is over in
 * real time before something else begins has the earlier version. All pairs, no cleverness.
 */
export function versionsAreCyclic(line: CorpusLine): boolean {
  const history = corpusHistory(line)
  const edges = new Map<string, Set<string>>()
  const link = (key: unknown, a: unknown, b: unknown): void => {
    if (a === b) return
    const from = JSON.stringify([key, a])
    edges.set(from, (edges.get(from) ?? new Set()).add(JSON.stringify([key, b])))
  }
  const outside: { first: Map<unknown, unknown>; last: Map<unknown, unknown> }[] = []
  for (let i = 0; i < history.length; i++) {
    const first = new Map<unknown, unknown>()
    const last = new Map<unknown, unknown>()
    outside.push({ first, last })
    if (history.type[i] === 1) continue
    const reads = new Map<unknown, unknown>()
    const writes = new Map<unknown, unknown>()
    for (const [f, key, value] of body(history, i) as MicroOperation[]) {
      if (f === 'w') writes.set(key, value)
      else if (!reads.has(key) && !writes.has(key) && history.type[i] === 0) reads.set(key, value)
    }
    for (const key of new Set([...reads.keys(), ...writes.keys()])) {
      first.set(key, reads.get(key) ?? writes.get(key) ?? null)
      last.set(key, writes.get(key) ?? reads.get(key) ?? null)
      link(key, null, first.get(key))
      link(key, null, last.get(key))
      if (typeof reads.get(key) === 'number' && writes.has(key)) link(key, reads.get(key), writes.get(key))
    }
  }
  for (let a = 0; a < history.length; a++) {
    if (history.type[a] !== 0) continue
    for (let b = 0; b < history.length; b++) {
      if (history.completeIndex[a] >= history.invokeIndex[b]) continue
      for (const [key, value] of outside[a].last) {
        if (outside[b].first.has(key)) link(key, value, outside[b].first.get(key))
      }
    }
  }
  return hasCycle(edges)
}

/** By taking away what nothing precedes, until nothing is left or nothing can be taken. */
function hasCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const degree = new Map<string, number>()
  for (const targets of edges.values()) for (const to of targets) degree.set(to, (degree.get(to) ?? 0) + 1)
  const free = [...edges.keys()].filter((v) => !degree.has(v))
  let left = [...edges.values()].reduce((sum, targets) => sum + targets.size, 0)
  for (let v = free.pop(); v !== undefined; v = free.pop()) {
    for (const to of edges.get(v) ?? []) {
      left--
      degree.set(to, degree.get(to)! - 1)
      if (degree.get(to) === 0) free.push(to)
    }
  }
  return left > 0
}
