/** Checkers of one kind of object each: sets, queues, logs, counters, locks. */
import { checker, type CheckerEntry } from './entry.ts'

export const OBJECTS: readonly CheckerEntry[] = [
  {
    name: 'set',
    family: 'objects',
    question: 'is everything acknowledged in the last read, and nothing else?',
    looksAt: '`add`, the last `read`',
    anomalies: 'lost, unexpected, duplicated, failed-but-present',
    load: async () => {
      const { set, SET_OPTIONS } = await import('../objects/set.ts')
      return checker('set', set, SET_OPTIONS)
    },
  },
  {
    name: 'set-full',
    family: 'objects',
    question: 'does every element that became known stay, on every replica?',
    looksAt: '`add`, all `read`s',
    anomalies:
      'lost, unexpected, duplicated, failed-but-present, missing-on-replica; stale with `linearizable`',
    load: async () => {
      const { setFull, SET_FULL_OPTIONS } = await import('../objects/set-full.ts')
      return checker('set-full', setFull, SET_FULL_OPTIONS)
    },
  },
  {
    name: 'broadcast',
    family: 'objects',
    question: 'does every message reach every node?',
    looksAt: '`broadcast`, all `read`s',
    anomalies: 'as `setFull`',
    load: async () => {
      const { broadcast, BROADCAST_OPTIONS } = await import('../objects/broadcast.ts')
      return checker('broadcast', broadcast, BROADCAST_OPTIONS)
    },
  },
  {
    name: 'unique-ids',
    family: 'objects',
    question: 'is every generated id unique?',
    looksAt: '`generate`',
    anomalies: 'duplicated',
    load: async () => {
      const { uniqueIds, UNIQUE_IDS_OPTIONS } = await import('../objects/unique-ids.ts')
      return checker('unique-ids', uniqueIds, UNIQUE_IDS_OPTIONS)
    },
  },
  {
    name: 'queue',
    family: 'objects',
    question: 'does a queue give out only what was put in?',
    looksAt: '`enqueue`, `dequeue`',
    anomalies: 'unexpected, duplicated, failed-but-dequeued',
    load: async () => {
      const { queue, QUEUE_OPTIONS } = await import('../objects/queue.ts')
      return checker('queue', queue, QUEUE_OPTIONS)
    },
  },
  {
    name: 'total-queue',
    family: 'objects',
    question: 'does everything acknowledged come out, once?',
    looksAt: '`enqueue`, `dequeue`, `drain`',
    anomalies: 'lost, unexpected, duplicated, failed-but-dequeued',
    load: async () => {
      const { totalQueue, TOTAL_QUEUE_OPTIONS } = await import('../objects/total-queue.ts')
      return checker('total-queue', totalQueue, TOTAL_QUEUE_OPTIONS)
    },
  },
  {
    name: 'prefix',
    family: 'objects',
    question: 'do all reads of a log agree, in an order that respects time?',
    looksAt: '`append`, `read`',
    anomalies: 'divergent, went-back, reordered, unexpected, duplicated, failed-but-present',
    load: async () => {
      const { prefix, PREFIX_OPTIONS } = await import('../objects/prefix.ts')
      return checker('prefix', prefix, PREFIX_OPTIONS)
    },
  },
  {
    name: 'kafka',
    family: 'objects',
    question: 'does a log keep what it acknowledged, once, in order?',
    looksAt: '`send`, `poll`, `txn`, `subscribe`, `assign`',
    anomalies:
      'G1a, unexpected, inconsistent-offsets, duplicate, lost-write, unseen, (int-)poll-skip, (int-)nonmonotonic-poll, int-send-skip, (int-)nonmonotonic-send, precommitted-read, G0, G1c, each cycle also -process and -realtime',
    load: async () => {
      const { kafka, KAFKA_OPTIONS } = await import('../kafka/index.ts')
      return checker('kafka', kafka, KAFKA_OPTIONS)
    },
  },
  {
    name: 'counter',
    family: 'objects',
    question: 'is every read a value that the counter can have had?',
    looksAt: '`add` (of either sign), all `read`s',
    anomalies: 'impossible-read',
    load: async () => {
      const { counter, COUNTER_OPTIONS } = await import('../objects/counter.ts')
      return checker('counter', counter, COUNTER_OPTIONS)
    },
  },
  {
    name: 'pn-counter',
    family: 'objects',
    question: 'does a counter converge to the sum of what was added?',
    looksAt: 'the same; only final reads must be complete',
    anomalies: 'impossible-read',
    load: async () => {
      const { pnCounter, PN_COUNTER_OPTIONS } = await import('../objects/pn-counter.ts')
      return checker('pn-counter', pnCounter, PN_COUNTER_OPTIONS)
    },
  },
  {
    name: 'lock',
    family: 'objects',
    question: 'does one client at a time hold the lock, with growing fences?',
    looksAt: '`acquire`, `release`, `renew`, `write` with a token',
    anomalies: 'not-exclusive, fence-not-monotonic, stale-fence-accepted',
    load: async () => {
      const { lock, LOCK_OPTIONS } = await import('../objects/lock.ts')
      return checker('lock', lock, LOCK_OPTIONS)
    },
  },
]
