/**
 * Do all reads of a log agree, and does its order respect what happened first?
 *
 * `read` gives a list, per key one log. Any two reads must be prefixes of one another (*divergent* otherwise); a
 * client must not see the log shrink (*went-back*), and with `monotonic` no read may be shorter than one that
 * completed before it began. `append` puts an element in: when one append completed before another began, the log
 * must have them in that order (*reordered*); an element that no client had begun to append is *unexpected*, one that is
 * there more often than it was appended *duplicated*. An element that was appended twice, as a retry after a time-out does, has no
 * certain place, so that the order of the log is unknown around it.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { checkOptions, flag, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { positionsByKey, positionsOf, scopeOf, weakness } from '../scope.ts'

export interface PrefixOptions {
  readonly append?: string
  readonly read?: string
  /** True: reads must not go back in real time either, not only for one client. */
  readonly monotonic?: boolean
}

export const PREFIX_OPTIONS: OptionSchema<PrefixOptions> = {
  append: named('appends an element', 'append'),
  read: named('reads the log', 'read'),
  monotonic: flag('no read may be shorter than one that completed before it began, whichever client read'),
}

export interface PrefixDetails {
  readonly logs: number
  readonly reads: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function prefix(history: History, options: PrefixOptions = {}): CheckResult<PrefixDetails> {
  checkOptions('prefix', PREFIX_OPTIONS, options)
  const { append = 'append', read = 'read', monotonic = false } = options
  const scope = scopeOf(history, [append, read])
  const weak = weakness(history, ['real-time'])
  if (weak !== null) return conclude({ checker: 'prefix', scope, checks: 0, anomalies: [], doubt: weak })
  const found = new AnomalyCollector()
  const reads = positionsOf(history, read).filter(
    (i) => history.type[i] === OK && Array.isArray(history.output[i]),
  )
  const appends = positionsByKey(history, positionsOf(history, append))
  const logs = positionsByKey(history, reads)
  let retried = 0
  for (const [key, ofKey] of logs) {
    const longest = ofKey.reduce((best, i) => (lengthOf(history, i) > lengthOf(history, best) ? i : best))
    const appended = appends.get(key) ?? []
    for (const i of ofKey) comparePrefix(history, i, longest, found)
    checkShrinking(history, ofKey, monotonic, found)
    checkOrigins(history, ofKey, longest, appended, found)
    retried += checkOrder(history, longest, appended, found)
  }
  return conclude({
    checker: 'prefix',
    scope,
    checks: reads.length,
    anomalies: found.anomalies,
    doubt:
      retried === 0
        ? null
        : `${retried} elements were appended more than once: their places in the log cannot be traced to one append`,
    details: { logs: logs.size, reads: reads.length, counts: found.counts },
  })
}

function lengthOf(history: History, i: number): number {
  return (history.output[i] as unknown[]).length
}

function comparePrefix(history: History, i: number, longest: number, found: AnomalyCollector): void {
  const list = history.output[i] as unknown[]
  const whole = history.output[longest] as unknown[]
  const at = list.findIndex((value, index) => !Object.is(valueKey(value), valueKey(whole[index])))
  if (at < 0) return
  const message = () =>
    `two reads differ at position ${at}: one has ${show(list[at])}, the other ${show(whole[at])}`
  found.add('divergent', [history.id[i], history.id[longest]], message, { at })
}

function checkShrinking(
  history: History,
  reads: readonly number[],
  monotonic: boolean,
  found: AnomalyCollector,
): void {
  const byEnd = [...reads].sort((a, b) => history.completeIndex[a] - history.completeIndex[b])
  const report = (before: number, i: number) => {
    const message = () =>
      `a read has ${lengthOf(history, i)} elements after an earlier one had ${lengthOf(history, before)}`
    found.add('went-back', [history.id[before], history.id[i]], message)
  }
  const longestOf = new Map<number, number>()
  for (const i of byEnd) {
    const process = history.process[i]
    const before = history.processes[process] === null ? undefined : longestOf.get(process)
    if (before !== undefined && lengthOf(history, before) > lengthOf(history, i)) report(before, i)
    if (before === undefined || lengthOf(history, i) >= lengthOf(history, before)) longestOf.set(process, i)
  }
  if (!monotonic) return
  const byBegin = [...reads].sort((a, b) => history.invokeIndex[a] - history.invokeIndex[b])
  let done = 0
  let longest = -1
  for (const i of byBegin) {
    for (; done < byEnd.length && history.completeIndex[byEnd[done]] < history.invokeIndex[i]; done++) {
      if (longest < 0 || lengthOf(history, byEnd[done]) > lengthOf(history, longest)) longest = byEnd[done]
    }
    if (longest < 0 || lengthOf(history, longest) <= lengthOf(history, i)) continue
    if (history.process[longest] !== history.process[i]) report(longest, i)
  }
}

/** No read may have an element before a client began to append it. Other reads are beginnings of the longest one. */
function checkOrigins(
  history: History,
  reads: readonly number[],
  longest: number,
  appends: readonly number[],
  found: AnomalyCollector,
): void {
  const byElement = new Map<ValueKey, number[]>()
  for (const i of appends) {
    if (history.type[i] === FAIL) continue
    const key = valueKey(history.input[i])
    const before = byElement.get(key)
    if (before === undefined) byElement.set(key, [i])
    else before.push(i)
  }
  for (const list of byElement.values()) list.sort((a, b) => history.invokeIndex[a] - history.invokeIndex[b])
  /** Per length of a read, the append in it that began last: -1 where none is known. */
  const latest = [-1]
  const times = new Map<ValueKey, number>()
  for (const value of history.output[longest] as unknown[]) {
    const key = valueKey(value)
    const time = times.get(key) ?? 0
    times.set(key, time + 1)
    const before = latest.at(-1)!
    // The second time that it is there, it has been appended twice.
    const append = byElement.get(key)?.[time] ?? -1
    const later = append >= 0 && (before < 0 || history.invokeIndex[append] > history.invokeIndex[before])
    latest.push(later ? append : before)
  }
  for (const i of reads) {
    const append = latest[lengthOf(history, i)]
    if (append < 0 || history.invokeIndex[append] < history.completeIndex[i]) continue
    const message = () => `a read has ${show(history.input[append])} before a client began to append it`
    found.add('unexpected', [history.id[append], history.id[i]], message)
  }
}

function checkOrder(
  history: History,
  longest: number,
  appends: readonly number[],
  found: AnomalyCollector,
): number {
  if (appends.length === 0) return 0
  const writers = new Map<ValueKey, number>()
  /** Appends that may have happened, per element. */
  const possible = new Map<ValueKey, number>()
  for (const i of appends) {
    const key = valueKey(history.input[i])
    const before = writers.get(key)
    if (before === undefined || history.type[before] === FAIL) writers.set(key, i)
    if (history.type[i] !== FAIL) possible.set(key, (possible.get(key) ?? 0) + 1)
  }
  const reader = history.id[longest]
  const seen = new Map<ValueKey, number>()
  /** Of the elements so far, the append that began last. */
  let latest = -1
  for (const value of history.output[longest] as unknown[]) {
    const key = valueKey(value)
    const writer = writers.get(key)
    const times = (seen.get(key) ?? 0) + 1
    seen.set(key, times)
    if (times > Math.max(1, possible.get(key) ?? 0)) {
      const message = () => `the log has ${show(value)} ${times} times, more often than it was appended`
      found.add('duplicated', [reader], message)
    }
    if (writer === undefined) {
      found.add('unexpected', [reader], () => `the log has ${show(value)}, which no client appended`)
      continue
    }
    if (history.type[writer] === FAIL) {
      found.add(
        'failed-but-present',
        [history.id[writer], reader],
        () => `the log has ${show(value)}, but appending it failed`,
      )
      continue
    }
    if ((possible.get(key) ?? 0) > 1) continue
    if (latest >= 0 && history.endOf(writer) < history.invokeIndex[latest]) {
      const [first, second] = [history.id[writer], history.id[latest]]
      const message = () =>
        `${show(value)} was appended before ${show(history.input[latest])} was begun, but comes after it in the log`
      found.add('reordered', [first, second, reader], message)
    }
    if (latest < 0 || history.invokeIndex[writer] > history.invokeIndex[latest]) latest = writer
  }
  return [...possible.values()].filter((count) => count > 1).length
}
