/**
 * Judges a stored run again: its history by the workload's `check`, its events by the invariants. It works on whatever
 * is there, so also on a run whose tool was killed; what the end of a run would have told is then a doubt.
 */
import type { CheckResult } from '../../checkers/result.ts'
import type { History } from '../../history/history.ts'
import { readHistory } from '../../history/read.ts'
import { Choices } from '../../kernel/choices.ts'
import type { Simulation } from '../../sim/authoring/definition.ts'
import type { OperationEvent } from '../../sim/authoring/operations.ts'
import { ChoiceRng } from '../../sim/authoring/rng.ts'
import type { OperationCounts } from '../../sim/campaign/result.ts'
import { resultsOf } from '../../sim/running/check-results.ts'
import { everything } from '../../sim/running/director.ts'
import { isMistake } from '../../sim/running/mistake.ts'
import { loadOf } from './load.ts'
import { Observation } from './observation.ts'
import { GoneFiles } from './real-files.ts'
import { doubtsOf, successesInTime, verdictOf, type RealFailure, type RealResult } from './result.ts'
import type { RunFolder } from './store.ts'

export async function analyzeRun(folder: RunFolder, simulation: Simulation): Promise<RealResult> {
  const test = folder.test()
  const failures: RealFailure[] = []
  const fail = (category: RealFailure['category'], title: string, reason: unknown): void => {
    const message = reason instanceof Error ? reason.message : String(reason)
    failures.push({ category, title, message, timeUs: observation.events.entries().at(-1)?.timeUs ?? 0 })
  }
  const { definition } = simulation
  const { workload } = definition
  const files = new GoneFiles(definition.needsTank !== undefined)
  const observation = new Observation({
    definition,
    files,
    nowUs: () => 0,
    drain: () => {},
    fail,
    blind: test.blind ?? null,
    path: null,
  })
  for (const event of folder.storedEvents()) observation.take(event)
  const history = await readHistory(folder.history)
  const checks = await checkAgain(history)
  const faults = folder.faults()
  const found = {
    operations: countsOf(history),
    checks,
    invariants: observation.invariants(),
    faults,
    nemeses: test.nemeses,
  }
  const events = observation.events.entries()
  const isWhole = events.some(({ name, data }) => name === 'phase' && data === 'done')
  const begun = events.filter(
    ({ name, data }) => name === 'real-fault' && (data as { change: string }).change === 'begin',
  )
  const doubts = [
    ...doubtsOf(found, {
      okInTime: successesInTime(observation.events),
      allowGaps: definition.allowGaps,
    }),
    ...(isWhole ? [] : ['the run was cut off before its end']),
    ...(begun.length > faults.length
      ? [`${begun.length - faults.length} faults have no end, so no evidence`]
      : []),
  ]
  const { tankNames: _, counts: __, ...asked } = test
  return {
    ...asked,
    ...found,
    load: loadOf(folder.turns(), test.rate === 0 ? 'closed' : 'open', events.at(-1)?.timeUs ?? 0),
    durationS: (events.at(-1)?.timeUs ?? 0) / 1e6,
    failures,
    doubts,
    verdict: verdictOf({ failures, doubts }),
  }

  async function checkAgain(recorded: History): Promise<CheckResult[]> {
    if (workload.check === undefined) return []
    const rng = new ChoiceRng(new Choices({ seed: test.seed }), 'check', false)
    const context = { seed: test.seed, level: 'sunny' as const, hosts: {}, processes: [], rng }
    const all = everything(observation.events)
    try {
      const returned: unknown = await workload.check({
        ...context,
        history: recorded,
        events: all,
        files,
      })
      const { results, wrong } = resultsOf(returned)
      if (wrong !== null) fail('mistake', 'check', wrong)
      for (const { checker, verdict, anomalies } of results)
        if (verdict === 'invalid')
          fail('checker', checker, anomalies[0]?.message ?? `${checker} says invalid`)
      return [...results]
    } catch (error) {
      fail(isMistake(error) ? 'mistake' : 'check', 'check', error)
      return []
    }
  }
}

function countsOf(history: History): OperationCounts[] {
  const counts = new Map<string, Record<Exclude<OperationEvent['type'], 'invoke'>, number>>()
  for (let position = 0; position < history.length; position++) {
    const { f, type } = history.operation(position)
    if (!counts.has(f)) counts.set(f, { ok: 0, fail: 0, info: 0 })
    counts.get(f)![type]++
  }
  return [...counts].map(([f, each]) => ({ f, ...each })).sort((a, b) => (a.f < b.f ? -1 : 1))
}
