/**
 * Dependencies between list-append transactions, from the version orders:
 *
 * - ww: the append of an element follows that of the one before it;
 * - wr: a read follows the append of its last element;
 * - rw: the append of an element follows every read that saw the state just before it.
 *
 * An append that no read shows comes after the longest read of its key; the order of several such is unknown.
 */
import { show } from '../../../history/value.ts'
import { askRunning } from '../../budget.ts'
import type { Explainer } from '../cycles/explanation.ts'
import { GraphBuilder, RW, WR, WW } from '../cycles/graph.ts'
import type { ListVersions } from './list-versions.ts'
import { FAIL, READ, WRITE, type MicroOperations } from '../micro-operations.ts'
import { copyInt32, int32 } from '../../workspace.ts'

export function listGraph(txns: MicroOperations, versions: ListVersions): GraphBuilder {
  const { kind, key, keys, value, type, transaction } = txns
  const { base, writer, slot } = versions
  const graph = new GraphBuilder(txns.count, Math.ceil(value.length * 1.75) + 16)
  const possible = (m: number): boolean => m >= 0 && type[transaction[m]] !== FAIL

  const { offset, reader } = readersBySlot(txns, versions)
  const unread: number[][] = []
  for (let m = 0; m < value.length; m++) {
    askRunning()
    const t = transaction[m]
    if (kind[m] === READ) {
      const from = slot[m] >= 0 ? writer[slot[m]] : lastElementWriter(txns, versions, m)
      if (from >= 0 && transaction[from] !== t && possible(from)) graph.link(transaction[from], t, WR)
    } else if (kind[m] === WRITE && slot[m] < 0 && type[t] !== FAIL) {
      const others = (unread[key[m]] ??= [])
      if (others.at(-1) !== t) others.push(t)
    }
  }
  for (let k = 0; k < keys.length; k++) {
    for (let s = base[k] + 1; s < base[k + 1]; s++) {
      if (!possible(writer[s])) continue
      const t = transaction[writer[s]]
      if (possible(writer[s - 1]) && transaction[writer[s - 1]] !== t)
        graph.link(transaction[writer[s - 1]], t, WW)
      for (let at = offset[s - 1]; at < offset[s]; at++) if (reader[at] !== t) graph.link(reader[at], t, RW)
    }
    const others = unread[k]
    if (others === undefined) continue
    const last = base[k + 1] - 1
    if (possible(writer[last])) for (const t of others) graph.link(transaction[writer[last]], t, WW)
    graph.linkAll(reader.subarray(offset[last], offset[last + 1]), others, RW)
  }
  return graph
}

/** Transactions that read each slot, in ascending order and once each. */
function readersBySlot(
  { kind, transaction }: MicroOperations,
  { slot, writer }: ListVersions,
): { offset: Int32Array; reader: Int32Array } {
  const slots = writer.length
  const count = int32(slots + 1)
  for (let m = 0; m < slot.length; m++) if (kind[m] === READ && slot[m] >= 0) count[slot[m] + 1]++
  for (let s = 0; s < slots; s++) count[s + 1] += count[s]
  const all = int32(count[slots])
  const next = copyInt32(count.subarray(0, slots))
  const begin = copyInt32(count.subarray(0, slots))
  for (let m = 0; m < slot.length; m++) {
    const s = slot[m]
    if (kind[m] !== READ || s < 0) continue
    const t = transaction[m]
    if (next[s] > begin[s] && all[next[s] - 1] === t) continue
    all[next[s]++] = t
  }
  const offset = int32(slots + 1)
  let size = 0
  for (let s = 0; s < slots; s++) {
    offset[s] = size
    for (let at = begin[s]; at < next[s]; at++) all[size++] = all[at]
  }
  offset[slots] = size
  return { offset, reader: all }
}

function lastElementWriter({ key, value }: MicroOperations, versions: ListVersions, m: number): number {
  const list = value[m]
  return Array.isArray(list) && list.length > 0 ? versions.appendOf(key[m], list.at(-1)) : -1
}

/** Says why one transaction comes before another. */
export function listExplainer(txns: MicroOperations, versions: ListVersions): Explainer {
  const { start, kind, key, keys, value, transaction } = txns
  const { base, writer, slot, elements } = versions
  /** The slot just before the one that an append made. */
  const previous = (m: number): number => (slot[m] >= 0 ? slot[m] - 1 : base[key[m] + 1] - 1)
  const element = (k: number, s: number): unknown => elements[k][s - base[k] - 1]
  return (a, b, edge, nameA, nameB) => {
    for (let m = start[b]; m < start[b + 1]; m++) {
      const k = key[m]
      const name = show(keys[k])
      if (edge === WR && kind[m] === READ) {
        const from = slot[m] >= 0 ? writer[slot[m]] : lastElementWriter(txns, versions, m)
        if (from < 0 || transaction[from] !== a) continue
        const seen = show(value[from])
        return {
          key: keys[k],
          value: value[from],
          because: `${nameB} read ${nameA}'s append of ${seen} to key ${name}`,
        }
      }
      if (kind[m] !== WRITE) continue
      const s = previous(m)
      const added = show(value[m])
      if (edge === WW && writer[s] >= 0 && transaction[writer[s]] === a) {
        const because = `${nameB} appended ${added} to key ${name} after ${nameA} appended ${show(element(k, s))}`
        return { key: keys[k], value: element(k, s), next: value[m], because }
      }
      if (edge !== RW) continue
      for (let r = start[a]; r < start[a + 1]; r++) {
        if (kind[r] !== READ || key[r] !== k || slot[r] !== s) continue
        const because =
          s === base[k]
            ? `${nameA} read key ${name} while it was empty, before ${nameB} appended ${added}`
            : `${nameA} did not see ${nameB}'s append of ${added} to key ${name}`
        return { key: keys[k], value: s === base[k] ? null : element(k, s), next: value[m], because }
      }
    }
    return null
  }
}
