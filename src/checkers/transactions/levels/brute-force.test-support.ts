/**
 * Isolation levels by definition, for small histories: all orders of commits, all subsets of unknown transactions, all
 * snapshots. Shares no code with the checkers it is there to test.
 */
import { FAIL, INFO, type History } from '../../../history/history.ts'

export type BruteLevel =
  | 'read-committed'
  | 'read-atomic'
  | 'causal'
  | 'prefix'
  | 'snapshot-isolation'
  | 'serializable'
  | 'strict-serializable'

interface Transaction {
  readonly at: number
  readonly process: number
  readonly unknown: boolean
  /** `[f, key, value]`, reads only where their result is known. */
  readonly body: readonly (readonly [string, unknown, unknown])[]
}

export interface BruteForceOptions {
  /** Whether the transactions of a process must follow each other. */
  readonly sessions: boolean
}

export function bruteForce(
  history: History,
  level: BruteLevel,
  { sessions }: BruteForceOptions = { sessions: true },
): boolean {
  const all: Transaction[] = []
  for (let i = 0; i < history.length; i++) {
    if (history.type[i] === FAIL) continue
    const unknown = history.type[i] === INFO
    const body = ((unknown ? history.input[i] : history.output[i]) as Transaction['body']).filter(
      ([f]) => f !== 'r' || !unknown,
    )
    all.push({ at: i, process: sessions ? history.process[i] : i, unknown, body })
  }
  const optional = all.filter(({ unknown }) => unknown)
  for (let subset = 0; subset < 1 << optional.length; subset++) {
    const happened = all.filter((t) => !t.unknown || ((subset >> optional.indexOf(t)) & 1) === 1)
    const judge =
      level === 'read-committed' || level === 'read-atomic' || level === 'causal' ? axiomatic : operational
    if (judge(history, happened, level)) return true
  }
  return false
}

/** Session order: unknown transactions come after what their process did before, and nothing comes after them. */
function precedes(a: Transaction, b: Transaction): boolean {
  return a.process === b.process && a.at < b.at && !a.unknown
}

/** Reads that are not of its own writes. */
function outsideReads({ body }: Transaction): (readonly [unknown, unknown])[] {
  const own = new Set<unknown>()
  const reads: (readonly [unknown, unknown])[] = []
  for (const [f, key, value] of body) {
    if (f === 'w') own.add(key)
    else if (!own.has(key)) reads.push([key, value])
  }
  return reads
}

function lastWrites({ body }: Transaction): Map<unknown, unknown> {
  return new Map(body.filter(([f]) => f === 'w').map(([, key, value]) => [key, value]))
}

type State = ReadonlyMap<unknown, unknown>

function writtenKeys({ body }: Transaction): Set<unknown> {
  return new Set(body.filter(([f]) => f !== 'r').map(([, key]) => key))
}

/** The state that a transaction's writes make of another. */
function after({ body }: Transaction, state: State): State {
  const next = new Map(state)
  for (const [f, key, value] of body) {
    if (f === 'w') next.set(key, value)
    else if (f === 'append') next.set(key, [...((next.get(key) as unknown[] | undefined) ?? []), value])
  }
  return next
}

/** Whether every read of a transaction shows the snapshot and its own writes so far. */
function seesItsSnapshot(t: Transaction, snapshot: State): boolean {
  let state = snapshot
  return t.body.every(([f, key, value]) => {
    if (f === 'r') return same(state.get(key), value)
    state = after({ ...t, body: [[f, key, value]] }, state)
    return true
  })
}

/** Nothing and an empty list are the same. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? []) === JSON.stringify(b ?? [])
}

/** Runs transactions in every order, with every snapshot that the level allows. */
function operational(history: History, transactions: readonly Transaction[], level: BruteLevel): boolean {
  const serial = level === 'serializable' || level === 'strict-serializable'
  const committed: Transaction[] = []
  /** State after each number of commits. */
  const states: State[] = [new Map()]
  const ready = (t: Transaction): boolean =>
    transactions.every((other) => {
      if (other === t || committed.includes(other)) return true
      if (precedes(other, t)) return false
      return !(
        level === 'strict-serializable' &&
        !other.unknown &&
        history.completeIndex[other.at] < history.invokeIndex[t.at]
      )
    })
  const fits = (t: Transaction, snapshot: number): boolean => {
    if (!seesItsSnapshot(t, states[snapshot])) return false
    if (committed.slice(snapshot).some((other) => precedes(other, t))) return false
    if (level !== 'snapshot-isolation') return true
    const keys = writtenKeys(t)
    return !committed.slice(snapshot).some((other) => [...writtenKeys(other)].some((key) => keys.has(key)))
  }
  const run = (): boolean => {
    if (committed.length === transactions.length) return true
    for (const t of transactions) {
      if (committed.includes(t) || !ready(t)) continue
      const now = committed.length
      let possible = fits(t, now)
      const oldest = serial ? now : 0
      for (let snapshot = oldest; !possible && snapshot < now; snapshot++) possible = fits(t, snapshot)
      if (!possible) continue
      committed.push(t)
      states.push(after(t, states[now]))
      if (run()) return true
      committed.pop()
      states.pop()
    }
    return false
  }
  return run()
}

/** A transaction sees its own writes. */
function selfConsistent(transactions: readonly Transaction[]): boolean {
  return transactions.every(({ body }) => {
    const own = new Map<unknown, unknown>()
    return body.every(([f, key, value]) => {
      if (f === 'w') own.set(key, value)
      return f === 'w' || !own.has(key) || own.get(key) === value
    })
  })
}

/** Per transaction, the key of each read from outside with the transaction that wrote what it saw; null: initial. */
type Sources = ReadonlyMap<Transaction, readonly (readonly [unknown, Transaction | null])[]>

/** The axioms of Biswas and Enea, for every total order that contains session order and reads-from. */
function axiomatic(_: History, transactions: readonly Transaction[], level: BruteLevel): boolean {
  if (!selfConsistent(transactions)) return false
  const orders = permutations(transactions)
  for (const sources of everySource(transactions)) if (explains(sources, orders, level)) return true
  return false
}

/** Every guess of what reads saw: more than one where a value was written twice, or null was written. */
function* everySource(transactions: readonly Transaction[]): Generator<Sources> {
  const reads = transactions.flatMap((t) => outsideReads(t).map(([key, value]) => ({ t, key, value })))
  const candidates = reads.map(({ t, key, value }) => {
    const writers = transactions.filter((writer) => {
      const written = lastWrites(writer)
      return writer !== t && written.has(key) && written.get(key) === value
    })
    return value === null ? [null, ...writers] : writers
  })
  const guess = function* (from: number, chosen: (Transaction | null)[]): Generator<Sources> {
    if (from < reads.length) {
      for (const writer of candidates[from]) yield* guess(from + 1, [...chosen, writer])
      return
    }
    const sources = new Map<Transaction, (readonly [unknown, Transaction | null])[]>()
    for (const t of transactions) sources.set(t, [])
    reads.forEach(({ t, key }, i) => sources.get(t)!.push([key, chosen[i]]))
    yield sources
  }
  yield* guess(0, [])
}

/** Whether one of the orders satisfies the axiom of the level. */
function explains(sources: Sources, orders: readonly (readonly Transaction[])[], level: BruteLevel): boolean {
  const readsFromAny = (t: Transaction, source: Transaction): boolean =>
    sources.get(t)!.some(([, writer]) => writer === source)
  const direct = (a: Transaction, b: Transaction): boolean => precedes(a, b) || readsFromAny(b, a)
  const happensBefore = closure([...sources.keys()], direct)
  const visible = (writer: Transaction, t: Transaction, read: number): boolean => {
    if (level === 'causal') return happensBefore(writer, t)
    if (level === 'read-atomic') return direct(writer, t)
    return sources
      .get(t)!
      .slice(0, read)
      .some(([, source]) => source === writer)
  }
  const holds = (order: readonly Transaction[]): boolean => {
    const place = (t: Transaction | null): number => (t === null ? -1 : order.indexOf(t))
    for (const a of order) for (const b of order) if (direct(a, b) && place(a) > place(b)) return false
    return order.every((t) =>
      sources
        .get(t)!
        .every(([key, source], read) =>
          order.every(
            (writer) =>
              writer === source ||
              writer === t ||
              !lastWrites(writer).has(key) ||
              !visible(writer, t, read) ||
              place(writer) < place(source),
          ),
        ),
    )
  }
  return orders.some(holds)
}

function closure<T>(items: readonly T[], direct: (a: T, b: T) => boolean): (a: T, b: T) => boolean {
  const reach = new Map(items.map((a) => [a, new Set(items.filter((b) => a !== b && direct(a, b)))]))
  for (const k of items)
    for (const a of items) if (reach.get(a)!.has(k)) for (const b of reach.get(k)!) reach.get(a)!.add(b)
  return (a, b) => reach.get(a)!.has(b)
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((first) =>
    permutations(items.filter((other) => other !== first)).map((rest) => [first, ...rest]),
  )
}
