/**
 * The results of a test under Maelstrom's keys, and `nodes`, which is ours: what nodes did against the protocol.
 * Maelstrom passes most of that silently, or ends without results.
 */
import { availability } from '../../checkers/service/availability.ts'
import { stats, type StatsDetails } from '../../checkers/service/stats.ts'
import { unhandledExceptions } from '../../checkers/service/unhandled-exceptions.ts'
import type { History } from '../../history/history.ts'
import { validity } from '../workloads/judgement.ts'
import type { Validity, Workload, WorkloadResult } from '../workloads/workload.ts'
import type { Cluster } from './cluster.ts'
import { FATAL_FAULTS, type NodeFaults } from './node-fault.ts'
import type { TestSettings } from './settings.ts'

export interface Results {
  readonly perf: Readonly<Record<string, unknown>> & { readonly 'valid?': true }
  readonly timeline: { readonly 'valid?': true }
  readonly stats: Readonly<Record<string, unknown>>
  readonly availability: { readonly 'valid?': Validity; readonly 'ok-fraction': number }
  readonly exceptions: Readonly<Record<string, unknown>>
  readonly net: ReturnType<Cluster['network']['journal']['statistics']>
  readonly nodes: {
    readonly 'valid?': Validity
    readonly counts: Readonly<Record<string, number>>
    readonly errors: NodeFaults['kept']
  }
  readonly workload: WorkloadResult
  /** The test was ended from outside: what it did not see is unknown. */
  readonly interrupted?: true
  readonly 'valid?': Validity
}

export function resultsOf(
  settings: TestSettings,
  workload: Workload,
  history: History,
  { faults, network }: Cluster,
  interrupted: boolean,
): Results {
  const drawn = { 'valid?': true } as const
  const parts = {
    perf: { 'latency-graph': drawn, 'rate-graph': drawn, ...drawn },
    timeline: drawn,
    stats: statistics(history),
    availability: available(history, settings.availability),
    exceptions: exceptions(history),
    net: network.journal.statistics(history.length),
    nodes: conduct(faults, settings.strict),
    workload: workload.check(history, settings),
  }
  const verdicts: Validity[] = Object.values(parts).map((part) => part['valid?'])
  if (!interrupted) return { ...parts, 'valid?': worst(verdicts) }
  return { ...parts, interrupted: true, 'valid?': worst([...verdicts, 'unknown']) }
}

export function worst(all: readonly Validity[]): Validity {
  return all.includes(false) ? false : all.includes('unknown') ? 'unknown' : true
}

function statistics(history: History) {
  const result = stats(history, { except: ['crash'] })
  const details = result.details as StatsDetails
  const counts = ({ count, ok, fail, info }: Pick<StatsDetails, 'count' | 'ok' | 'fail' | 'info'>) => ({
    count,
    'ok-count': ok,
    'fail-count': fail,
    'info-count': info,
  })
  const byFunction = (details.byFunction ?? []).map((each) => [
    each.f,
    { 'valid?': each.ok > 0, ...counts(each) },
  ])
  return { 'valid?': validity(result), ...counts(details), 'by-f': Object.fromEntries(byFunction) }
}

function available(history: History, atLeast: TestSettings['availability']) {
  const result = availability(history, atLeast === null ? {} : { atLeast })
  return {
    'valid?': atLeast === null ? true : validity(result),
    'ok-fraction': result.details.okShare ?? 1,
  }
}

function exceptions(history: History) {
  const { details } = unhandledExceptions(history)
  return { 'valid?': true, ...details }
}

function conduct(faults: NodeFaults, strict: boolean): Results['nodes'] {
  const bad = [...faults.counts.keys()].some((kind) => strict || FATAL_FAULTS.has(kind))
  return { 'valid?': !bad, counts: Object.fromEntries(faults.counts), errors: faults.kept }
}
