/**
 * Checkers: a history in, a verdict out, with what proves it. Each answers one question; all return the same shape of
 * result and never throw on a history, however broken. catalogue.ts lists them.
 *
 * ```ts
 * linearizable(history, models.casRegister())
 * combine({ elements: objects.setFull, statistics: service.stats })(history)
 * ```
 */
export { conclude, worst } from './result.ts'
export type { Anomaly, AnyDetails, Checker, CheckResult, Findings, Verdict } from './result.ts'
export { combine, perKey } from './compose.ts'
export { Budget, type BudgetOptions, type Limits } from './budget.ts'

export { ILLEGAL } from './linearizable/model.ts'
export { linearizable } from './linearizable/index.ts'
export type {
  AnyModel,
  Illegal,
  LinearizabilityDetails,
  LinearizabilityProof,
  LinearizableOptions,
  Model,
  NondeterministicModel,
  Partition,
} from './linearizable/index.ts'

/** Sequential specifications for `linearizable`: `models.register()`, `models.queue()`, … */
export * as models from './linearizable/models/index.ts'
/** Conditions weaker than linearizable: `consistency.sequential()`, `consistency.causal()`, … */
export * as consistency from './consistency/index.ts'
/** One kind of object each: `objects.setFull()`, `objects.queue()`, `objects.lock()`, … */
export * as objects from './objects/index.ts'
/** What a system promised: `promises.noLostAck()`, `promises.exactlyOnce()`, … */
export * as promises from './promises/index.ts'
/** How well a system serves: `service.latency()`, `service.availability()`, … */
export * as service from './service/index.ts'
/** Which isolation levels transactions do not have: `transactions.listAppend()`, `transactions.rwRegister()`, … */
export * as transactions from './transactions/index.ts'
/** Whether transactions have one isolation level: `isolation.serializable()`, `isolation.causal()`, … */
export * as isolation from './transactions/isolation.ts'
