/**
 * Jepsen's own calls of its checkers, with its answers: 78 cases. Long fork and causal reverse are the transaction
 * checkers' and are looked at there.
 *
 * Where ours answers differently, and why:
 * - a history with nothing to check is unknown here; Jepsen calls it valid;
 * - Elle's `empty-transaction-graph` and `…-cycle-exists` are not anomalies: the first says that there was nothing to
 *   infer, the second that a cycle exists whose form is listed as well;
 * - Jepsen's `unseen` also lists a key's polled messages when nothing was sent to that key successfully before (it
 *   merges maps so that a missing side lets the other through); those were seen.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type CheckResult, objects, service } from '../../src/checkers/index.ts'
import type { History } from '../../src/history/history.ts'
import { parseHistory } from '../../src/history/read.ts'
import { describeOracles } from './folder.ts'

const { counter, kafka, queue, set, setFull, totalQueue, uniqueIds } = objects
const { stats, unhandledExceptions } = service

interface Case {
  readonly id: string
  readonly args: readonly Record<string, unknown>[]
  readonly history: readonly Record<string, unknown>[]
  readonly expected: Record<string, any>
}

const VERDICTS = new Map<unknown, string>([
  [true, 'valid'],
  [false, 'invalid'],
  ['unknown', 'unknown'],
])

function verdictOf({ expected, history }: Case): string {
  return history.length === 0 ? 'unknown' : VERDICTS.get(expected['valid?'])!
}

describeOracles('jepsen-checkers', (path) => {
  const casesOf = (name: string): [string, Case, History][] => {
    const cases = JSON.parse(readFileSync(join(path, `${name}.json`), 'utf8')) as Case[]
    return cases.map((one) => [
      one.id,
      one,
      parseHistory(JSON.stringify(one.history), { format: 'jepsen-json' }),
    ])
  }

  it.each(casesOf('set'))('%s', (_, one, history) => {
    const result = set(history)
    expect(result.verdict).toBe(verdictOf(one))
    const asText = (values: unknown) => `#{${(values as unknown[]).join(' ')}}`
    for (const name of ['ok', 'lost', 'unexpected', 'recovered'] as const) {
      expect(asText(result.details[name])).toBe(one.expected[name])
    }
    expect(result.details.attempted).toBe(one.expected['attempt-count'])
    expect(result.details.acknowledged).toBe(one.expected['acknowledged-count'])
  })

  it.each(casesOf('set-full'))('%s', (_, one, history) => {
    const result = setFull(history, { linearizable: one.args[0]['linearizable?'] === true })
    expect(result.verdict).toBe(verdictOf(one))
    const { details } = result
    expect(details.stable).toBe(one.expected['stable-count'])
    expect(details.lost).toEqual(one.expected.lost)
    expect(details.stale).toEqual(one.expected.stale)
    expect(details.neverRead).toEqual(one.expected['never-read'])
    expect(latencies(details.stableLatenciesMs)).toEqual(one.expected['stable-latencies'])
    expect(latencies(details.lostLatenciesMs)).toEqual(one.expected['lost-latencies'])
  })

  it.each(casesOf('queue'))('%s', (_, one, history) => {
    expect(queue(history).verdict).toBe(verdictOf(one))
  })

  it.each(casesOf('total-queue'))('%s', (_, one, history) => {
    const result = totalQueue(history)
    expect(result.verdict).toBe(verdictOf(one))
    const { details } = result
    expect(details.acknowledged).toBe(one.expected['acknowledged-count'])
    expect(details.attempted).toBe(one.expected['attempt-count'])
    expect(details.ok).toBe(one.expected['ok-count'])
    expect(details.missing).toEqual(one.expected.lost)
    expect(details.recovered).toEqual(one.expected.recovered)
    const count = (type: string) => (details.counts as Record<string, number>)[type] ?? 0
    expect(count('duplicated')).toBe(one.expected['duplicated-count'])
    expect(count('unexpected')).toBe(one.expected['unexpected-count'])
  })

  it.each(casesOf('counter'))('%s', (_, one, history) => {
    const result = counter(history)
    expect(result.verdict).toBe(verdictOf(one))
    expect(result.details.readings).toEqual(one.expected.reads)
    const errors = result.anomalies.map(({ details }) => Object.values(details as object))
    expect(errors).toEqual(one.expected.errors)
  })

  it.each(casesOf('unique-ids'))('%s', (_, one, history) => {
    const result = uniqueIds(history)
    expect(result.verdict).toBe(verdictOf(one))
    expect(result.details).toMatchObject({
      attempted: one.expected['attempted-count'],
      acknowledged: one.expected['acknowledged-count'],
      duplicatedCount: one.expected['duplicated-count'],
      range: one.expected.range,
    })
  })

  it.each(casesOf('stats'))('%s', (_, one, history) => {
    const result = stats(history)
    expect(result.verdict).toBe(verdictOf(one))
    expect(result.details).toMatchObject({
      count: one.expected.count,
      ok: one.expected['ok-count'],
      fail: one.expected['fail-count'],
      info: one.expected['info-count'],
    })
  })

  it.each(casesOf('unhandled-exceptions'))('%s', (_, one, history) => {
    const result = unhandledExceptions(history)
    expect(result.verdict).toBe(verdictOf(one))
    expect(result.details.exceptions).toEqual([
      { error: 'Whoops!', count: 2, example: 0 },
      { error: 'oh-no', count: 1, example: 2 },
    ])
  })

  it.each(casesOf('kafka'))('%s', (_, one, history) => {
    const result = kafka(history, { wwDeps: one.args[0]['ww-deps'] === true })
    const { unseen, ...errors } = one.expected.errors as Record<string, unknown>
    const anomalies = Object.keys(errors).filter((name) => !/empty-transaction-graph|cycle-exists/.test(name))
    expect(anomalyTypes(result)).toEqual(anomalies.sort())
    expect(unseenOf(result)).toEqual(reallyUnseen(history, unseen))
  })
})

function latencies(quantiles: unknown): unknown {
  if (quantiles === null) return undefined
  const { min, p50, p95, p99, max } = quantiles as Record<string, number>
  return { '0': min, '0.5': p50, '0.95': p95, '0.99': p99, '1': max }
}

function anomalyTypes({ details }: CheckResult): string[] {
  return Object.keys(details.counts as object).sort()
}

function unseenOf({ details }: CheckResult): string[] {
  return (details.unseenMessages as [string, unknown][]).map((pair) => pair.join(' ')).sort()
}

/** Jepsen's unseen messages without those that an ok poll has. */
function reallyUnseen(history: History, unseen: unknown): string[] {
  const polled = new Set<string>()
  for (const { type, output } of history.operations()) {
    if (type !== 'ok' || !Array.isArray(output)) continue
    for (const [f, messages] of output as [string, Record<string, [number, unknown][]>][]) {
      if (f !== 'poll') continue
      for (const [key, pairs] of Object.entries(messages ?? {})) {
        for (const [, value] of pairs) polled.add(`${key} ${value}`)
      }
    }
  }
  const { messages = {} } = (unseen ?? {}) as { messages?: Record<string, unknown[]> }
  const all = Object.entries(messages).flatMap(([key, values]) => values.map((value) => `${key} ${value}`))
  return all.filter((message) => !polled.has(message)).sort()
}
