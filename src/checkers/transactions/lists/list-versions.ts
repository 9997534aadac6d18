/**
 * Version orders of list-append keys. Every read shows the whole past of a key, so the longest read is the order in
 * which the appends took effect, and every other read must be a prefix of it. A key that was appended to once needs no
 * read.
 *
 * Versions of all keys share one numbering: key k owns the slots `base[k]` to `base[k + 1]`; the first is the initial,
 * empty state, the one after it the state after the first element, and so on. `writer[slot]` is the micro-operation
 * that appended the slot's element, or -1.
 *
 * A key is *regular* when all its reads are prefixes of the longest and nothing in it repeats: then a read is known by
 * its length alone, which is what makes this fast. The reads of other keys are looked up element by element.
 */
import { sameValue, valueKey, type ValueKey } from '../../../history/value.ts'
import { askRunning } from '../../budget.ts'
import { FAIL, READ, WRITE, type MicroOperations } from '../micro-operations.ts'
import { int32, uint8 } from '../../workspace.ts'

export interface ListVersions {
  /** One more than there are keys. */
  readonly base: Int32Array
  /** Per key: the elements in order, without repetition. */
  readonly elements: readonly (readonly unknown[])[]
  readonly regular: Uint8Array
  /** Per slot: the append that made it, or -1 for the initial state and elements that no transaction appended. */
  readonly writer: Int32Array
  /** Per micro-operation: for an append, its slot or -1 if no read has it; for a known read, the slot it saw or -1. */
  readonly slot: Int32Array
  /** Pairs of reads (micro-operations) of one key of which neither is a prefix of the other. */
  readonly incompatible: readonly (readonly [number, number])[]
  /** Reads that are not lists. */
  readonly notLists: readonly number[]
  /** The append of an element of a key, committed or not; -1 if there is none. */
  appendOf(key: number, element: unknown): number
}

const NOTHING: readonly unknown[] = []

export function listVersions(txns: MicroOperations): ListVersions {
  const { longest, regular, incompatible, notLists } = longestReads(txns)
  const { base, elements, places } = orders(txns, longest, regular)
  const { kind, key, value, type, transaction } = txns
  const writer = int32(base[txns.keys.length], -1)
  const slot = int32(value.length, -1)
  const unread = new Map<number, Map<ValueKey, number>>()
  for (let m = 0; m < value.length; m++) {
    askRunning()
    const k = key[m]
    if (kind[m] === READ) slot[m] = slotOfRead(value[m], base[k], regular[k] === 1, places[k])
    if (kind[m] !== WRITE) continue
    const place = places[k].of(value[m])
    if (place < 0) {
      let others = unread.get(k)
      if (others === undefined) unread.set(k, (others = new Map()))
      const element = valueKey(value[m])
      if (!others.has(element)) others.set(element, m)
      continue
    }
    const at = base[k] + place + 1
    slot[m] = at
    const before = writer[at]
    // An append that surely did not happen gives way to one that may have.
    if (before < 0 || (type[transaction[before]] === FAIL && type[transaction[m]] !== FAIL)) writer[at] = m
  }
  const appendOf = (k: number, element: unknown): number => {
    const place = places[k].of(element)
    return place >= 0 ? writer[base[k] + place + 1] : (unread.get(k)?.get(valueKey(element)) ?? -1)
  }
  return { base, elements, regular, writer, slot, incompatible, notLists, appendOf }
}

/** Per key its longest read, and whether all its reads are prefixes of each other. */
function longestReads({ kind, key, keys, value }: MicroOperations) {
  const longest = int32(keys.length, -1)
  const regular = uint8(keys.length, 1)
  const incompatible: (readonly [number, number])[] = []
  const notLists: number[] = []
  for (let m = 0; m < value.length; m++) {
    if (kind[m] !== READ) continue
    const list = value[m]
    if (list === null || list === undefined) continue
    const k = key[m]
    if (!Array.isArray(list)) {
      notLists.push(m)
      continue
    }
    const best = longest[k]
    if (best < 0) {
      longest[k] = m
      continue
    }
    const other = value[best] as readonly unknown[]
    const shorter = list.length <= other.length ? list : other
    const longer = shorter === list ? other : list
    if (!isPrefix(shorter, longer)) {
      if (regular[k] === 1) incompatible.push([best, m])
      regular[k] = 0
    }
    if (list.length > other.length) longest[k] = m
  }
  return { longest, regular, incompatible, notLists }
}

/** Per key the order of its elements; a key whose longest read repeats an element is not regular from here on. */
function orders(txns: MicroOperations, longest: Int32Array, regular: Uint8Array) {
  const { keys, value } = txns
  const single = singleAppends(txns)
  const base = int32(keys.length + 1)
  const elements: (readonly unknown[])[] = []
  const places: Places[] = []
  for (let k = 0; k < keys.length; k++) {
    let list = longest[k] >= 0 ? (value[longest[k]] as readonly unknown[]) : NOTHING
    if (list.length === 0 && single[k] >= 0) list = [value[single[k]]]
    let index = new Places(list)
    if (index.repeats) {
      regular[k] = 0
      list = distinct(list)
      index = new Places(list)
    }
    elements.push(list)
    places.push(index)
    base[k + 1] = base[k] + list.length + 1
  }
  return { base, elements, places }
}

function slotOfRead(list: unknown, base: number, regular: boolean, places: Places): number {
  if (list === null || list === undefined) return base
  if (!Array.isArray(list)) return -1
  if (list.length === 0) return base
  if (regular) return base + list.length
  const place = places.of(list.at(-1))
  return place < 0 ? -1 : base + place + 1
}

export function isPrefix(shorter: readonly unknown[], longer: readonly unknown[]): boolean {
  for (let i = 0; i < shorter.length; i++) {
    if (shorter[i] !== longer[i] && !sameValue(shorter[i], longer[i])) return false
  }
  return true
}

/** Per key the only append that may have happened, or -1. */
function singleAppends({ kind, key, keys, value, type, transaction }: MicroOperations): Int32Array {
  const single = int32(keys.length, -1)
  for (let m = 0; m < value.length; m++) {
    if (kind[m] !== WRITE || type[transaction[m]] === FAIL) continue
    single[key[m]] = single[key[m]] === -1 ? m : -2
  }
  return single
}

function distinct(list: readonly unknown[]): unknown[] {
  const seen = new Set<ValueKey>()
  return list.filter((element) => {
    const key = valueKey(element)
    return !seen.has(key) && seen.add(key)
  })
}

/** Where each element of a list is. Small whole numbers, which generators append, need no hashing. */
class Places {
  readonly repeats: boolean
  readonly #dense: Int32Array | null
  readonly #sparse: Map<ValueKey, number> | null

  constructor(list: readonly unknown[]) {
    const limit = list.length * 4 + 16
    let dense = true
    for (let i = 0; i < list.length; i++) {
      const element = list[i]
      if (typeof element !== 'number' || !(element >= 0 && element < limit && Number.isInteger(element))) {
        dense = false
        break
      }
    }
    let repeats = false
    if (dense) {
      const at = int32(list.length === 0 ? 0 : limit)
      for (let i = 0; i < list.length; i++) {
        const element = list[i] as number
        if (at[element] !== 0) repeats = true
        at[element] = i + 1
      }
      this.#dense = at
      this.#sparse = null
    } else {
      const at = new Map<ValueKey, number>()
      for (let i = 0; i < list.length; i++) {
        const element = valueKey(list[i])
        if (at.has(element)) repeats = true
        at.set(element, i)
      }
      this.#dense = null
      this.#sparse = at
    }
    this.repeats = repeats
  }

  of(element: unknown): number {
    if (this.#dense !== null) {
      if (typeof element !== 'number') return -1
      const at = this.#dense[element]
      return at === undefined ? -1 : at - 1
    }
    return this.#sparse!.get(valueKey(element)) ?? -1
  }
}
