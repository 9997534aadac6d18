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
  load(): Promise<Question>
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
    load: async () => transactional((await import('../checkers/transactions/list-append.ts')).listAppend),
  },
  'rw-register': {
    question: 'which isolation level do transactions on registers not have?',
    load: async () => transactional((await import('../checkers/transactions/rw-register.ts')).rwRegister),
  },
  'closed-predicate': {
    question: 'the same, with reads of everything that matches a predicate',
    load: async () =>
      transactional((await import('../checkers/transactions/closed-predicate.ts')).closedPredicate),
  },
  bank: {
    question: 'does every read of all accounts see the same total?',
    load: async () => shelf((await import('../checkers/transactions/workloads/bank.ts')).bank),
  },
  'long-fork': {
    question: 'do all reads see writes in one order?',
    load: async () => shelf((await import('../checkers/transactions/workloads/long-fork.ts')).longFork),
  },
  'causal-reverse': {
    question: 'is a write ever seen without one that was done before it?',
    load: async () =>
      shelf((await import('../checkers/transactions/workloads/causal-reverse.ts')).causalReverse),
  },
  'write-skew': {
    question: 'do two transactions both do what only one of them may?',
    load: async () => shelf((await import('../checkers/transactions/workloads/write-skew.ts')).writeSkew),
  },
  'dirty-update': {
    question: 'is a committed append built on an aborted one?',
    load: async () => shelf((await import('../checkers/transactions/single-anomaly.ts')).dirtyUpdate),
  },
  'lost-update': {
    question: 'do two transactions update the same version?',
    load: async () => shelf((await import('../checkers/transactions/single-anomaly.ts')).lostUpdate),
  },
  'internal-consistency': {
    question: 'does each transaction see its own writes?',
    load: async () => shelf((await import('../checkers/transactions/single-anomaly.ts')).internalConsistency),
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

/** Questions that fit a history, by the functions that it has. */
const FITTING: readonly (readonly [needs: readonly string[], question: string])[] = [
  [['txn'], '--workload list-append or rw-register'],
  [['send', 'poll'], '--workload kafka'],
  [['transfer', 'read'], '--workload bank'],
  [['cas'], '--model cas-register'],
  [['write', 'read'], '--model register'],
  [['get', 'put'], '--model map'],
  [['add', 'read'], '--workload set-full, set, counter or pn-counter'],
  [['broadcast', 'read'], '--workload broadcast'],
  [['enqueue', 'dequeue'], '--model queue, --workload queue or total-queue'],
  [['acquire', 'release'], '--model mutex or --workload lock'],
  [['append', 'read'], '--model log or --workload prefix'],
  [['generate'], '--workload unique-ids'],
]

/** What to try on a history whose owner did not say what it is of. */
export function suggestions(history: History): string {
  const fitting = FITTING.filter(([needs]) => needs.every((f) => history.functions.includes(f)))
  return fitting.length === 0
    ? '--help lists all'
    : `try ${fitting.map(([, question]) => question).join('; ')}`
}

/** Consistency models that can be asked of an object; the others are for transactions. */
export const OBJECT_MODELS = [
  'linearizable',
  'sequential',
  'causal',
  'pram',
  'read-your-writes',
  'monotonic-reads',
  'monotonic-writes',
  'writes-follow-reads',
  'k-atomicity',
  'bounded-staleness',
] as const

/** A checker of an object: linearizability, unless weaker models are asked for. */
export async function objectQuestion(model: string, consistencyModels: readonly string[]): Promise<Question> {
  const make = (
    (await import('../checkers/linearizable/models/index.ts')) as unknown as Record<string, ModelMaker>
  )[MODELS[model]]
  const questions = await Promise.all(
    consistencyModels.map(async (name) => [name, await objectQuestionOf(name, make)] as const),
  )
  if (questions.length === 1) return questions[0][1]
  const { all } = await import('../checkers/compose.ts')
  return (history, settings) =>
    all(Object.fromEntries(questions.map(([name, ask]) => [name, (whole) => ask(whole, settings)])))(history)
}

async function objectQuestionOf(name: string, make: ModelMaker): Promise<Question> {
  const modelOf = ({ initial, nullReadMatchesAll, options }: CheckSettings) =>
    make({ nullReadMatchesAll, ...given({ initial }), ...options })
  if (name === 'linearizable') {
    const { linearizable } = await import('../checkers/linearizable/index.ts')
    return (history, settings) => linearizable(history, modelOf(settings), limits(settings))
  }
  const weaker = await import('../checkers/consistency/index.ts')
  switch (name) {
    case 'sequential':
      return (history, settings) => weaker.sequential(history, modelOf(settings), limits(settings))
    case 'causal':
      return (history, { initial, options }) => weaker.causal(history, { ...given({ initial }), ...options })
    case 'pram':
      return (history, { initial, options }) => weaker.pram(history, { ...given({ initial }), ...options })
    case 'k-atomicity':
      return (history, { initial, options }) =>
        weaker.kAtomicity(history, { k: 2, ...given({ initial }), ...options })
    case 'bounded-staleness':
      return (history, { initial, options }) =>
        weaker.boundedStaleness(history, { deltaUs: 0, ...given({ initial }), ...options })
    default:
      return (history, { initial, options }) => {
        const guarantees = [name as 'monotonic-reads']
        return weaker.sessionGuarantees(history, { guarantees, ...given({ initial }), ...options })
      }
  }
}

function limits({ partition, timeoutMs, memoryMb }: CheckSettings): Record<string, never> {
  return given({ partition, timeoutMs, memoryMb }) as Record<string, never>
}

/** Without what was not said, so that defaults apply. */
function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

type Question = (history: History, settings: CheckSettings) => CheckResult
type ModelMaker = (options: Readonly<Record<string, unknown>>) => never

type Shelf = (history: History, options: never) => CheckResult

/** A checker of the shelf takes its options as they are given. */
function shelf(check: Shelf): Question {
  return (history, { options }) => check(history, options as never)
}

function transactional(check: Shelf): Question {
  return (history, { options, consistencyModels }) =>
    check(history, { consistencyModels, ...options } as never)
}
