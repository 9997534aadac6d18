/**
 * What is shown for a level that does not hold: a cycle of what is known, two writers that can be in no order, a read
 * of the initial state by a transaction that could see more.
 */
import { show } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import { cyclicComponents } from '../cycles/components.ts'
import type { CycleDetails, CycleStep } from '../cycles/explanation.ts'
import { KIND_NAMES, PROCESS, REALTIME, RW, WR, WW, type Rows } from '../cycles/graph.ts'
import { operationId } from '../micro-operations.ts'
import { shortestCycle } from '../cycles/shortest-cycle.ts'
import type { Polygraph, WriterPair } from './polygraph.ts'
import { INITIAL, type ReadsFrom } from './reads-from.ts'
import type { Demand } from './weak-levels.ts'

function id(facts: ReadsFrom, t: number): number {
  return operationId(facts.txns, facts.transaction[t])
}

export function staleRead(facts: ReadsFrom, { earlier, reader, key }: Demand): Anomaly {
  const name = facts.txns.keys[key]
  return {
    type: 'stale-read',
    message: `operation ${id(facts, reader)} read the initial state of key ${show(name)}, though it could see operation ${id(facts, earlier)}, which wrote it`,
    operations: [id(facts, reader), id(facts, earlier)],
    details: { key: name },
  }
}

/**
 * Two writers of a key of which neither can come first: for either order, the steps that lead from its consequence
 * back to its cause.
 */
export function pairAnomaly(level: string, polygraph: Polygraph, rows: Rows, pair: WriterPair): Anomaly {
  const facts = polygraph.history
  const { key, first, second } = pair
  const name = facts.txns.keys[key]
  const [a, b] = [id(facts, first), id(facts, second)]
  const ifFirst = contradiction(polygraph, rows, key, first, second)
  const ifSecond = contradiction(polygraph, rows, key, second, first)
  return {
    type: `${level}-violation`,
    message:
      `Operations ${a} and ${b} both wrote key ${show(name)}. If ${a} came first, then ${describe(ifFirst)}: a contradiction. ` +
      `If ${b} came first, then ${describe(ifSecond)}: a contradiction.`,
    operations: [a, b],
    details: { key: name, ifFirst, ifSecond },
  }
}

/** Writers whose orders the search found to be impossible together. */
export function searchAnomaly(facts: ReadsFrom, level: string, pairs: readonly WriterPair[]): Anomaly {
  const keys = [...new Set(pairs.map(({ key }) => facts.txns.keys[key]))]
  const operations = [...new Set(pairs.flatMap(({ first, second }) => [id(facts, first), id(facts, second)]))]
  const shown = keys.slice(0, 8).map((key) => show(key))
  return {
    type: `${level}-violation`,
    message: `no order in which the writers of key${keys.length === 1 ? '' : 's'} ${shown.join(', ')}${keys.length > 8 ? ', …' : ''} may have taken effect agrees with what was read`,
    operations,
    details: { keys },
  }
}

function describe(steps: readonly CycleStep[]): string {
  return steps.map(({ from, to, because }) => `${from} < ${to}, because ${because}`).join(', and ')
}

/** A cycle that begins with what follows from `first` before `second`. */
function contradiction(
  polygraph: Polygraph,
  rows: Rows,
  key: number,
  first: number,
  second: number,
): CycleStep[] {
  let best: number[] | null = null
  let start = { from: 0, to: 0, kind: 0 }
  polygraph.consequences(key, first, second, (from, to, kind) => {
    const path = shortestPath(rows, to, from)
    if (path === null || (best !== null && best.length <= path.length)) return
    best = path
    start = { from, to, kind }
  })
  const vertices: readonly number[] = best ?? []
  return transactionSteps(
    polygraph.history,
    [start.from, ...vertices.slice(0, -1)],
    (v, w) => {
      const known = kindOf(rows, v, w)
      return v === start.from && w === start.to ? start.kind : known
    },
    (v) => polygraph.transactionOf(v),
  ).map(({ t, next, kind }) => {
    const facts = polygraph.history
    const [a, b] = [id(facts, t), id(facts, next)]
    const about = t === polygraph.transactionOf(start.from) ? key : -1
    const reason = because(facts, [], t, next, kind, String(a), String(b), about)
    return { from: a, to: b, kind: KIND_NAMES.get(kind) ?? '', ...reason }
  })
}

interface TransactionStep {
  readonly t: number
  readonly next: number
  readonly kind: number
}

/** A cycle of vertices as a cycle of transactions: vertices of one are one, and what is none is passed through. */
function transactionSteps(
  facts: ReadsFrom,
  cycle: readonly number[],
  kind: (from: number, to: number) => number,
  transactionOf: (vertex: number) => number,
): TransactionStep[] {
  const leaving: { t: number; kind: number }[] = []
  cycle.forEach((v, i) => {
    const t = transactionOf(v)
    const w = cycle[(i + 1) % cycle.length]
    if (t >= 0 && t < facts.count && transactionOf(w) !== t) leaving.push({ t, kind: kind(v, w) })
  })
  return leaving.map((step, i) => ({ ...step, next: leaving[(i + 1) % leaving.length].t }))
}

/** Vertices after `from`, up to and including `to`. */
function shortestPath({ offset, target }: Rows, from: number, to: number): number[] | null {
  const parent = new Map<number, number>([[from, -1]])
  const queue = [from]
  for (const v of queue) {
    if (v === to) {
      const path: number[] = []
      for (let at = v; at !== -1; at = parent.get(at)!) path.push(at)
      return path.reverse()
    }
    for (let e = offset[v]; e < offset[v + 1]; e++) {
      if (parent.has(target[e])) continue
      parent.set(target[e], v)
      queue.push(target[e])
    }
  }
  return null
}

/** A cycle of what is known or demanded, in words. `perTransaction` is how many vertices a transaction has. */
export function cycleAnomaly(
  facts: ReadsFrom,
  level: string,
  rows: Rows,
  demands: readonly Demand[],
  perTransaction = 1,
): Anomaly {
  const cycle = shortestCycle(rows, cyclicComponents(rows, null)[0])
  const steps = transactionSteps(
    facts,
    cycle,
    (v, w) => kindOf(rows, v, w),
    (v) => Math.floor(v / perTransaction),
  )
  const name = (i: number): string => `T${(i % steps.length) + 1}`
  const edges = steps.map(({ t, next, kind }, i): CycleStep => {
    const reason = because(facts, demands, t, next, kind, name(i), name(i + 1))
    return { from: id(facts, t), to: id(facts, next), kind: KIND_NAMES.get(kind) ?? '', ...reason }
  })
  const sentences = edges.map(
    (edge, i) =>
      `${i === edges.length - 1 ? 'However, ' : ''}${name(i)} < ${name(i + 1)}, because ${edge.because}`,
  )
  const lets = steps.map(({ t }, i) => `${name(i)} = operation ${id(facts, t)}`)
  const { history, position } = facts.txns
  const details: CycleDetails = {
    cycle: edges,
    transactions: steps.map(({ t }, i) => {
      const at = position[facts.transaction[t]]
      return { name: name(i), operation: id(facts, t), value: history.output[at] ?? history.input[at] }
    }),
  }
  return {
    type: `${level}-violation`,
    message: `Let ${lets.join(', ')}. ${sentences.join('. ')}: a contradiction.`,
    operations: steps.map(({ t }) => id(facts, t)),
    details,
  }
}

function kindOf({ offset, target, kind }: Rows, from: number, to: number): number {
  for (let e = offset[from]; e < offset[from + 1]; e++) if (target[e] === to) return kind[e]
  return 0
}

function because(
  facts: ReadsFrom,
  demands: readonly Demand[],
  a: number,
  b: number,
  kind: number,
  nameA: string,
  nameB: string,
  /** The key to speak of, if it is one of those that give the edge. */
  about = -1,
): { readonly because: string; readonly key?: unknown } {
  const { readStart, readKey, readSource, writeStart, writeKey, txns } = facts
  if (kind === PROCESS) return { because: `${nameA} came before ${nameB} in its session` }
  if (kind === REALTIME) return { because: `${nameA} was over before ${nameB} began` }
  const writes = (t: number): ReadonlySet<number> =>
    new Set(writeKey.subarray(writeStart[t], writeStart[t + 1]))
  if (kind === WW) {
    const demand = demands.find(({ earlier, later }) => earlier === a && later === b)
    if (demand !== undefined) {
      const key = txns.keys[demand.key]
      const reader = id(facts, demand.reader)
      return {
        key,
        because: `operation ${reader} could see ${nameA}'s write of key ${show(key)} and read ${nameB}'s`,
      }
    }
    const shared = [...writes(a)].find((key) => writes(b).has(key))
    const key = shared === undefined ? null : txns.keys[shared]
    return { key, because: `${nameB}'s write of key ${show(key)} must come after ${nameA}'s` }
  }
  const [reader, other] = kind === WR ? [b, a] : [a, b]
  const wanted = writes(other)
  // A read of the initial state precedes every write; other reads, only those of later versions.
  let best = -1
  let rank = 0
  for (let r = readStart[reader]; r < readStart[reader + 1]; r++) {
    if (!wanted.has(readKey[r]) || (kind === WR) !== (readSource[r] === other)) continue
    const value = readKey[r] === about ? 3 : readSource[r] === INITIAL ? 2 : 1
    if (value > rank) [best, rank] = [readKey[r], value]
  }
  if (best >= 0) {
    const key = txns.keys[best]
    const seen = `key ${show(key)}`
    return kind === WR
      ? { key, because: `${nameB} read ${seen} from ${nameA}` }
      : { key, because: `${nameA} read ${seen} before ${nameB}'s write of it` }
  }
  return { because: kind === RW ? `${nameA} did not see what ${nameB} wrote` : 'of what they read' }
}
