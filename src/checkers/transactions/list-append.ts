/**
 * Checks transactions that append to lists and read them, as Elle does (Kingsbury and Alvaro, VLDB 2020): version
 * orders come from the reads themselves, dependencies from the version orders, anomalies from cycles of dependencies.
 * Sound: what it reports cannot happen under the models it says are ruled out. Complete for what the reads show; about
 * appends that nobody read little is known.
 *
 * The question it answers: *which isolation level do these transactions certainly not have?*
 */
import type { History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import type { CheckResult } from '../result.ts'
import { AnomalyList } from './anomaly-list.ts'
import { listAnomalies } from './list-anomalies.ts'
import { listExplainer, listGraph } from './list-graph.ts'
import { listVersions, type ListVersions } from './list-versions.ts'
import { malformedReason, microOperations, operationId, type MicroOperations } from './micro-operations.ts'
import { judge, type ConsistencyOptions } from './verdict.ts'

export type ListAppendOptions = ConsistencyOptions

export function listAppend(history: History, options: ListAppendOptions = {}): CheckResult {
  const txns = microOperations(history, 'append')
  const versions = listVersions(txns)
  const anomalies = new AnomalyList()
  listAnomalies(txns, versions, anomalies)
  return judge(
    {
      checker: 'list-append',
      method: 'version orders from reads, cycles of dependencies',
      txns,
      graph: listGraph(txns, versions),
      anomalies,
      explain: listExplainer(txns, versions),
      weakness: weakness(txns, versions),
    },
    options,
  )
}

function weakness(txns: MicroOperations, { repeatedAppends }: ListVersions): string | null {
  if (repeatedAppends.length > 0) {
    const m = repeatedAppends[0]
    return `operation ${operationId(txns, txns.transaction[m])} appends ${show(txns.value[m])} to key ${show(txns.keys[txns.key[m]])} a second time: reads cannot be traced to their writers`
  }
  return malformedReason(txns)
}
