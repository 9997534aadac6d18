/**
 * Checkers: a history in, a verdict out, with what proves it. Each answers one question, which its file states; all
 * return the same shape of result and never throw on a history, however broken.
 */
export { conclude, worst } from './result.ts'
export type { Anomaly, Checker, CheckResult, Findings, Verdict } from './result.ts'
export { all, perKey } from './compose.ts'

export { ILLEGAL, linearizable } from './linearizable/index.ts'
export type {
  AnyModel,
  Illegal,
  LinearizabilityProof,
  LinearizableOptions,
  Model,
  NondeterministicModel,
  Partition,
} from './linearizable/index.ts'
/** Sequential specifications for `linearizable`: `models.register()`, `models.queue()`, … */
export * as models from './linearizable/models/index.ts'

/** Weaker than linearizable: `consistency.sequential()`, `consistency.causal()`, … */
export * as consistency from './consistency/index.ts'

export * from './transactions/index.ts'

export { availability, type AvailabilityOptions } from './availability.ts'
export { broadcast, type BroadcastOptions } from './broadcast.ts'
export { counter, type CounterOptions } from './counter.ts'
export { exactlyOnce, type ExactlyOnceOptions } from './exactly-once.ts'
export { fairness, type FairnessOptions } from './fairness.ts'
export { finalState, type FinalStateOptions } from './final-state.ts'
export { kafka, type KafkaOptions } from './kafka/index.ts'
export { latency, type LatencyOptions } from './latency.ts'
export { lock, type LockOptions } from './lock.ts'
export { noLostAck, type NoLostAckOptions } from './no-lost-ack.ts'
export { pnCounter } from './pn-counter.ts'
export { prefix, type PrefixOptions } from './prefix.ts'
export { queue, type QueueOptions } from './queue.ts'
export { rate, type RateOptions } from './rate.ts'
export { reconciliation, type ReconciliationOptions } from './reconciliation.ts'
export { set, type SetOptions } from './set.ts'
export { setFull, type SetFullOptions } from './set-full.ts'
export { stats, type StatsOptions } from './stats.ts'
export { totalQueue, type TotalQueueOptions } from './total-queue.ts'
export { uniqueIds, type UniqueIdsOptions } from './unique-ids.ts'
export { unhandledExceptions } from './unhandled-exceptions.ts'
