/**
 * Committed messages that no poll saw, although a poll saw something further up the same log.
 *
 * A poll of unknown outcome may have seen any message beyond where its client was, at any later time. Such a message
 * is only possibly lost, unless the workload drained the log in the end, from its beginning, and so would have seen it.
 */
import { INFO, OK, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import type { AnomalyCollector } from '../anomaly-collector.ts'
import type { Budget } from '../budget.ts'
import { committed, idsOf, type Logs } from './log.ts'
import type { LogOperation, Seen } from './micro-operations.ts'

/** Reports lost messages and returns how many are only possibly lost. */
export function checkLostWrites(
  history: History,
  operations: readonly LogOperation[],
  logs: Logs,
  seen: Seen,
  found: AnomalyCollector,
  drained: boolean,
  budget: Budget,
): number {
  const highest = highestSeen(operations, logs)
  const excuses = drained ? [] : unknownPolls(operations, logs)
  let possibly = 0
  for (const writer of operations) {
    if (!committed(writer, seen)) continue
    for (const { key, number, value } of writer.sends) {
      budget.ask()
      const top = highest.get(key)
      const index = logs.index[number]
      if (top === undefined || index < 0 || index >= top.index || seen[number] === 1) continue
      if (excuses.some((before) => index > (before.get(key) ?? -1))) {
        possibly++
        continue
      }
      const message = () => `${show(value)} of key ${key} was never polled, although messages after it were`
      found.add('lost-write', idsOf(history, [writer, top.reader]), message, { key, value })
    }
  }
  return possibly
}

/** Per key, the furthest place that an ok poll has seen, and which one that was. */
function highestSeen(
  operations: readonly LogOperation[],
  logs: Logs,
): Map<string, { index: number; reader: LogOperation }> {
  const highest = new Map<string, { index: number; reader: LogOperation }>()
  for (const reader of operations) {
    if (reader.type !== OK) continue
    for (const { key, number } of reader.polled) {
      const index = logs.index[number]
      const before = highest.get(key)
      if (index > (before?.index ?? -1)) highest.set(key, { index, reader })
    }
  }
  return highest
}

/** For each unknown poll, where its client was: per key, the index that it had seen last. */
function unknownPolls(operations: readonly LogOperation[], logs: Logs): ReadonlyMap<string, number>[] {
  const excuses: ReadonlyMap<string, number>[] = []
  if (!operations.some(({ type, polls }) => type === INFO && polls)) return excuses
  const positions = new Map<number, Map<string, number>>()
  for (const { process, type, polled, polls } of operations) {
    const position = positions.get(process) ?? positions.set(process, new Map()).get(process)!
    if (type === INFO && polls) excuses.push(new Map(position))
    if (type !== OK) continue
    for (const { key, number } of polled) position.set(key, logs.index[number])
  }
  return excuses
}
