/** What can be asked of an object: linearizability first, then what is weaker. */
import { condition, registerCondition, type ConsistencyEntry } from './entry.ts'
import type { SessionGuarantee } from '../consistency/session-guarantees.ts'

const guarantee = (name: SessionGuarantee, question: string): ConsistencyEntry => ({
  name,
  question,
  anomalies: `${name}, and every smallest set of guarantees that cannot hold`,
  of: 'registers',
  load: async () => {
    const { sessionGuarantees, SESSION_GUARANTEE_OPTIONS } =
      await import('../consistency/session-guarantees.ts')
    return registerCondition(name, sessionGuarantees, SESSION_GUARANTEE_OPTIONS, { guarantees: [name] })
  },
})

export const CONSISTENCY: readonly ConsistencyEntry[] = [
  {
    name: 'linearizable',
    question: 'is there one order of all operations, each between its invocation and its return?',
    anomalies: 'not-linearizable, and those of the monitors',
    of: 'any model',
    load: async () => {
      const { linearizable, LINEARIZABLE_OPTIONS } = await import('../linearizable/index.ts')
      return condition('linearizable', linearizable, LINEARIZABLE_OPTIONS)
    },
  },
  {
    name: 'sequential',
    question: "is there one order that keeps each client's own, whatever the real time?",
    anomalies: 'not-sequential',
    of: 'any model',
    load: async () => {
      const { sequential, SEQUENTIAL_OPTIONS } = await import('../consistency/sequential.ts')
      return condition('sequential', sequential, SEQUENTIAL_OPTIONS)
    },
  },
  {
    name: 'causal',
    question: 'does no client see an effect without its cause?',
    anomalies: 'stale-read, cyclic-causality, no-agreed-order, no-session-order',
    of: 'registers',
    load: async () => {
      const { causal, CAUSAL_OPTIONS } = await import('../consistency/causal.ts')
      return registerCondition('causal', causal, CAUSAL_OPTIONS)
    },
  },
  {
    name: 'pram',
    question: "does every client see each other client's writes in the order in which it made them?",
    anomalies: 'no-session-order, stale-read',
    of: 'registers',
    load: async () => {
      const { pram, PRAM_OPTIONS } = await import('../consistency/pram.ts')
      return registerCondition('pram', pram, PRAM_OPTIONS)
    },
  },
  guarantee('read-your-writes', 'does a client see what it wrote?'),
  guarantee('monotonic-reads', 'does a client never lose sight of what it has seen?'),
  guarantee('monotonic-writes', "are a client's writes seen in the order in which it made them?"),
  guarantee('writes-follow-reads', 'is a write seen only together with what its client had read before?'),
  {
    name: 'k-atomicity',
    question: 'is every read one of the last `k` values?',
    anomalies: 'as linearizability; `details.least` is the least `k`',
    of: 'registers',
    load: async () => {
      const { kAtomicity, K_ATOMICITY_OPTIONS } = await import('../consistency/bounded-staleness.ts')
      return registerCondition('k-atomicity', kAtomicity, K_ATOMICITY_OPTIONS, { k: 2 })
    },
  },
  {
    name: 'bounded-staleness',
    question: 'is no read more than `deltaUs` behind?',
    anomalies: 'as linearizability; `details.leastUs` is the least bound',
    of: 'registers',
    load: async () => {
      const { boundedStaleness, BOUNDED_STALENESS_OPTIONS } =
        await import('../consistency/bounded-staleness.ts')
      return registerCondition('bounded-staleness', boundedStaleness, BOUNDED_STALENESS_OPTIONS, {
        deltaUs: 0,
      })
    },
  },
]
