/**
 * Replays an order of commits: does every transaction read what the order says it should? The proof of a positive
 * answer, and independent of how the order was found.
 */
import type { PolygraphOptions } from './polygraph.ts'
import { INITIAL, type ReadsFrom } from './reads-from.ts'

/** What is wrong with an order, or null. `snapshot` and `commit` are moments on one scale. */
export function replay(
  history: ReadsFrom,
  { level, sessions }: Pick<PolygraphOptions, 'level' | 'sessions'>,
  commits: readonly number[],
  snapshot: (t: number) => number,
  commit: (t: number) => number,
): string | null {
  const { previous, readStart, readKey, readSource, writeStart, writeKey } = history
  const versions = new Map<number, number[]>()
  for (const t of commits) {
    for (let w = writeStart[t]; w < writeStart[t + 1]; w++) {
      const list = versions.get(writeKey[w])
      if (list === undefined) versions.set(writeKey[w], [t])
      else list.push(t)
    }
  }
  /** The last writer of a key that committed before a moment. */
  const latest = (key: number, moment: number): number => {
    const list = versions.get(key) ?? []
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (commit(list[middle]) < moment) low = middle + 1
      else high = middle
    }
    return low === 0 ? INITIAL : list[low - 1]
  }
  for (const t of commits) {
    if (sessions && previous[t] >= 0 && commit(previous[t]) >= snapshot(t)) {
      return `transaction ${t} does not follow ${previous[t]} of its session`
    }
    for (let r = readStart[t]; r < readStart[t + 1]; r++) {
      const source = latest(readKey[r], snapshot(t))
      if (source !== readSource[r]) return `transaction ${t} reads from ${readSource[r]}, not ${source}`
    }
    if (level !== 'snapshot-isolation') continue
    for (let w = writeStart[t]; w < writeStart[t + 1]; w++) {
      const other = latest(writeKey[w], commit(t))
      if (other !== INITIAL && commit(other) > snapshot(t))
        return `transactions ${other} and ${t} write concurrently`
    }
  }
  return null
}
