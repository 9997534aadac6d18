/**
 * Checks transactions that append to lists and read them, as Elle does (Kingsbury and Alvaro, VLDB 2020): version
 * orders come from the reads themselves, dependencies from the version orders, anomalies from cycles of dependencies.
 * Sound: what it reports cannot happen under the models it says are ruled out. Complete for what the reads show; about
 * appends that no read shows little is known.
 *
 * The question it answers: *which isolation level do these transactions certainly not have?*
 */
import type { History } from '../../history/history.ts'
import type { Budget } from '../budget.ts'
import { checkOptions, type OptionSchema } from '../options.ts'
import type { CheckResult } from '../result.ts'
import { AnomalyList } from './anomaly-list.ts'
import { listAnomalies } from './lists/list-anomalies.ts'
import { listExplainer, listGraph } from './lists/list-graph.ts'
import { retriedListAnomalies, retriedLists } from './lists/list-retries.ts'
import { listVersions } from './lists/list-versions.ts'
import { malformedReason, microOperations } from './micro-operations.ts'
import {
  CONSISTENCY_OPTIONS,
  judge,
  type ConsistencyOptions,
  type TransactionDetails,
  withinLimits,
} from './verdict.ts'

export type ListAppendOptions = ConsistencyOptions

export const LIST_APPEND_OPTIONS: OptionSchema<ListAppendOptions> = CONSISTENCY_OPTIONS

export function listAppend(
  history: History,
  options: ListAppendOptions = {},
): CheckResult<TransactionDetails> {
  checkOptions('list-append', LIST_APPEND_OPTIONS, options)
  return withinLimits('list-append', history, options, (limited, budget) =>
    appended(history, limited, budget),
  )
}

function appended(
  history: History,
  options: ListAppendOptions,
  budget: Budget,
): CheckResult<TransactionDetails> {
  const all = microOperations(history, 'append')
  const retried = retriedLists(all)
  const txns = retried?.others ?? all
  const versions = listVersions(txns)
  const anomalies = new AnomalyList()
  listAnomalies(txns, versions, anomalies)
  if (retried !== null) retriedListAnomalies(all, retried, anomalies)
  return judge(
    {
      checker: 'list-append',
      method: 'version orders from reads, cycles of dependencies',
      txns,
      graph: budget.within(0, () => listGraph(txns, versions)),
      anomalies,
      explain: listExplainer(txns, versions),
      weakness: retried?.reason ?? malformedReason(txns),
    },
    options,
  )
}
