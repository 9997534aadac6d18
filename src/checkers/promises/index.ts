/** Checkers of what a system promised its clients. */
export { exactlyOnce, type ExactlyOnceDetails, type ExactlyOnceOptions } from './exactly-once.ts'
export { finalState, type FinalStateDetails, type FinalStateOptions } from './final-state.ts'
export { noLostAck, type NoLostAckDetails, type NoLostAckOptions } from './no-lost-ack.ts'
export { reconciliation, type ReconciliationDetails, type ReconciliationOptions } from './reconciliation.ts'
