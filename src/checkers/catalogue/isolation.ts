/** Isolation levels of register transactions, decided: a yes with the order of commits that shows it, or a no. */
import { checker, type CheckerEntry } from './entry.ts'

export const ISOLATION: readonly CheckerEntry[] = [
  {
    name: 'read-committed',
    family: 'isolation',
    question:
      'is nothing read that was aborted, intermediate or older than what the transaction read before?',
    looksAt: '`txn`; by saturation, near-linear',
    anomalies: '`LEVEL`-violation, stale-read, G1a, G1b, garbage-read, internal, future-read',
    load: async () => {
      const { readCommitted, WEAK_LEVEL_OPTIONS } = await import('../transactions/levels/index.ts')
      return checker('read-committed', readCommitted, WEAK_LEVEL_OPTIONS)
    },
  },
  {
    name: 'item-cut-isolation',
    family: 'isolation',
    question: 'read committed, and does a transaction see one version of each key?',
    looksAt: '`txn`; by saturation, near-linear',
    anomalies: '`LEVEL`-violation, stale-read, G1a, G1b, garbage-read, internal, future-read',
    load: async () => {
      const { itemCutIsolation, WEAK_LEVEL_OPTIONS } = await import('../transactions/levels/index.ts')
      return checker('item-cut-isolation', itemCutIsolation, WEAK_LEVEL_OPTIONS)
    },
  },
  {
    name: 'read-atomic',
    family: 'isolation',
    question: 'does a transaction see all of another or nothing?',
    looksAt: '`txn`; by saturation, near-linear',
    anomalies: '`LEVEL`-violation, stale-read, G1a, G1b, garbage-read, internal, future-read',
    load: async () => {
      const { readAtomic, WEAK_LEVEL_OPTIONS } = await import('../transactions/levels/index.ts')
      return checker('read-atomic', readAtomic, WEAK_LEVEL_OPTIONS)
    },
  },
  {
    name: 'causal',
    family: 'isolation',
    question: 'does a transaction see everything that what it sees depends on?',
    looksAt: '`txn`; by saturation, near-linear',
    anomalies: '`LEVEL`-violation, stale-read, G1a, G1b, garbage-read, internal, future-read',
    load: async () => {
      const { causal, WEAK_LEVEL_OPTIONS } = await import('../transactions/levels/index.ts')
      return checker('causal', causal, WEAK_LEVEL_OPTIONS)
    },
  },
  {
    name: 'prefix-consistent',
    family: 'isolation',
    question: 'does every transaction see a prefix of one order of commits?',
    looksAt: '`txn`; by known order, pruning of writer pairs, search with learned conflicts',
    anomalies: '`LEVEL`-violation, stale-read, G1a, G1b, garbage-read, internal, future-read',
    load: async () => {
      const { prefixConsistent, LEVEL_OPTIONS } = await import('../transactions/levels/index.ts')
      return checker('prefix-consistent', prefixConsistent, LEVEL_OPTIONS)
    },
  },
  {
    name: 'snapshot-isolation',
    family: 'isolation',
    question: 'the same, and do concurrent transactions write different keys?',
    looksAt: '`txn`; by known order, pruning of writer pairs, search with learned conflicts',
    anomalies: '`LEVEL`-violation, stale-read, G1a, G1b, garbage-read, internal, future-read',
    load: async () => {
      const { snapshotIsolation, LEVEL_OPTIONS } = await import('../transactions/levels/index.ts')
      return checker('snapshot-isolation', snapshotIsolation, LEVEL_OPTIONS)
    },
  },
  {
    name: 'serializable',
    family: 'isolation',
    question: 'is there one order of the transactions that explains every read?',
    looksAt: '`txn`; by known order, pruning of writer pairs, search with learned conflicts',
    anomalies: '`LEVEL`-violation, stale-read, G1a, G1b, garbage-read, internal, future-read',
    load: async () => {
      const { serializable, LEVEL_OPTIONS } = await import('../transactions/levels/index.ts')
      return checker('serializable', serializable, LEVEL_OPTIONS)
    },
  },
]
