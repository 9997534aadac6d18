/**
 * Checks transactions that read and write registers. Who read from whom is in the values; in which order a key took
 * its values is not, and is inferred from what the options let the checker assume (see version-order.ts). Cycles of
 * dependencies then show anomalies, as in Elle.
 *
 * The question it answers: *which isolation level do these transactions certainly not have?*
 */
import type { History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import type { CheckResult } from '../result.ts'
import { AnomalyList } from './anomaly-list.ts'
import { PROCESS, REALTIME, RW, WR, WW } from './graph.ts'
import { malformedReason, microOperations, operationId, type MicroOperations } from './micro-operations.ts'
import { decideBySearch, SEARCH_LIMIT } from './register-search.ts'
import { registerAnomalies } from './register-anomalies.ts'
import { registerExplainer, registerGraph } from './register-graph.ts'
import { registerVersions, type RegisterVersions } from './register-versions.ts'
import { judge, type ConsistencyOptions } from './verdict.ts'
import { versionOrder, type VersionOrderOptions } from './version-order.ts'

export interface RwRegisterOptions extends ConsistencyOptions, VersionOrderOptions {
  /** Whether an unknown transaction counts as committed once its write was read. Elle leaves it out. */
  readonly unknownWriters?: boolean | undefined
  /**
   * Whether to decide by search what inference leaves open. Without it, up to a size at which that takes seconds; then
   * a valid answer means that an order of the transactions was found which explains everything.
   */
  readonly search?: boolean | undefined
}

/** A value that was read is explained by that first. */
const PREFERENCE = [WR, WW, RW, PROCESS, REALTIME]

export function rwRegister(history: History, options: RwRegisterOptions = {}): CheckResult {
  const txns = microOperations(history, 'w')
  const versions = registerVersions(txns, options.unknownWriters ?? true)
  const anomalies = new AnomalyList()
  registerAnomalies(txns, versions, anomalies)
  const order = versionOrder(txns, versions, options, anomalies)
  const inferred = judge(
    {
      checker: 'rw-register',
      method: `version orders from ${order.sources.join(', ')}; cycles of dependencies`,
      txns,
      graph: registerGraph(txns, versions, order),
      anomalies,
      explain: registerExplainer(txns, versions, order),
      preference: PREFERENCE,
      selfLinksCount: true,
      weakness: weakness(txns, versions),
      details: { versionOrderSources: order.sources, decidedBy: 'inference' },
    },
    options,
  )
  if (inferred.verdict === 'invalid' || !(options.search ?? txns.count <= SEARCH_LIMIT)) return inferred
  return decideBySearch(history, options.consistencyModels ?? ['strict-serializable'], inferred)
}

function weakness(txns: MicroOperations, { repeatedWrites }: RegisterVersions): string | null {
  if (repeatedWrites.length > 0) {
    const m = repeatedWrites[0]
    return `operation ${operationId(txns, txns.transaction[m])} writes ${show(txns.value[m])} to key ${show(txns.keys[txns.key[m]])} a second time: reads cannot be traced to their writers`
  }
  return malformedReason(txns)
}
