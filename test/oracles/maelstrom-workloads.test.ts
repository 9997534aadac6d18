/**
 * Real runs of Maelstrom, judged by the workloads here: the verdict that Maelstrom gave, and its counts, both
 * strictly and with `--strict false`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseHistory } from '../../src/history/read.ts'
import { DEFAULTS } from '../../src/maelstrom/running/settings.ts'
import { WORKLOADS, type WorkloadName } from '../../src/maelstrom/workloads/index.ts'
import type { Workload } from '../../src/maelstrom/workloads/workload.ts'
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

/** Result keys that must be the same as Maelstrom's. Not `stale-count`: Maelstrom leaves out what is stale for less than 1 ms. */
const SAME = [
  'attempt-count',
  'stable-count',
  'lost-count',
  'never-read-count',
  'stable-latencies',
  'acceptable',
  'attempted-count',
  'acknowledged-count',
  'duplicated-count',
  'bad-error-types',
  'failures',
]

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
    const same = SAME.filter((key) => recorded[key] !== undefined && recorded[key] !== null)
    expect(ours).toMatchObject(Object.fromEntries(same.map((key) => [key, recorded[key]])))
    const lag = recorded['worst-realtime-lag'] as { lag: number } | undefined
    const isLate = lag !== undefined && lag.lag > 0
    expect(isLate ? ours['worst-realtime-lag'] : lag).toEqual(lag)
  })
})
