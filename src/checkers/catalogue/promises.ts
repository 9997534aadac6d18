/** Checkers of what a system promised its clients. */
import { checker, type CheckerEntry } from './entry.ts'

export const PROMISES: readonly CheckerEntry[] = [
  {
    name: 'no-lost-ack',
    family: 'promises',
    question: 'is everything acknowledged still there at the end?',
    looksAt: '`write`, final `read`s of lists, maps or single keys; a time-out is no acknowledgement',
    anomalies: 'lost',
    load: async () => {
      const { noLostAck, NO_LOST_ACK_OPTIONS } = await import('../promises/no-lost-ack.ts')
      return checker('no-lost-ack', noLostAck, NO_LOST_ACK_OPTIONS)
    },
  },
  {
    name: 'exactly-once',
    family: 'promises',
    question: 'did every accepted request take effect exactly once?',
    looksAt: '`submit`, `effect` or a final `read`, by business key',
    anomalies: 'duplicated, lost, unexpected, failed-but-done',
    load: async () => {
      const { exactlyOnce, EXACTLY_ONCE_OPTIONS } = await import('../promises/exactly-once.ts')
      return checker('exactly-once', exactlyOnce, EXACTLY_ONCE_OPTIONS)
    },
  },
  {
    name: 'reconciliation',
    family: 'promises',
    question: 'do all replicas end in the same state?',
    looksAt: 'final `read`s',
    anomalies: 'replicas-differ',
    load: async () => {
      const { reconciliation, RECONCILIATION_OPTIONS } = await import('../promises/reconciliation.ts')
      return checker('reconciliation', reconciliation, RECONCILIATION_OPTIONS)
    },
  },
  {
    name: 'final-state',
    family: 'promises',
    question: 'does the final state satisfy your invariant?',
    looksAt: 'final `read`s; from code only, since the invariant is a function',
    anomalies: 'invariant-broken',
    load: async () => {
      const { finalState, FINAL_STATE_OPTIONS } = await import('../promises/final-state.ts')
      return checker('final-state', finalState, FINAL_STATE_OPTIONS)
    },
  },
]
