/**
 * Checks transactions that read and write registers. Who read from whom is in the values; in which order a key took
 * its values is not, and is inferred from what the options let the checker assume (see version-order.ts). Cycles of
 * dependencies then show anomalies, as in Elle.
 *
 * The question it answers: *which isolation level do these transactions certainly not have?*
 */
import type { History } from '../../history/history.ts'
import type { Budget } from '../budget.ts'
import { checkOptions, flag, type OptionSchema } from '../options.ts'
import type { CheckResult } from '../result.ts'
import { AnomalyList } from './anomaly-list.ts'
import { PROCESS, REALTIME, RW, WR, WW } from './cycles/graph.ts'
import { malformedReason, microOperations, type MicroOperations } from './micro-operations.ts'
import { decideBySearch, SEARCH_LIMIT } from './registers/register-search.ts'
import { registerAnomalies } from './registers/register-anomalies.ts'
import { registerExplainer, registerGraph } from './registers/register-graph.ts'
import { ambiguousReads, type AmbiguousReads } from './registers/register-sources.ts'
import { registerVersions } from './registers/register-versions.ts'
import {
  CONSISTENCY_OPTIONS,
  judge,
  type ConsistencyOptions,
  type TransactionDetails,
  withinLimits,
} from './verdict.ts'
import { VERSION_ORDER_OPTIONS, versionOrder, type VersionOrderOptions } from './registers/version-order.ts'

export interface RwRegisterOptions extends ConsistencyOptions, VersionOrderOptions {
  /** Whether an unknown transaction counts as committed once its write was read. Elle leaves it out. */
  readonly unknownWriters?: boolean | undefined
  /**
   * True: of each key, one value that was read and that no transaction wrote may be its initial state, as Elle has it. By
   * default the initial state is null, and a value that no transaction wrote is garbage.
   */
  readonly initialValues?: boolean | undefined
  /**
   * Whether to decide by search what inference leaves open. Without it, up to a size at which that takes seconds; then
   * a valid answer means that an order of the transactions was found which explains everything.
   */
  readonly search?: boolean | undefined
}

export const RW_REGISTER_OPTIONS: OptionSchema<RwRegisterOptions> = {
  ...CONSISTENCY_OPTIONS,
  ...VERSION_ORDER_OPTIONS,
  unknownWriters: flag(
    'a transaction of unknown outcome counts as committed once its write was read; true by default, Elle leaves it out',
  ),
  initialValues: flag(
    'one value of each key that no transaction wrote may be its initial state, as Elle has it; garbage by default',
  ),
  search: flag('decide by search what inference leaves open; by default up to 100,000 transactions'),
}

/** A value that was read is explained by that first. */
const PREFERENCE = [WR, WW, RW, PROCESS, REALTIME]

export function rwRegister(
  history: History,
  options: RwRegisterOptions = {},
): CheckResult<TransactionDetails> {
  checkOptions('rw-register', RW_REGISTER_OPTIONS, options)
  return withinLimits('rw-register', history, options, (limited, budget) =>
    registered(history, limited, budget),
  )
}

function registered(
  history: History,
  options: RwRegisterOptions,
  budget: Budget,
): CheckResult<TransactionDetails> {
  const txns = microOperations(history, 'w')
  const ambiguous = ambiguousReads(txns)
  const result = decide(history, txns, ambiguous, options, budget)
  if (ambiguous === null || result.verdict === 'valid') return result
  if (result.verdict === 'invalid' && result.details.decidedBy === 'search') return result
  // The guess explains nothing. What is wrong without the ambiguous reads is wrong whatever they saw.
  const certain = infer(ambiguous.certain, null, options, budget)
  if (certain.verdict === 'invalid') return certain
  return { ...certain, verdict: 'unknown', reason: ambiguous.reason }
}

/** By inference, and by search where inference leaves the question open. */
function decide(
  history: History,
  txns: MicroOperations,
  ambiguous: AmbiguousReads | null,
  options: RwRegisterOptions,
  budget: Budget,
): CheckResult<TransactionDetails> {
  const inferred = infer(txns, ambiguous, options, budget)
  if (inferred.verdict === 'invalid' || budget.reason !== null) return inferred
  const { search, consistencyModels = ['strict-serializable'] } = options
  if (search === false) return { ...inferred, assumptions: [NOT_SEARCHED] }
  if (search === undefined && txns.count > SEARCH_LIMIT) return tooManyToSearch(inferred)
  return decideBySearch(history, consistencyModels, inferred, budget)
}

const NOT_SEARCHED = 'what cannot be inferred about the order of versions was not searched'

function tooManyToSearch(inferred: CheckResult<TransactionDetails>): CheckResult<TransactionDetails> {
  if (inferred.verdict !== 'valid') return inferred
  const reason = `no anomaly could be inferred, and more than ${SEARCH_LIMIT} transactions are not searched unless asked: "search" true searches, false takes this for valid`
  return { ...inferred, verdict: 'unknown', reason }
}

function infer(
  txns: MicroOperations,
  ambiguous: AmbiguousReads | null,
  options: RwRegisterOptions,
  budget: Budget,
): CheckResult<TransactionDetails> {
  const versions = registerVersions(txns, options.unknownWriters ?? true, ambiguous)
  const anomalies = new AnomalyList()
  registerAnomalies(txns, versions, anomalies, options.initialValues)
  const ordered = budget.within(0, () => {
    const order = versionOrder(txns, versions, options, anomalies)
    return { order, graph: registerGraph(txns, versions, order) }
  })
  const sources = ordered?.order.sources ?? []
  return judge(
    {
      checker: 'rw-register',
      method: `version orders from ${sources.join(', ')}; cycles of dependencies`,
      txns,
      graph: ordered?.graph ?? null,
      anomalies,
      explain: ordered === null ? () => null : registerExplainer(txns, versions, ordered.order),
      preference: PREFERENCE,
      selfLinksCount: true,
      weakness: malformedReason(txns),
      details: { versionOrderSources: sources, decidedBy: 'inference' },
    },
    options,
  )
}
