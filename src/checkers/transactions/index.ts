/**
 * Checkers of transactional histories. An operation `txn` has a list of micro-operations: `['append', key, element]`
 * and `['r', key, list]`, or `['w', key, value]` and `['r', key, value]`.
 */
export { listAppend, type ListAppendOptions } from './list-append.ts'
export { rwRegister, type RwRegisterOptions } from './rw-register.ts'
export type { ConsistencyOptions, TransactionDetails } from './verdict.ts'
export type { VersionOrderOptions } from './registers/version-order.ts'
export type { CycleDetails, CycleStep } from './cycles/explanation.ts'
export {
  ANOMALY_TYPES,
  CONSISTENCY_MODELS,
  forbiddenAnomalies,
  impliedAnomalies,
  impliedModels,
  modelBoundary,
  type ModelBoundary,
} from './lattice.ts'
export { closedPredicate } from './closed-predicate.ts'
export { dirtyUpdate, internalConsistency, lostUpdate } from './single-anomaly.ts'
export { bank, type BankOptions } from './workloads/bank.ts'
export { causalReverse } from './workloads/causal-reverse.ts'
export { longFork, type LongForkOptions } from './workloads/long-fork.ts'
export { writeSkew } from './workloads/write-skew.ts'
