/**
 * Real runs of Maelstrom, judged by the workloads here: the verdict that Maelstrom gave, strictly and with
 * `--strict false`, and every key of its results, with its value where that is defined.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseHistory } from '../../src/history/read.ts'
import { DEFAULTS } from '../../src/maelstrom/running/settings.ts'
import { WORKLOADS, type WorkloadName } from '../../src/maelstrom/workloads/index.ts'
import type { Workload, WorkloadResult } from '../../src/maelstrom/workloads/workload.ts'
import { describeOracles, filesUnder, readText } from './folder.ts'

/** By the beginning of a run's name. */
const NAMES: readonly [RegExp, WorkloadName][] = [
  [/^(echo|late|bad)-/, 'echo'],
  [/^(broadcast|flood)-/, 'broadcast'],
  [/^gset-/, 'g-set'],
  [/^gcounter-/, 'g-counter'],
  [/^pncounter-/, 'pn-counter'],
  [/^kafka-/, 'kafka'],
  [/^linkv-/, 'lin-kv'],
  [/^txnla-/, 'txn-list-append'],
  [/^txnrw-/, 'txn-rw-register'],
  [/^uniq-/, 'unique-ids'],
]

/** What the runs of registers were asked for. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  'txnrw-hat-clj-rc': ['read-committed'],
  'txnrw-noiso-clj-ru': ['read-uncommitted'],
}

/** Of Maelstrom's keys, those whose values are its own: of Knossos's states it keeps some, and not always the same. */
const OTHER_VALUES: ReadonlySet<string> = new Set(['results'])

/** Maelstrom counts whole milliseconds: what was stale for less is not stale to it. */
const ABOUT_STALENESS: ReadonlySet<string> = new Set(['stale', 'stale-count', 'worst-stale'])

interface WorstStale {
  readonly element: unknown
  readonly 'stable-latency': number
}

describeOracles('maelstrom-runs', (path) => {
  const runs = filesUnder(path, /results\.json\.gz$/).map((file) => file.split('/')[0])

  it.each(runs)('%s is judged as Maelstrom did', { timeout: 120_000 }, (run) => {
    const name = NAMES.find(([pattern]) => pattern.test(run))![1]
    const workload: Workload = WORKLOADS[name]
    const recorded = (
      JSON.parse(readText(join(path, run, 'results.json.gz'))) as { workload: Record<string, unknown> }
    ).workload
    const history = parseHistory(readFileSync(join(path, run, 'history.jsonl.gz')))
    const settings = {
      ...DEFAULTS,
      nodes: ['n1'],
      concurrency: 1,
      consistencyModels: MODELS[run] ?? DEFAULTS.consistencyModels,
    }
    const ours = workload.check(history, settings)
    expect(ours['valid?']).toBe(recorded['valid?'])
    expect(workload.check(history, { ...settings, strict: false })['valid?']).toBe(recorded['valid?'])
    expect(Object.keys(ours)).toEqual(expect.arrayContaining(Object.keys(recorded)))
    const compared = Object.keys(recorded).filter(
      (key) => !OTHER_VALUES.has(key) && !ABOUT_STALENESS.has(key) && key !== 'worst-realtime-lag',
    )
    for (const key of compared) expect({ [key]: ours[key] }).toEqual({ [key]: recorded[key] })
    compareStaleness(ours, recorded)
    expect(keysOfKeys(ours.results)).toEqual(keysOfKeys(recorded.results))
    const lag = recorded['worst-realtime-lag'] as { lag: number } | undefined
    const isLate = lag !== undefined && lag.lag > 0
    expect(isLate ? ours['worst-realtime-lag'] : lag).toEqual(lag)
  })
})

function compareStaleness(ours: WorkloadResult, recorded: Readonly<Record<string, unknown>>): void {
  if (recorded.stale === undefined) return
  expect(ours.stale).toEqual(expect.arrayContaining(recorded.stale as unknown[]))
  const worst = recorded['worst-stale'] as WorstStale[]
  const same = (ours['worst-stale'] as WorstStale[]).slice(0, worst.length)
  const latencies = (all: readonly WorstStale[]): number[] => all.map((each) => each['stable-latency'])
  expect(latencies(same)).toEqual(latencies(worst))
  // What took equally long may stand in another order.
  const distinct = worst.filter(
    (each) => latencies(worst).filter((ms) => ms === each['stable-latency']).length === 1,
  )
  for (const each of distinct.slice(0, -1)) expect(same).toContainEqual(each)
}

/** For each key of lin-kv the keys that Maelstrom gives. */
function keysOfKeys(results: unknown): unknown {
  return Object.entries((results ?? {}) as Record<string, { linearizable: object }>).map(([key, result]) => [
    key,
    Object.keys(result).sort(),
    ['valid?', 'configs', 'final-paths'].every((name) => name in result.linearizable),
  ])
}
