/** Sixteen ways in which distributed systems have failed before. A plan answers each with yes, no or maybe in §4. */
import type { Catalogue, Entry } from './entry.ts'

export interface Pitfall extends Entry {
  /** What users or operators see. */
  readonly symptom: string
  /** The technique that finds it best: an id of the techniques. */
  readonly technique: string
  /** A hypothesis with blanks. */
  readonly hypothesis: string
}

type Row = readonly [
  id: string,
  title: string,
  symptom: string,
  text: string,
  technique: string,
  hypothesis: string,
  references: readonly string[],
]

const JEPSEN = 'Jepsen analyses, 2013–2025'

const ROWS: readonly Row[] = [
  [
    'lost-update-under-partition',
    'Lost update under partition',
    'an acknowledged write is gone after the network heals',
    'Two sides accept writes, or a deposed leader acknowledges one; healing keeps only one side.',
    'deterministic-simulation',
    'If … is cut off while …, a write that it acknowledged is missing after healing.',
    [JEPSEN, 'Alquraan et al.: An Analysis of Network-Partition Failures, 2018'],
  ],
  [
    'stale-follower-read',
    'Stale read from a follower',
    'a client does not see its own write',
    'A read goes to a replica that has not applied the write, and nothing ties the read to a version.',
    'history-checking',
    'If a read of … is served by a replica that lags, it returns a value older than one already seen.',
    ['Terry et al.: Session Guarantees, 1994', JEPSEN],
  ],
  [
    'replica-divergence',
    'Replicas diverge',
    'replicas disagree forever without an error',
    'Replicas apply the same operations in another order, or one of them depends on time, randomness or iteration order.',
    'deterministic-simulation',
    'After quiescence, replicas of … differ in ….',
    ['Schneider: Implementing Fault-Tolerant Services Using the State Machine Approach, 1990'],
  ],
  [
    'linearizability-under-clock-skew',
    'Linearizability lost to clock skew',
    'old values come back; later writes lose',
    'Order is taken from wall clocks: the last write wins by a clock that runs ahead.',
    'deterministic-simulation',
    'If the clock of … is … ahead, a later write to … is overwritten by an earlier one.',
    ['Corbett et al.: Spanner, 2012', JEPSEN],
  ],
  [
    'lost-ack',
    'Lost acknowledgement taken for a lost commit',
    'a retry does the work twice, or an error is shown for something that happened',
    'The answer is lost after the commit; the client cannot know, and treats unknown as failed.',
    'history-checking',
    'If the answer to … is lost after the commit, a retry …, or the client reports a failure that did not happen.',
    ['Helland: Life beyond Distributed Transactions, 2007'],
  ],
  [
    'reconfiguration-race',
    'Race in reconfiguration',
    'two quorums that do not overlap; a removed node still votes',
    'Membership changes while an election or a write is under way, and old and new quorums do not intersect.',
    'formal-model',
    'If … joins or leaves during …, two disjoint quorums decide differently.',
    ['Ongaro: Consensus: Bridging Theory and Practice, 2014'],
  ],
  [
    'crash-recovery-divergence',
    'State after recovery differs',
    'restart loses or invents data',
    'What was written before the crash is torn, reordered or not synced, and recovery accepts it.',
    'crash-and-upgrade',
    'If power is lost between … and …, the state after restart differs from every state that was acknowledged.',
    [
      'Pillai et al.: All File Systems Are Not Created Equal, 2014',
      'Rebello et al.: Can Applications Recover from fsync Failures?, 2020',
    ],
  ],
  [
    'schema-migration-under-traffic',
    'Schema migration under traffic',
    'old code reads what new code wrote, and fails or misreads',
    'Two versions of code and data live side by side longer than planned.',
    'crash-and-upgrade',
    'While … migrates, a writer of the old version and a reader of the new one ….',
    ['Zhang et al.: Understanding and Detecting Software Upgrade Failures, 2021'],
  ],
  [
    'id-reuse',
    'Identifier or sequence reused',
    'two things share one id',
    'A counter is restored from an old snapshot, wraps, or is taken from a clock that went back.',
    'deterministic-simulation',
    'After a restart of …, an id of … is issued a second time.',
    ['Lamport: Time, Clocks, and the Ordering of Events, 1978'],
  ],
  [
    'watch-loss',
    'Watch loses or repeats events',
    'a cache is stale forever; a handler runs twice',
    'A subscriber reconnects between two events, or events are compacted before they are delivered.',
    'history-checking',
    'If the watch of … reconnects during …, an event is missed or delivered twice.',
    ['Jepsen: etcd 3.4.3, 2020'],
  ],
  [
    'cross-shard-non-atomicity',
    'Update across shards is not atomic',
    'half of a transfer is visible',
    'Each shard is correct alone; nothing makes both sides happen or neither.',
    'history-checking',
    'If … fails between its writes to … and …, a reader sees one without the other forever.',
    ['Adya: Weak Consistency, 1999', JEPSEN],
  ],
  [
    'clock-bound-safety',
    'Safety rests on a clock bound',
    'two holders at once after a pause or a jump',
    'A lease or a time-out is trusted although clocks jump and processes pause.',
    'deterministic-simulation',
    'If … pauses for longer than …, it still acts on … after it was given to another.',
    ['Gray, Cheriton: Leases, 1989', 'Kleppmann: How to do distributed locking, 2016'],
  ],
  [
    'policy-divergence',
    'Authorisation or quota diverges',
    'a revoked key works on one node; a quota is exceeded in total',
    'Policy is cached per node, and nothing bounds how old the cache may be.',
    'fault-injection',
    'After … is revoked, a node that … still accepts it for longer than ….',
    ['Pang et al.: Zanzibar, 2019'],
  ],
  [
    'lease-expiry-under-contention',
    'Lease expires under contention',
    'work is done twice, or the holder is starved',
    'Renewal waits behind the work that the lease protects; expiry and renewal race.',
    'deterministic-simulation',
    'If renewal of … is delayed by …, two workers process … at the same time.',
    ['Burrows: The Chubby Lock Service, 2006'],
  ],
  [
    'idempotency-bypass',
    'Idempotency bypassed on a cold cache',
    'a retry after a restart is executed again',
    'The record of handled requests is in memory, expires, or is checked after the work began.',
    'deterministic-simulation',
    'If … restarts between the first try and the retry of …, the effect happens twice.',
    ['Helland: Idempotence Is Not a Medical Condition, 2012'],
  ],
  [
    'outbox-head-of-line',
    'Outbox blocked at its head',
    'one bad message stops all that follow',
    'Order is kept by waiting; a message that can never be delivered is retried forever.',
    'fault-injection',
    'If one message to … always fails, messages to others are not delivered within ….',
    ['Hohpe, Woolf: Enterprise Integration Patterns, 2003'],
  ],
]

export const PITFALLS: readonly Pitfall[] = ROWS.map(
  ([id, title, symptom, text, technique, hypothesis, references]) => ({
    id,
    title,
    symptom,
    text,
    technique,
    hypothesis,
    references,
  }),
)

export const PITFALL_CATALOGUE: Catalogue<Pitfall> = {
  kind: 'pitfalls',
  title: 'Pitfalls',
  about: 'What has gone wrong in other systems; a plan answers each with yes, no or maybe.',
  entries: PITFALLS,
  details: ({ symptom, technique, hypothesis }) => [
    ['symptom', symptom],
    ['technique', technique],
    ['hypothesis', hypothesis],
  ],
}
