/** Checkers of transactions: by the anomalies that their reads show, and by workloads of their own. */
import { checker, NO_OPTIONS, type CheckerEntry } from './entry.ts'

export const TRANSACTIONS: readonly CheckerEntry[] = [
  {
    name: 'list-append',
    family: 'transactions',
    question: 'which isolation level do transactions on lists not have?',
    looksAt: '`txn`: version orders that the reads show, cycles of dependencies',
    anomalies: 'see below',
    load: async () => {
      const { listAppend, LIST_APPEND_OPTIONS } = await import('../transactions/list-append.ts')
      return checker('list-append', listAppend, LIST_APPEND_OPTIONS)
    },
  },
  {
    name: 'rw-register',
    family: 'transactions',
    question: 'which isolation level do transactions on registers not have?',
    looksAt: '`txn`: the same, as far as version orders can be inferred; then by search',
    anomalies: 'see below',
    load: async () => {
      const { rwRegister, RW_REGISTER_OPTIONS } = await import('../transactions/rw-register.ts')
      return checker('rw-register', rwRegister, RW_REGISTER_OPTIONS)
    },
  },
  {
    name: 'closed-predicate',
    family: 'transactions',
    question: 'the same, with reads of everything that matches a predicate',
    looksAt: '`init`, `txn`: all versions of all keys are known, also those that a read did not return',
    anomalies: 'see below',
    load: async () => {
      const { closedPredicate, CLOSED_PREDICATE_OPTIONS } =
        await import('../transactions/closed-predicate.ts')
      return checker('closed-predicate', closedPredicate, CLOSED_PREDICATE_OPTIONS)
    },
  },
  {
    name: 'bank',
    family: 'transactions',
    question: 'does every read of all accounts see the same total?',
    looksAt: '`read`',
    anomalies: 'wrong-total, negative-balance, no-balance, missing-account, unexpected-account',
    load: async () => {
      const { bank, BANK_OPTIONS } = await import('../transactions/workloads/bank.ts')
      return checker('bank', bank, BANK_OPTIONS)
    },
  },
  {
    name: 'long-fork',
    family: 'transactions',
    question: 'do all reads see writes in one order?',
    looksAt: 'reads of a group of keys, each written once',
    anomalies: 'long-fork, two-values',
    load: async () => {
      const { longFork, LONG_FORK_OPTIONS } = await import('../transactions/workloads/long-fork.ts')
      return checker('long-fork', longFork, LONG_FORK_OPTIONS)
    },
  },
  {
    name: 'causal-reverse',
    family: 'transactions',
    question: 'is a write ever seen without one that was done before it?',
    looksAt: '`write`, reads of all',
    anomalies: 'causal-reverse',
    load: async () => {
      const { causalReverse } = await import('../transactions/workloads/causal-reverse.ts')
      return checker('causal-reverse', causalReverse, NO_OPTIONS)
    },
  },
  {
    name: 'write-skew',
    family: 'transactions',
    question: 'do two transactions both do what only one of them may?',
    looksAt: '`insert`',
    anomalies: 'G2',
    load: async () => {
      const { writeSkew } = await import('../transactions/workloads/write-skew.ts')
      return checker('write-skew', writeSkew, NO_OPTIONS)
    },
  },
  {
    name: 'dirty-update',
    family: 'transactions',
    question: 'is a committed append built on an aborted one?',
    looksAt: '`txn`',
    anomalies: 'dirty-update',
    load: async () => {
      const { dirtyUpdate, SINGLE_ANOMALY_OPTIONS } = await import('../transactions/single-anomaly.ts')
      return checker('dirty-update', dirtyUpdate, SINGLE_ANOMALY_OPTIONS)
    },
  },
  {
    name: 'lost-update',
    family: 'transactions',
    question: 'do two transactions update the same version?',
    looksAt: '`txn`',
    anomalies: 'lost-update',
    load: async () => {
      const { lostUpdate, SINGLE_ANOMALY_OPTIONS } = await import('../transactions/single-anomaly.ts')
      return checker('lost-update', lostUpdate, SINGLE_ANOMALY_OPTIONS)
    },
  },
  {
    name: 'internal-consistency',
    family: 'transactions',
    question: 'does each transaction see its own writes?',
    looksAt: '`txn`',
    anomalies: 'internal, future-read',
    load: async () => {
      const { internalConsistency, SINGLE_ANOMALY_OPTIONS } =
        await import('../transactions/single-anomaly.ts')
      return checker('internal-consistency', internalConsistency, SINGLE_ANOMALY_OPTIONS)
    },
  },
]
