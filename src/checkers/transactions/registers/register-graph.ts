/**
 * Dependencies between rw-register transactions: wr from the values themselves, ww and rw from the version order.
 */
import { show } from '../../../history/value.ts'
import { askRunning } from '../../budget.ts'
import type { Explainer } from '../cycles/explanation.ts'
import { GraphBuilder, RW, WR, WW } from '../cycles/graph.ts'
import type { MicroOperations } from '../micro-operations.ts'
import type { RegisterVersions } from './register-versions.ts'
import type { VersionOrder } from './version-order.ts'

export function registerGraph(
  txns: MicroOperations,
  versions: RegisterVersions,
  order: VersionOrder,
): GraphBuilder {
  const { writer, readerOffset, reader } = versions
  const { offset, target } = order.rows
  const graph = new GraphBuilder(txns.count, txns.value.length * 2 + 16)
  for (let v = 0; v < versions.count; v++) {
    askRunning()
    const readers = reader.subarray(readerOffset[v], readerOffset[v + 1])
    const from = writer[v]
    if (from >= 0) for (const t of readers) graph.link(from, t, WR)
    const later = new Set<number>()
    for (let at = offset[v]; at < offset[v + 1]; at++)
      if (writer[target[at]] >= 0) later.add(writer[target[at]])
    if (later.size === 0) continue
    if (from >= 0) for (const t of later) graph.link(from, t, WW)
    graph.linkAll(readers, [...later], RW)
  }
  return graph
}

/** Says why one transaction comes before another. */
export function registerExplainer(
  txns: MicroOperations,
  versions: RegisterVersions,
  { rows }: VersionOrder,
): Explainer {
  const { start, key, keys, value } = txns
  const { version, outsideRead, outsideWrite } = versions
  const precedes = (earlier: number, later: number): boolean => {
    for (let at = rows.offset[earlier]; at < rows.offset[earlier + 1]; at++)
      if (rows.target[at] === later) return true
    return false
  }
  return (a, b, edge, nameA, nameB) => {
    for (let m = start[a]; m < start[a + 1]; m++) {
      if ((edge === RW ? outsideRead[m] : outsideWrite[m]) === 0) continue
      for (let w = start[b]; w < start[b + 1]; w++) {
        if (key[w] !== key[m]) continue
        const name = show(keys[key[m]])
        const here = { key: keys[key[m]], value: value[m] ?? null, next: value[w] ?? null }
        if (edge === WR) {
          if (outsideRead[w] === 0 || version[w] !== version[m]) continue
          return { ...here, because: `${nameB} read ${nameA}'s write of ${show(value[m])} to key ${name}` }
        }
        if (outsideWrite[w] === 0 || !precedes(version[m], version[w])) continue
        const verb = edge === RW ? 'read' : 'wrote'
        return {
          ...here,
          because: `${nameA} ${verb} ${show(value[m] ?? null)} ${edge === RW ? 'from' : 'to'} key ${name}, and ${nameB} wrote ${show(value[w])}, which comes later in its version order`,
        }
      }
    }
    return null
  }
}
