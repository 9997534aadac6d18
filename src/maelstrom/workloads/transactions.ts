/**
 * txn-list-append and txn-rw-register: transactions of reads and appends, or of reads and writes, generated as Elle
 * does it and judged against consistency models. Maelstrom infers the versions of registers from writes that follow
 * reads alone; here what inference leaves open is decided by search.
 */
import { impliedModels } from '../../checkers/transactions/lattice.ts'
import { listAppend } from '../../checkers/transactions/list-append.ts'
import { rwRegister } from '../../checkers/transactions/rw-register.ts'
import type { TransactionDetails } from '../../checkers/transactions/verdict.ts'
import type { CheckResult } from '../../checkers/result.ts'
import type { Decisions } from '../decisions.ts'
import { TXN } from '../protocol/rpcs.ts'
import { findings, strictly, validity } from './judgement.ts'
import { KeyPool } from './key-pool.ts'
import { NOTHING_IDEMPOTENT, type Generator, type Workload, type WorkloadSettings } from './workload.ts'

const CLIENT: Pick<Workload, 'rpcs' | 'verify' | 'idempotent' | 'reusable' | 'invoke'> = {
  rpcs: TXN,
  verify: ({ consistencyModels }) => void impliedModels(consistencyModels), // which throws for an unknown name
  idempotent: NOTHING_IDEMPOTENT,
  reusable: true,
  invoke: async ({ rpc }, { value }) => (await rpc({ type: 'txn', txn: value })).txn,
}

export const txnListAppend: Workload = {
  ...CLIENT,
  generator: (settings, decisions) => transactions('append', settings, decisions),
  check(history, { consistencyModels }) {
    const result = listAppend(history, { consistencyModels })
    return { 'valid?': validity(result), ...anomalies(result) }
  },
}

export const txnRwRegister: Workload = {
  ...CLIENT,
  generator: (settings, decisions) => transactions('w', settings, decisions),
  check(history, { consistencyModels, strict }) {
    const asMaelstrom = { consistencyModels, wfrKeys: true, search: false, unknownWriters: false }
    const upstream = rwRegister(history, { ...asMaelstrom, initialValues: true })
    const result = strict ? rwRegister(history, { consistencyModels, wfrKeys: true }) : upstream
    const why = 'Maelstrom infers versions from writes that follow reads alone, and decides nothing by search'
    return {
      ...strictly(strict, validity(result), validity(upstream), why),
      'anomaly-types': [],
      anomalies: null,
      ...anomalies(result),
    }
  },
}

function anomalies(result: CheckResult<TransactionDetails>): Record<string, unknown> {
  const { anomalyTypes = [], not = [], alsoNot = [] } = result.details
  if (result.verdict === 'valid') return {}
  const byType = anomalyTypes.map((type) => [
    type,
    result.anomalies.filter((anomaly) => anomaly.type === type).map(({ message }) => message),
  ])
  return {
    'anomaly-types': anomalyTypes,
    anomalies: Object.fromEntries(byType),
    not,
    'also-not': alsoNot,
    ...findings(result),
  }
}

function transactions(write: 'append' | 'w', settings: WorkloadSettings, decisions: Decisions): Generator {
  const keys = new KeyPool(settings.keyCount, settings.maxWritesPerKey, decisions)
  return () => {
    const length = 1 + decisions.below(settings.maxTxnLength, 'generator')
    const txn = Array.from({ length }, () =>
      decisions.below(2, 'generator') === 0 ? ['r', keys.key(), null] : [write, ...keys.write()],
    )
    return { f: 'txn', value: txn }
  }
}
