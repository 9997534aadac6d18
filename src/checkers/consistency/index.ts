/** Models that are weaker than linearizability. */
export {
  boundedStaleness,
  kAtomicity,
  recentValues,
  type BoundedStalenessOptions,
  type KAtomicityOptions,
} from './bounded-staleness.ts'
export { causal, type CausalModel, type CausalOptions } from './causal.ts'
export { pram } from './pram.ts'
export type { RegisterGraphOptions } from './register-graph.ts'
export { sequential, type SequentialOptions } from './sequential.ts'
export {
  SESSION_GUARANTEES,
  sessionGuarantees,
  type SessionGuarantee,
  type SessionGuaranteeOptions,
} from './session-guarantees.ts'
