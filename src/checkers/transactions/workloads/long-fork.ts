/**
 * Do all observers agree on the order in which independent writes became visible? Parallel snapshot isolation allows a
 * *long fork* (Sovran et al., SOSP 2011): one reader sees the first of two writes and not the second, another the
 * second and not the first. Snapshot isolation does not.
 *
 * Keys come in groups, each key is written once; a read asks for all keys of its group. Of any two reads of a group one
 * must have seen all that the other has. Instead of comparing all pairs, the reads are sorted by how much they saw:
 * then it is enough to compare each with the next.
 */
import { OK, type History } from '../../../history/history.ts'
import { canonical, show, valueKey } from '../../../history/value.ts'
import { AnomalyCollector } from '../../anomaly-collector.ts'
import { checkOptions, count, type OptionSchema } from '../../options.ts'
import { conclude, type CheckResult } from '../../result.ts'

interface Read {
  readonly id: number
  readonly values: ReadonlyMap<unknown, unknown>
}

export interface LongForkOptions {
  /** Keys in a group; reads of other sizes are ignored. */
  readonly groupSize?: number | undefined
}

export const LONG_FORK_OPTIONS: OptionSchema<LongForkOptions> = {
  groupSize: count('keys in a group; reads of other sizes are left out'),
}

export interface LongForkDetails {
  readonly reads: number
  /** Reads that saw none of their group's writes, and reads that saw all. */
  readonly early: number
  readonly late: number
  readonly groups: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function longFork(history: History, options: LongForkOptions = {}): CheckResult<LongForkDetails> {
  checkOptions('long-fork', LONG_FORK_OPTIONS, options)
  const groups = new Map<string, Read[]>()
  let reads = 0
  let early = 0
  let late = 0
  let operations = 0
  for (let i = 0; i < history.length; i++) {
    const values = history.type[i] === OK ? groupRead(history.output[i]) : null
    if (values === null || values.size < 2) continue
    operations++
    if (options.groupSize !== undefined && values.size !== options.groupSize) continue
    reads++
    const seen = [...values.values()].filter((value) => value !== null).length
    if (seen === 0) early++
    if (seen === values.size) late++
    const group = canonical([...values.keys()].map((key) => canonical(key)).sort())
    const list = groups.get(group)
    const read = { id: history.id[i], values }
    if (list === undefined) groups.set(group, [read])
    else list.push(read)
  }
  const found = new AnomalyCollector()
  for (const group of groups.values()) compare(group, found)
  const useless = reads > 0 && early + late === reads
  return conclude({
    checker: 'long-fork',
    scope: { operations, ignored: history.length - operations, functions: history.functions },
    checks: reads,
    anomalies: found.anomalies,
    doubt: useless ? 'every read came before or after all writes of its group' : null,
    details: { reads, early, late, groups: groups.size, counts: found.counts },
  })
}

function compare(reads: readonly Read[], found: AnomalyCollector): void {
  const seen = (read: Read): number => [...read.values.values()].filter((value) => value !== null).length
  const sorted = [...reads].sort((a, b) => seen(a) - seen(b) || a.id - b.id)
  for (let i = 1; i < sorted.length; i++) {
    const [less, more] = [sorted[i - 1], sorted[i]]
    for (const [key, value] of less.values) {
      const other = more.values.get(key) ?? null
      if (value === null) continue
      if (other === null) {
        const only = [...more.values].find(([k, v]) => v !== null && (less.values.get(k) ?? null) === null)
        const missed = only === undefined ? '' : `, but not key ${show(only[0])}, and the other the reverse`
        found.add(
          'long-fork',
          [less.id, more.id],
          () =>
            `of operations ${less.id} and ${more.id} the first saw the write of key ${show(key)}${missed}`,
          { key },
        )
      } else if (valueKey(other) !== valueKey(value)) {
        found.add(
          'two-values',
          [less.id, more.id],
          () => `key ${show(key)}, which is written once, was read as ${show(value)} and as ${show(other)}`,
          { key, values: [value, other] },
        )
      }
    }
  }
}

/** Key → value of a list of reads and nothing else. */
function groupRead(value: unknown): Map<unknown, unknown> | null {
  if (!Array.isArray(value) || value.length === 0) return null
  const values = new Map<unknown, unknown>()
  for (const micro of value as unknown[]) {
    if (!Array.isArray(micro) || micro[0] !== 'r') return null
    values.set(micro[1], (micro[2] as unknown) ?? null)
  }
  return values
}
