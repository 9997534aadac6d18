/**
 * The weaker models by trying every order, for tests: each definition as it stands in the literature, without the
 * bad patterns and graphs of the real checkers. Only for a handful of operations on unique values.
 */
import type { History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import type { CausalModel } from './causal.ts'
import type { SessionGuarantee } from './session-guarantees.ts'

interface Facts {
  readonly operations: readonly Operation[]
  /** Session order: `before[a]` contains b when b comes before a in its session. */
  readonly before: ReadonlyMap<Operation, ReadonlySet<Operation>>
}

const isWrite = ({ f }: Operation): boolean => f === 'write'
const valueOf = ({ f, input, output }: Operation): unknown => (f === 'write' ? input : (output ?? null))

/** Operations that happened, with their session order: an unknown write is after, never before, its session's others. */
function facts(history: History): Facts {
  const all = [...history.operations()]
  const seen = new Set(
    all.filter((o) => o.f === 'read' && o.type === 'ok').map((o) => `${String(o.key)}=${String(o.output)}`),
  )
  const operations = all.filter(
    (o) =>
      o.type === 'ok' || (o.type === 'info' && isWrite(o) && seen.has(`${String(o.key)}=${String(o.input)}`)),
  )
  const before = new Map(
    operations.map((a) => [
      a,
      new Set(
        operations.filter((b) => b.type === 'ok' && b.process === a.process && b.invokeIndex < a.invokeIndex),
      ),
    ]),
  )
  return { operations, before }
}

/** Every order of some operations that respects a relation, until one satisfies; true when one does. */
function someOrder(
  operations: readonly Operation[],
  before: ReadonlyMap<Operation, ReadonlySet<Operation>>,
  satisfies: (order: readonly Operation[]) => boolean,
): boolean {
  const extend = (order: readonly Operation[], left: readonly Operation[]): boolean => {
    if (left.length === 0) return satisfies(order)
    return left.some(
      (next) =>
        !left.some((other) => before.get(next)!.has(other)) &&
        extend(
          [...order, next],
          left.filter((other) => other !== next),
        ),
    )
  }
  return extend([], operations)
}

/** Whether the reads among `watched` see the last write of their key before them. */
function readsFit(order: readonly Operation[], watched: ReadonlySet<Operation>): boolean {
  const values = new Map<unknown, unknown>()
  for (const operation of order) {
    if (isWrite(operation)) values.set(operation.key, operation.input)
    else if (watched.has(operation) && (values.get(operation.key) ?? null) !== valueOf(operation))
      return false
  }
  return true
}

export function bruteSequential(history: History): boolean {
  const { operations, before } = facts(history)
  return someOrder(operations, before, (order) => readsFit(order, new Set(operations)))
}

export function brutePram(history: History): boolean {
  const { operations, before } = facts(history)
  return [...new Set(operations.map(({ process }) => process))].every((process) => {
    const own = operations.filter((o) => isWrite(o) || o.process === process)
    return someOrder(own, before, (order) => readsFit(order, new Set(own)))
  })
}

export function bruteCausal(history: History, model: CausalModel): boolean {
  const { operations, before } = facts(history)
  const past = causalPast(operations, before)
  if (past === null) return false
  if (model === 'causal-convergent') return bruteConvergent(operations, past)
  return operations.every((operation) => {
    const known = operations.filter((other) => other === operation || past.get(operation)!.has(other))
    const mine = (other: Operation): boolean => other === operation || before.get(operation)!.has(other)
    const watched = new Set(model === 'causal' ? [operation] : known.filter(mine))
    return someOrder(known, past, (order) => readsFit(order, watched))
  })
}

/** Session order and reads-from, transitively; null when circular or when a value came from nowhere. */
function causalPast(
  operations: readonly Operation[],
  before: ReadonlyMap<Operation, ReadonlySet<Operation>>,
): Map<Operation, Set<Operation>> | null {
  const past = new Map(operations.map((operation) => [operation, new Set(before.get(operation))]))
  for (const read of operations) {
    if (isWrite(read) || valueOf(read) === null) continue
    const writer = operations.find((o) => isWrite(o) && o.key === read.key && o.input === valueOf(read))
    if (writer === undefined) return null
    past.get(read)!.add(writer)
  }
  for (let changed = true; changed;) {
    changed = false
    for (const set of past.values()) {
      for (const middle of Array.from(set)) {
        for (const far of past.get(middle)!) {
          if (!set.has(far)) changed = true
          set.add(far)
        }
      }
    }
  }
  return operations.some((operation) => past.get(operation)!.has(operation)) ? null : past
}

/** One order of all writes, within causality, whose last known write each read saw. */
function bruteConvergent(
  operations: readonly Operation[],
  past: ReadonlyMap<Operation, ReadonlySet<Operation>>,
): boolean {
  const writes = operations.filter(isWrite)
  return someOrder(writes, past, (order) =>
    operations.every((read) => {
      if (isWrite(read)) return true
      const known = order.filter((write) => write.key === read.key && past.get(read)!.has(write))
      return (known.at(-1)?.input ?? null) === valueOf(read)
    }),
  )
}

export function bruteSession(history: History, guarantees: readonly SessionGuarantee[]): boolean {
  const { operations, before } = facts(history)
  const writes = operations.filter(isWrite)
  const free = new Map(writes.map((write) => [write, new Set<Operation>()]))
  const known = new Set(writes.map((write) => `${String(write.key)}=${String(write.input)}`))
  if (
    operations.some(
      (o) => !isWrite(o) && valueOf(o) !== null && !known.has(`${String(o.key)}=${String(valueOf(o))}`),
    )
  )
    return false
  return someOrder(writes, free, (order) => {
    if (!writeOrderHolds(operations, before, order, guarantees)) return false
    return operations.every(
      (read) => isWrite(read) || someServer(read, order, operations, before, guarantees),
    )
  })
}

/** Terry's WriteOrder: a session's write comes after what the session wrote, or read, of the key before. */
function writeOrderHolds(
  operations: readonly Operation[],
  before: ReadonlyMap<Operation, ReadonlySet<Operation>>,
  order: readonly Operation[],
  guarantees: readonly SessionGuarantee[],
): boolean {
  const rank = (o: Operation): number => order.findIndex((w) => w.key === o.key && w.input === valueOf(o))
  return operations.every((later) =>
    operations.every((earlier) => {
      if (!isWrite(later) || !before.get(later)!.has(earlier) || earlier.key !== later.key) return true
      return !guarantees.includes(guaranteeOf(earlier, later)) || rank(earlier) <= rank(later)
    }),
  )
}

/** Whether some set of writes, as a server may have them, meets the guarantees and gives the answer of a read. */
function someServer(
  read: Operation,
  order: readonly Operation[],
  operations: readonly Operation[],
  before: ReadonlyMap<Operation, ReadonlySet<Operation>>,
  guarantees: readonly SessionGuarantee[],
): boolean {
  /** What an operation demands to be there: earlier writes, or what earlier reads saw. */
  const demands = (later: Operation): Operation[] =>
    [...before.get(later)!]
      .filter((earlier) => guarantees.includes(guaranteeOf(earlier, later)))
      .flatMap((earlier) =>
        isWrite(earlier)
          ? [earlier]
          : operations.filter((w) => isWrite(w) && w.key === earlier.key && w.input === valueOf(earlier)),
      )
  for (let bits = 0; bits < 1 << order.length; bits++) {
    const server = new Set(order.filter((_, i) => (bits & (1 << i)) !== 0))
    const last = order.filter((write) => server.has(write) && write.key === read.key).at(-1)
    if ((last?.input ?? null) !== valueOf(read)) continue
    if ([read, ...server].every((each) => demands(each).every((write) => server.has(write)))) return true
  }
  return false
}

function guaranteeOf(earlier: Operation, later: Operation): SessionGuarantee {
  if (isWrite(earlier)) return isWrite(later) ? 'monotonic-writes' : 'read-your-writes'
  return isWrite(later) ? 'writes-follow-reads' : 'monotonic-reads'
}
