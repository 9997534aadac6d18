/**
 * What `wavetank check` can ask of a history: workloads (one checker each) and models (for linearizability). Each
 * loads only the files that it needs, so that a small question starts fast.
 */
import type { CheckResult } from '../checkers/result.ts'
import type { History } from '../history/history.ts'

export interface CheckSettings {
  readonly consistencyModels: readonly string[] | undefined
  readonly timeoutMs: number | undefined
  readonly memoryMb: number | undefined
  readonly partition: 'key' | 'none' | undefined
  /** State before everything, for models that take one. */
  readonly initial: unknown
  /** Whether a read of null saw an unknown value, as Knossos has it. */
  readonly nullReadMatchesAll: boolean
  /** Further options of a workload's checker. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface Workload {
  readonly question: string
  load(): Promise<(history: History, settings: CheckSettings) => CheckResult>
}

export const WORKLOADS: Readonly<Record<string, Workload>> = {
  set: {
    question: 'is everything acknowledged in the last read, and nothing else?',
    load: async () => shelf((await import('../checkers/set.ts')).set),
  },
  'set-full': {
    question: 'does every element that became known stay, on every replica?',
    load: async () => shelf((await import('../checkers/set-full.ts')).setFull),
  },
  broadcast: {
    question: 'does every message reach every node?',
    load: async () => shelf((await import('../checkers/broadcast.ts')).broadcast),
  },
  queue: {
    question: 'does a queue give out only what was put in?',
    load: async () => shelf((await import('../checkers/queue.ts')).queue),
  },
  'total-queue': {
    question: 'does everything acknowledged come out, once?',
    load: async () => shelf((await import('../checkers/total-queue.ts')).totalQueue),
  },
  counter: {
    question: 'is every read a value that the counter can have had?',
    load: async () => shelf((await import('../checkers/counter.ts')).counter),
  },
  'pn-counter': {
    question: 'does a counter converge to the sum of what was added?',
    load: async () => shelf((await import('../checkers/pn-counter.ts')).pnCounter),
  },
  'unique-ids': {
    question: 'is every generated id unique?',
    load: async () => shelf((await import('../checkers/unique-ids.ts')).uniqueIds),
  },
  kafka: {
    question: 'does a log keep what it acknowledged, once, in order?',
    load: async () => shelf((await import('../checkers/kafka/index.ts')).kafka),
  },
  lock: {
    question: 'does one client at a time hold the lock, with growing fences?',
    load: async () => shelf((await import('../checkers/lock.ts')).lock),
  },
  'no-lost-ack': {
    question: 'is everything acknowledged still there at the end?',
    load: async () => shelf((await import('../checkers/no-lost-ack.ts')).noLostAck),
  },
  'exactly-once': {
    question: 'did every accepted request take effect exactly once?',
    load: async () => shelf((await import('../checkers/exactly-once.ts')).exactlyOnce),
  },
  prefix: {
    question: 'do all reads of a log agree, in an order that respects time?',
    load: async () => shelf((await import('../checkers/prefix.ts')).prefix),
  },
  reconciliation: {
    question: 'do all replicas end in the same state?',
    load: async () => shelf((await import('../checkers/reconciliation.ts')).reconciliation),
  },
  availability: {
    question: 'how much of what was asked was answered?',
    load: async () => shelf((await import('../checkers/availability.ts')).availability),
  },
  latency: {
    question: 'how long do operations take?',
    load: async () => shelf((await import('../checkers/latency.ts')).latency),
  },
  rate: {
    question: 'how many operations complete per second?',
    load: async () => shelf((await import('../checkers/rate.ts')).rate),
  },
  fairness: {
    question: 'is the service shared out fairly?',
    load: async () => shelf((await import('../checkers/fairness.ts')).fairness),
  },
  stats: {
    question: 'did every kind of operation succeed at least once?',
    load: async () => shelf((await import('../checkers/stats.ts')).stats),
  },
  'unhandled-exceptions': {
    question: 'which errors made outcomes unknown?',
    load: async () => shelf((await import('../checkers/unhandled-exceptions.ts')).unhandledExceptions),
  },
  'list-append': {
    question: 'which isolation level do transactions on lists not have?',
    load: async () => transactional((await import('../checkers/transactions/index.ts')).listAppend),
  },
  'rw-register': {
    question: 'which isolation level do transactions on registers not have?',
    load: async () => transactional((await import('../checkers/transactions/index.ts')).rwRegister),
  },
}

/** Names of models as users write them, and of the functions that make them. */
export const MODELS: Readonly<Record<string, string>> = {
  register: 'register',
  'cas-register': 'casRegister',
  'multi-register': 'multiRegister',
  map: 'map',
  counter: 'counter',
  set: 'set',
  queue: 'queue',
  'priority-queue': 'priorityQueue',
  stack: 'stack',
  log: 'log',
  mutex: 'mutex',
  'reentrant-lock': 'reentrantLock',
  semaphore: 'semaphore',
  lease: 'lease',
  bank: 'bank',
}

/** A checker of linearizability for a named model. */
export async function linearizability(
  model: string,
): Promise<(history: History, settings: CheckSettings) => CheckResult> {
  const { linearizable } = await import('../checkers/linearizable/index.ts')
  const models = (await import('../checkers/linearizable/models/index.ts')) as unknown as Record<
    string,
    ModelMaker
  >
  return (history, { initial, nullReadMatchesAll, options, partition, timeoutMs, memoryMb }) =>
    linearizable(
      history,
      models[MODELS[model]]({
        nullReadMatchesAll,
        ...(initial === undefined ? {} : { initial }),
        ...options,
      }),
      {
        ...(partition === undefined ? {} : { partition }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(memoryMb === undefined ? {} : { memoryMb }),
      },
    )
}

type ModelMaker = (options: Readonly<Record<string, unknown>>) => never

type Shelf = (history: History, options: never) => CheckResult

/** A checker of the shelf takes its options as they are given. */
function shelf(check: Shelf): (history: History, settings: CheckSettings) => CheckResult {
  return (history, { options }) => check(history, options as never)
}

function transactional(check: Shelf): (history: History, settings: CheckSettings) => CheckResult {
  return (history, { options, consistencyModels }) =>
    check(history, { consistencyModels, ...options } as never)
}
