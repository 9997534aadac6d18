/**
 * Is the service shared out fairly between groups: clients, nodes, keys, tenants?
 *
 * Four formulas, each checked when its bound is given: the worst group's p99 latency against that of all
 * (`maxP99Ratio`), the least throughput of a group (`minOkPerSecond`), the largest share of a group's operations that
 * did not succeed (`maxErrorShare`), and how far apart the groups' success counts are (`maxSpread`: (most − least) /
 * mean). Jain's index over success counts is always reported: 1 is perfectly even, 1/n is one group taking all.
 */
import { OK, type History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { show, valueKey, type ValueKey } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { quantiles } from '../quantiles.ts'
import { checkOptions, amount, callback, either, names, oneOf, share, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'

export interface FairnessOptions {
  readonly functions?: readonly string[]
  /** By what to group; the client by default. */
  readonly group?: 'process' | 'node' | 'key' | ((operation: Operation) => unknown)
  readonly maxP99Ratio?: number
  readonly minOkPerSecond?: number
  readonly maxErrorShare?: number
  readonly maxSpread?: number
}

export const FAIRNESS_OPTIONS: OptionSchema<FairnessOptions> = {
  functions: names('functions to look at; all by default'),
  group: either(
    oneOf(['process', 'node', 'key'])(
      'by what to group: `process` (the default), `node`, `key` or a function',
    ),
    callback(''),
  ),
  maxP99Ratio: amount("the worst group's p99 latency against that of all"),
  minOkPerSecond: amount('the least throughput of a group'),
  maxErrorShare: share("the largest share of a group's operations that did not succeed"),
  maxSpread: amount('(most − least) / mean of the success counts of groups'),
}

interface Group {
  readonly name: unknown
  count: number
  ok: number
  readonly latenciesUs: number[]
}

export interface FairnessDetails {
  readonly groups: number
  /** Jain's index over success counts: 1 is even, 1/n is one group taking all. */
  readonly jain: number | null
  readonly spread: number
  readonly p99Us: number | null
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function fairness(history: History, options: FairnessOptions = {}): CheckResult<FairnessDetails> {
  checkOptions('fairness', FAIRNESS_OPTIONS, options)
  const { functions = history.functions, maxP99Ratio, minOkPerSecond } = options
  const scope = scopeOf(history, functions)
  const timed = maxP99Ratio !== undefined || minOkPerSecond !== undefined
  const weak = timed ? weakness(history, ['times'], functions) : null
  if (weak !== null) return conclude({ checker: 'fairness', scope, checks: 0, anomalies: [], doubt: weak })
  const groups = groupsOf(history, functions, options.group ?? 'process')
  const found = new AnomalyCollector()
  const details = judge(history, groups, options, found)
  return conclude({
    checker: 'fairness',
    scope,
    checks: groups.length < 2 ? 0 : groups.length,
    anomalies: found.anomalies,
    doubt: groups.length < 2 ? 'there are not two groups to compare' : null,
    details,
  })
}

function groupsOf(
  history: History,
  functions: readonly string[],
  by: NonNullable<FairnessOptions['group']>,
): Group[] {
  const groups = new Map<ValueKey, Group>()
  const nameOf = (i: number): unknown => {
    if (by === 'process') return history.processes[history.process[i]]
    if (by === 'node') return history.node[i] < 0 ? null : history.nodes[history.node[i]]
    return by === 'key' ? history.keys[history.key[i]] : by(history.operation(i))
  }
  for (let i = 0; i < history.length; i++) {
    if (!functions.includes(history.functions[history.f[i]])) continue
    const name = nameOf(i)
    let group = groups.get(valueKey(name))
    if (group === undefined) groups.set(valueKey(name), (group = { name, count: 0, ok: 0, latenciesUs: [] }))
    group.count++
    if (history.type[i] !== OK) continue
    group.ok++
    const us = history.completeTime[i] - history.invokeTime[i]
    if (!Number.isNaN(us)) group.latenciesUs.push(us)
  }
  return [...groups.values()]
}

function judge(
  history: History,
  groups: readonly Group[],
  options: FairnessOptions,
  found: AnomalyCollector,
): FairnessDetails {
  const { maxP99Ratio, minOkPerSecond, maxErrorShare, maxSpread } = options
  const wholeP99 = quantiles(groups.flatMap(({ latenciesUs }) => latenciesUs))?.p99 ?? null
  const seconds = spanUs(history) / 1_000_000
  for (const group of groups) {
    const name = show(group.name)
    const p99 = quantiles(group.latenciesUs)?.p99 ?? null
    if (maxP99Ratio !== undefined && p99 !== null && wholeP99 !== null && p99 > maxP99Ratio * wholeP99) {
      const message = () =>
        `group ${name} has a p99 of ${p99} µs, all together ${wholeP99} µs; ${maxP99Ratio} times that is allowed`
      found.add('slow-group', [], message)
    }
    if (minOkPerSecond !== undefined && seconds > 0 && group.ok / seconds < minOkPerSecond) {
      const message = () =>
        `group ${name} got ${(group.ok / seconds).toFixed(2)} operations a second; ${minOkPerSecond} is the least`
      found.add('starved-group', [], message)
    }
    const errors = (group.count - group.ok) / group.count
    if (maxErrorShare !== undefined && errors > maxErrorShare) {
      const message = () =>
        `of group ${name}, ${group.count - group.ok} of ${group.count} operations did not succeed`
      found.add('failing-group', [], message)
    }
  }
  const counts = groups.map(({ ok }) => ok)
  const sum = counts.reduce((total, count) => total + count, 0)
  const squares = counts.reduce((total, count) => total + count * count, 0)
  const mean = sum / groups.length
  const spread = mean === 0 ? 0 : (Math.max(...counts) - Math.min(...counts)) / mean
  if (maxSpread !== undefined && groups.length > 1 && spread > maxSpread) {
    const message = () =>
      `success counts of groups spread by ${spread.toFixed(2)} of their mean; ${maxSpread} is allowed`
    found.add('uneven', [], message)
  }
  const jain = squares === 0 ? null : (sum * sum) / (groups.length * squares)
  return { groups: groups.length, jain, spread, p99Us: wholeP99, counts: found.counts }
}

function spanUs(history: History): number {
  let begin = Number.POSITIVE_INFINITY
  let end = Number.NEGATIVE_INFINITY
  for (let i = 0; i < history.length; i++) {
    if (history.invokeTime[i] < begin) begin = history.invokeTime[i]
    if (history.completeTime[i] > end) end = history.completeTime[i]
  }
  return end > begin ? end - begin : 0
}
