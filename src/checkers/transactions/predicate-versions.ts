/**
 * The versions of the keys of a closed-predicate history, and the orders in which a key may have taken them. The version
 * from before everything comes first: what `init` created, or that the key is not there. After it stand the writes of each
 * transaction in the transaction's own order; the order of transactions is what a history does not tell.
 *
 * A transaction of unknown outcome has happened if a value that it wrote was read. Otherwise its versions are only
 * possible: they explain what a predicate read did not show, and stand in no order.
 */
import { FAIL, INFO, OK } from '../../history/history.ts'
import { valueKey, type ValueKey } from '../../history/value.ts'
import type { MicroOperations } from './micro-operations.ts'

/** A version: the value, or that the key is not yet or no longer there. */
export type Version =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'unborn' | 'dead' }

const UNBORN: Version = { kind: 'unborn' }
const DEAD: Version = { kind: 'dead' }

export type Micro = readonly [string, unknown, unknown?]

/** A key whose versions are in one order. */
export interface Key {
  readonly name: unknown
  readonly versions: readonly Version[]
  /** Writer of each version, -1 for none. */
  readonly writers: readonly number[]
  /** Versions that may exist, of transactions that may not have happened. */
  readonly maybe: readonly Version[]
}

/** The versions that one transaction gave a key, in its own order. */
interface Writes {
  readonly transaction: number
  readonly versions: Version[]
}

export interface WrittenKey {
  readonly name: unknown
  readonly text: string
  readonly initial: Writes
  /** The other transactions, those that completed first in front. */
  readonly later: readonly Writes[]
  readonly maybe: readonly Version[]
  /** Whether two versions are equal, so that a read does not tell them apart. */
  readonly repeated: boolean
}

/** The keys of JSON maps are text, so keys are compared as text. */
export function keyOf(name: unknown): string {
  return String(name)
}

export function entries(value: unknown): (readonly [unknown, unknown])[] {
  if (value instanceof Map) return [...value] as [unknown, unknown][]
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

export function writtenKeys(txns: MicroOperations, body: (t: number) => readonly Micro[]): WrittenKey[] {
  const seen = seenValues(txns, body)
  const keys = new Map<string, { name: unknown; initial: Writes | null; later: Writes[]; maybe: Version[] }>()
  for (let t = 0; t < txns.count; t++) {
    if (txns.type[t] === FAIL) continue
    const init = isInit(txns, t)
    const writes = body(t).filter(([f]) => f === 'insert' || f === 'w' || f === 'delete')
    const happened =
      txns.type[t] !== INFO || writes.some((micro) => micro[0] !== 'delete' && seen.has(textOf(micro)))
    const own = new Map<string, Writes>()
    for (const [f, name, value] of writes) {
      const text = keyOf(name)
      const key = keys.get(text) ?? { name, initial: null, later: [], maybe: [] }
      keys.set(text, key)
      const version: Version = f === 'delete' ? DEAD : { kind: 'value', value }
      const group = own.get(text)
      if (!happened) key.maybe.push(version)
      else if (group !== undefined) group.versions.push(version)
      else {
        const first = { transaction: t, versions: [version] }
        own.set(text, first)
        if (init && key.initial === null) key.initial = first
        else key.later.push(first)
      }
    }
  }
  const { history, position } = txns
  const end = ({ transaction }: Writes): number => history.endOf(position[transaction])
  return [...keys].map(([text, { name, initial, later, maybe }]) => ({
    text,
    name,
    initial: initial ?? { transaction: -1, versions: [UNBORN] },
    later: later.sort((a, b) => end(a) - end(b) || a.transaction - b.transaction),
    maybe,
    repeated: hasRepetition([...(initial?.versions ?? [UNBORN]), ...later.flatMap((each) => each.versions)]),
  }))
}

function isInit({ history, position }: MicroOperations, t: number): boolean {
  return history.functions[history.f[position[t]]] === 'init'
}

function textOf([, name, value]: Micro): string {
  return `${keyOf(name)}\0${String(valueKey([value]))}`
}

/** Keys and values that some committed transaction read. */
function seenValues(txns: MicroOperations, body: (t: number) => readonly Micro[]): Set<string> {
  const seen = new Set<string>()
  for (let t = 0; t < txns.count; t++) {
    if (txns.type[t] !== OK) continue
    for (const micro of body(t)) {
      if (micro[0] === 'r') seen.add(textOf(micro))
      if (micro[0] === 'rp')
        for (const [name, value] of entries(micro[2])) seen.add(textOf(['r', name, value]))
    }
  }
  return seen
}

function hasRepetition(versions: readonly Version[]): boolean {
  const keys = versions.map((version): ValueKey =>
    version.kind === 'value' ? valueKey([version.value]) : version.kind,
  )
  return new Set(keys).size < keys.length
}

/** How many orders of all versions there are; at most a large number. */
export function countOrders(keys: readonly WrittenKey[]): number {
  let orders = 1
  for (const { later } of keys) {
    for (let n = 2; n <= later.length && orders < 1e9; n++) orders *= n
  }
  return orders
}

/** Transactions in the order in which they completed. */
export function likelyOrder(keys: readonly WrittenKey[]): ReadonlyMap<string, Key> {
  return new Map(keys.map((key) => [key.text, inOrder(key, key.later)]))
}

/** Every order of the transactions of every key, the likely one first. */
export function* allOrders(keys: readonly WrittenKey[]): Generator<ReadonlyMap<string, Key>> {
  const chosen = new Map<string, Key>()
  function* choose(at: number): Generator<ReadonlyMap<string, Key>> {
    if (at === keys.length) {
      yield new Map(chosen)
      return
    }
    for (const later of permutations(keys[at].later)) {
      chosen.set(keys[at].text, inOrder(keys[at], later))
      yield* choose(at + 1)
    }
  }
  yield* choose(0)
}

function inOrder({ name, initial, maybe }: WrittenKey, later: readonly Writes[]): Key {
  const groups = [initial, ...later]
  return {
    name,
    versions: groups.flatMap(({ versions }) => versions),
    writers: groups.flatMap(({ transaction, versions }) => versions.map(() => transaction)),
    maybe,
  }
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) {
    yield items
    return
  }
  for (let i = 0; i < items.length; i++) {
    for (const rest of permutations([...items.slice(0, i), ...items.slice(i + 1)])) yield [items[i], ...rest]
  }
}
